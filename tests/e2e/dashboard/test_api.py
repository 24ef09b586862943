"""Every route of the API, asked by schemathesis with what its description allows and with what it forbids."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from projects_served import copied
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from clew.dashboard.app import make_app, plain_app
from clew.dashboard.guard import Access
from clew.dashboard.projects import Shelf

ACCESS = Access(80, "t" * 32, "c" * 32, hosts=("testserver",))
HEADERS = {"authorization": f"Bearer {ACCESS.token}"}
EXAMPLES = 20
"""Requests a route, right and wrong: more find little in the time that a test may take. Always the same ones."""

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]

Operation = tuple[str, str]

LEFT_OUT = frozenset({
    ("GET", "/api/projects/{name}/live"),  # never ends, and a client of this process cannot go away
    ("POST", "/api/projects/{name}/crawl/start"),  # would start crawls: test_live.py starts one
})  # fmt: skip

DESCRIBED: dict[Operation, Any] = {
    (method.upper(), path): operation
    for path, methods in plain_app(Shelf([])).openapi()["paths"].items()
    for method, operation in methods.items()
}
ASKED = sorted(set(DESCRIBED) - LEFT_OUT)


def may_be_wrong(operation: Operation) -> bool:
    """Whether a request can differ from the description, but for the name of the project, which may be any text."""
    found = DESCRIBED[operation]
    return "requestBody" in found or any(one["name"] != "name" for one in found.get("parameters", ()))


@pytest.fixture(scope="module")
def schema(english: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The description, of a dashboard whose project may be changed."""
    project = copied(english, tmp_path_factory.mktemp("api") / "english")
    return schemathesis.openapi.from_asgi("/api/openapi.json", make_app(Shelf([project]), ACCESS), headers=HEADERS)


def ask_often(schema: Any, operation: Operation, mode: GenerationMode, act: Callable[[Case], None]) -> None:
    method, path = operation

    @given(case=schema[path][method].as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: Case) -> None:
        act(case)

    ask()


@pytest.mark.parametrize("operation", ASKED, ids=" ".join)
def test_answers_are_as_described(schema: Any, operation: Operation) -> None:
    def act(case: Case) -> None:
        if "name" in case.path_parameters:
            case.path_parameters["name"] = "english"
        case.call_and_validate(headers=HEADERS, checks=CHECKS)

    ask_often(schema, operation, GenerationMode.POSITIVE, act)


@pytest.mark.parametrize("operation", [one for one in ASKED if may_be_wrong(one)], ids=" ".join)
def test_what_the_description_forbids_is_refused_and_no_fault(schema: Any, operation: Operation) -> None:
    def act(case: Case) -> None:
        if case.path_parameters.get("name"):
            case.path_parameters["name"] = "english"
        case.call_and_validate(headers=HEADERS, checks=[*CHECKS, negative_data_rejection])

    ask_often(schema, operation, GenerationMode.NEGATIVE, act)


@pytest.mark.parametrize("operation", ASKED, ids=" ".join)
def test_no_project_is_found_by_an_odd_name(schema: Any, operation: Operation) -> None:
    """Names that are paths, and text that no file system takes."""
    method, path = operation
    for name in ("none", "..%2F..%2Fetc", "%00", "%ED%A0%80", "%F0%9F%95%B8", "a" * 5_000, "%2e%2e"):
        if "{name}" in path:
            case = schema[path][method].Case(path_parameters={})
            case.path = path.replace("{name}", name).replace("{", "").replace("}", "")
            assert case.call(headers=HEADERS).status_code in (404, 422), name
