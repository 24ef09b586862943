"""Where the dashboard listens, and the address that opens it."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from clew.dashboard.serving import LOCAL, access_of, address, bound
from clew.errors import InputError


@pytest.mark.parametrize("token", ["abcdefgh+ijklmnop/qrst==", "a&b#c?d%e=f;g,h:0123"])
def test_the_address_carries_a_token_of_any_letters(token: str) -> None:
    with bound(LOCAL, 0) as listening:
        access = access_of(listening, LOCAL, token)
        url = urlsplit(address(access))
    assert parse_qs(url.query)["token"] == [token]
    assert (url.hostname, url.port) == (LOCAL, access.port)


@pytest.mark.parametrize(("token", "why"), [("short", "too short"), ("é" * 16, "ASCII"), ("a b" * 8, "spaces")])
def test_a_token_that_is_no_secret_or_cannot_be_sent_is_refused(token: str, why: str) -> None:
    with bound(LOCAL, 0) as listening, pytest.raises(InputError, match=why):
        access_of(listening, LOCAL, token)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_an_address_that_nobody_can_open_is_refused(host: str) -> None:
    with bound(LOCAL, 0) as listening, pytest.raises(InputError, match="give the address"):
        access_of(listening, host)


def test_a_port_that_is_taken_is_named() -> None:
    with bound(LOCAL, 0) as listening:
        port = listening.getsockname()[1]
        with pytest.raises(InputError, match=f"{LOCAL}:{port} cannot be listened on"):
            bound(LOCAL, port)
