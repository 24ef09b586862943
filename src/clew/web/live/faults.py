"""What goes wrong between a crawler and a server, in words for people and as a rule for what to do next."""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator
from dataclasses import dataclass

import aiohttp

from clew.config import LimitSettings
from clew.errors import SHORTAGES, shortage
from clew.text.codings import BodyError
from clew.text.httpmessage import MessageError
from clew.web.live.answer import HeadTooLargeError
from clew.web.live.proxies import ProxyDownError, ProxyRefusedError


@dataclass(frozen=True, slots=True)
class Fault:
    """Why no page came. ``again``: worth another try. ``strike``: speaks against the host, not only the page.

    ``sent``: the request went out (false when no connection came about). ``line``: it was not the host's doing.
    ``shortage``: nor was it anybody's: this machine lacks what has this number in ``errors.SHORTAGES``.
    """

    reason: str
    again: bool = True
    strike: bool = True
    sent: bool = True
    line: bool = False
    shortage: int = 0


WRONG_CREDENTIALS = 407
"""What a proxy answers in place of the host when it does not know who asks."""


def proxy_wants_credentials() -> Fault:
    """The fault behind that answer."""
    words = "it wants another user name and password (web.live.proxy)"
    return Fault(f"the proxy answers HTTP {WRONG_CREDENTIALS}: {words}", sent=False)


class BrokenError(aiohttp.ClientError):
    """A connection broke before an answer came.

    Raised in place of aiohttp's own error, which would make it send the request a second time, at once and uncounted.
    """


class UnansweredError(aiohttp.ClientError):
    """A kept connection closed before a byte of the answer came: the request may be sent again (RFC 9112 9.3.1)."""


def explain(error: Exception, answered: bool, limits: LimitSettings) -> Fault:
    """The fault behind an error. ``answered``: the head of an answer had come."""
    if isinstance(error, BodyError):
        return Fault(str(error), again=False, strike=False)
    if isinstance(error, TimeoutError):
        return _late(error, answered, limits)
    if isinstance(error, MessageError):
        return _nonsense(error)
    if number := shortage(error):
        return Fault(SHORTAGES[number].partition(":")[0], sent=False, shortage=number)
    return _broken(error)


def _nonsense(error: MessageError) -> Fault:
    if isinstance(error, HeadTooLargeError):
        return Fault(str(error), again=False, strike=False)
    return Fault(f"not valid HTTP: {' '.join(str(error).split())}"[:200])


def _broken(error: Exception) -> Fault:
    if isinstance(error, ProxyDownError | ProxyRefusedError):
        return Fault(str(error)[:200], sent=False, line=isinstance(error, ProxyDownError))
    if isinstance(error, aiohttp.ClientConnectionError):
        return _unconnected(error)
    if isinstance(error, BrokenError | UnansweredError):
        return Fault(f"connection broke before an answer came{_cause(error)}")
    if isinstance(error, aiohttp.ClientPayloadError):
        return Fault(f"connection broke inside the page: {error}"[:200], strike=False)
    return Fault(f"{type(error).__name__}: {error}"[:200])


def _late(error: Exception, answered: bool, limits: LimitSettings) -> Fault:
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return Fault(f"no connection within {limits.connect_s:g} s (limits.connect_s)", sent=False)
    if answered:
        return Fault(f"not complete after {limits.page_s:g} s (limits.page_s)", again=False)
    return Fault(f"no answer within {limits.page_s:g} s (limits.page_s)")


def _unconnected(error: aiohttp.ClientConnectionError) -> Fault:
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return Fault(f"bad certificate: {_certificate(error)} (web.live.verify_tls)", sent=False)
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        words = f"the proxy {error.host}:{error.port} cannot be reached: {_words(error.os_error)}"
        return Fault(words[:200], sent=False, line=True)
    if isinstance(error, aiohttp.ClientConnectorError):
        kind = "TLS failed" if isinstance(error, aiohttp.ClientConnectorSSLError) else "cannot connect"
        return Fault(f"{kind}: {_words(error.os_error)}"[:200], sent=False)
    return Fault(f"connection broke: {error}"[:200])


def _words(error: OSError) -> str:
    """The system's words; asyncio puts its own into ``strerror``."""
    if isinstance(error, ssl.SSLError) or not error.errno:
        return str(error.strerror or error)
    return os.strerror(error.errno) if error.errno > 0 else str(error)


def _certificate(error: aiohttp.ClientConnectorCertificateError) -> str:
    cause = error.certificate_error
    return str(getattr(cause, "verify_message", "") or cause)


def _cause(error: BaseException) -> str:
    """What stands behind an error, if it says anything."""
    words = [str(link) for link in list(_chain(error))[1:] if isinstance(link, OSError) and str(link)]
    return f": {words[-1]}" if words else ""


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


async def once_more(request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """A middleware that sends a request again, once and at once, when a kept connection turns out to be closed.

    Nothing else is sent twice: aiohttp would, when a new connection breaks.
    """
    try:
        try:
            return await send(request)
        except (UnansweredError, aiohttp.ClientConnectionResetError):
            return await send(request)
    except (aiohttp.ClientConnectorError, aiohttp.ServerTimeoutError):
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError, aiohttp.ClientConnectionResetError) as error:
        raise BrokenError(str(error)) from error
