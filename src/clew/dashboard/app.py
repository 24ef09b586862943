"""The web application: the API, the pages, and how errors are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from clew.dashboard import api
from clew.dashboard.guard import Access, Guard
from clew.dashboard.projects import NotThereError, Shelf
from clew.errors import ClewError, ConfigError, InputError, ProjectError, StoreError
from clew.project.running import BusyError, OddCrawlError
from clew.text.shown import json_text
from clew.version import __version__

STATIC = Path(__file__).parent / "static"


def make_app(shelf: Shelf, access: Access) -> ASGIApp:
    """The dashboard of these projects, for an ASGI server. Who asks must have the token of ``access``."""
    app = plain_app(shelf)
    return Guard(app, access)


def plain_app(shelf: Shelf) -> FastAPI:
    """The same without a guard: for a description of the API, never to be served."""
    app = FastAPI(
        title="Clew",
        version=__version__,
        summary="Watch, search and steer crawls.",
        docs_url=None,  # these pages load their scripts from elsewhere
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=api.ERRORS,
        default_response_class=Json,
    )
    app.state.shelf = shelf
    for kind in (ClewError, InputError, ConfigError, ProjectError, StoreError, BusyError, OddCrawlError):
        app.add_exception_handler(kind, _told)
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_exception_handler(HTTPException, _no_such)
    for router in api.routers():
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")

    @app.get("/", include_in_schema=False)
    def index() -> FileResponse:
        return FileResponse(STATIC / "index.html")

    return app


class Json(JSONResponse):
    """JSON that any text from the web fits into: lone surrogates become U+FFFD, what is no number null."""

    def render(self, content: Any) -> bytes:
        return json_text(content).encode()


def _told(_: Request, error: Exception) -> JSONResponse:
    """An error as the API tells it: in one sentence, as on the command line."""
    return Json({"error": str(error)}, status_of(error))


def _not_valid(_: Request, error: Exception) -> JSONResponse:
    """A request with parameters or a body that make no sense."""
    assert isinstance(error, RequestValidationError)
    said = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
    return Json({"error": "; ".join(said)}, 422)


def _no_such(_: Request, error: Exception) -> JSONResponse:
    """What the framework refuses by itself: paths and methods that there are not, bodies that are no text."""
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": str(error.detail)}, error.status_code, error.headers)


def status_of(error: Exception) -> int:
    """The HTTP status of an error: 400 for input that is wrong, 404 for a project or page that there is not, 409 where
    a project is not ready for it, 503 where the store cannot be read or the running crawl is too busy to answer."""
    if isinstance(error, NotThereError):
        return 404
    if isinstance(error, ProjectError):
        return 409
    if isinstance(error, InputError):
        return 400
    return 503 if isinstance(error, StoreError | BusyError | OddCrawlError) else 500
