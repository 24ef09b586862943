"""Lets every test import ``support``; no property test fails because the machine is busy, none goes through a proxy
that the environment names, the hundreds of processes that tests start share compiled modules, and linear algebra takes
one thread a process, as in the command line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy looks at it when loaded; more threads wait by spinning

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

for _name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
    os.environ.pop(_name, None)
    os.environ.pop(_name.upper(), None)

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each would compile all modules anew: two seconds a process
