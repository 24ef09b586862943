"""JSON answers over HTTP for the providers: a time limit, a size limit, a user agent, errors that say what to do."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import msgspec

from clew.section import doc
from clew.version import __version__
from clew.web.providers.base import ProviderError, ProviderSettings

if TYPE_CHECKING:
    import aiohttp

USER_AGENT = f"clew/{__version__}"
LARGEST = 16 << 20  # bytes of one answer

_ADVICE = {
    401: "it wants a key: set it in the provider's headers",
    403: "it refuses this client: see what it asks of programs (key, user agent)",
    404: "check the provider's url",
    429: "too many questions: raise the provider's spacing",
}


class OnlineSettings(ProviderSettings, frozen=True, kw_only=True):
    """Settings of providers that are asked over HTTP."""

    url: Annotated[str, doc("Where the server is.")]
    timeout: Annotated[float, doc("Seconds that an answer may take.", gt=0)] = 30.0
    user_agent: Annotated[str, doc("What the server is told of the client.")] = USER_AGENT

    def __post_init__(self) -> None:
        if not self.url.startswith(("http://", "https://")) or not urlsplit(self.url).hostname:
            raise ValueError(f"url: {self.url!r} must begin with http:// or https:// and name a server")

    def arguments(self) -> dict[str, Any]:
        """As arguments of a provider: all but what the ration takes."""
        given = msgspec.structs.asdict(self)
        del given["calls"]
        return given


class JsonClient:
    """Asks one provider. ``timeout`` and ``spacing`` (between the starts of two requests) are in seconds."""

    def __init__(
        self,
        provider: str,
        *,
        timeout: float = 30.0,
        spacing: float = 0.0,
        user_agent: str = USER_AGENT,
        headers: Mapping[str, str] | None = None,
        advice: Mapping[int, str] | None = None,
    ) -> None:
        self.provider = provider
        self._timeout = timeout
        self._spacing = spacing
        self._headers = {"User-Agent": user_agent, "Accept": "application/json", **(headers or {})}
        self._advice = {**_ADVICE, **(advice or {})}
        self._session: aiohttp.ClientSession | None = None
        self._next = 0.0
        self._turn = asyncio.Lock()

    async def get(self, url: str, parameters: Mapping[str, str] | None = None) -> Any:
        """The JSON that ``url`` answers with. Raises ProviderError."""
        import aiohttp

        await self._wait()
        try:
            status, body, shown = await self._fetch(url, parameters)
        except TimeoutError:
            raise self.error(url, f"no answer within {self._timeout:g} s", "try again, or raise timeout") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            reason = f"cannot be reached: {str(error) or type(error).__name__}"
            raise self.error(url, reason, "check the url, and that the server runs") from error
        if status != 200:
            advice = self._advice.get(status, "try again later" if status >= 500 else "check the provider's settings")
            raise self.error(shown, f"answered with HTTP status {status}", advice)
        if len(body) > LARGEST:
            raise self.error(shown, f"the answer is larger than {LARGEST >> 20} MB", "ask for less")
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            start = body[:60].decode("utf-8", "replace")
            raise self.error(shown, f"the answer is not JSON but begins {start!r}", "check the url") from None

    def error(self, where: str, reason: str, advice: str = "") -> ProviderError:
        """An error of this provider."""
        return ProviderError(self.provider, where, reason, advice)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _fetch(self, url: str, parameters: Mapping[str, str] | None) -> tuple[int, bytes, str]:
        """Status, body (one byte more than LARGEST at most) and the URL that was asked."""
        import aiohttp
        from yarl import URL

        if self._session is None:
            timeout = aiohttp.ClientTimeout(total=self._timeout)
            self._session = aiohttp.ClientSession(timeout=timeout, headers=self._headers)
        address = URL(url).update_query(parameters) if parameters else URL(url, encoded=True)
        async with self._session.get(address) as response:
            body = bytearray()
            async for piece in response.content.iter_chunked(1 << 16):
                body += piece
                if len(body) > LARGEST:
                    break
            return response.status, bytes(body[: LARGEST + 1]), str(address)

    async def _wait(self) -> None:
        """Until it is this request's turn."""
        async with self._turn:
            delay = self._next - time.monotonic()
            if delay > 0:
                await asyncio.sleep(delay)
            self._next = time.monotonic() + self._spacing


def table(value: Any) -> dict[str, Any]:
    """``value`` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def rows(value: Any) -> list[dict[str, Any]]:
    """The objects in ``value`` if it is a JSON array."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: Any) -> str:
    """``value`` if it is a string or a number, as text; else ""."""
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
