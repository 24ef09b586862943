"""Makes docs/images/report.png: a crawl of ``clew demo``, its report in headless Chromium, in 256 colours.

python tools/picture/report.py [REPORT.html]

Without a report it runs the demo first. README.md beside this file says what it needs.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "report.png"

SIZE = 1100, 1540
"""Pixels of the window: the figures, the four plots and the first of the best pages."""

COLOURS = 256

QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]


def main() -> None:
    """Make the picture. Exits with a message where there is no Chromium."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        sys.exit("no chromium on the path: install it (Debian: apt-get install chromium)")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(sys.argv[1]) if len(sys.argv) > 1 else demo(Path(folder))
        shot = Path(folder) / "shot.png"
        photograph(browser, report.resolve(), shot, Path(folder) / "profile")
        PICTURE.parent.mkdir(exist_ok=True)
        with Image.open(shot) as picture:
            picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(PICTURE, optimize=True)
    print(f"{PICTURE}: {PICTURE.stat().st_size:,} bytes")


def demo(folder: Path) -> Path:
    """The report of the demo's best-first crawl."""
    subprocess.run([sys.executable, "-m", "clew.cli", "demo", "--folder", folder / "demo"], check=True)
    return folder / "demo" / "best-first" / "report.html"


def photograph(browser: str, report: Path, shot: Path, profile: Path) -> None:
    """The top of a page as PNG, by a browser with a profile of its own that asks nobody for updates."""
    size = f"--window-size={SIZE[0]},{SIZE[1]}"
    command = [browser, *QUIET, f"--user-data-dir={profile}", size, f"--screenshot={shot}", report.as_uri()]
    subprocess.run(command, check=True, timeout=120, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
