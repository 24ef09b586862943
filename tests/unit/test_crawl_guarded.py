"""The address guard in whole crawls. The public web of these tests is a proxy on loopback that has pages for made-up
hosts, so the guard stays on; a second server on loopback stands for what must never be reached."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from dns_server import naming
from proxy_servers import proxying
from web_live_site import answer, serving, visiting

from clew.model import Request
from clew.web.clock import VirtualClock
from support import clew_json, write_project

WAYS = {
    "link": "<a href='{inside}'>in</a>",
    "link-in-frame": "<iframe src='{inside}'></iframe><a href='{inside}x'>in</a>",
    "base": "<base href='{inside}'><a href='page.html'>in</a>",
    "meta-refresh": "<meta http-equiv=refresh content='0; url={inside}'>",
    "canonical": "<link rel=canonical href='{inside}'><link rel=next href='{inside}n'>",
    "form": "<form action='{inside}'><input name=q></form><area href='{inside}a'>",
    "svg": "<svg><a xlink:href='{inside}'>in</a></svg>",
    "credentials": "<a href='http://good.test@{place}/'>in</a><a href='http://{place}\\@good.test/'>in</a>",
    "feed": "<link rel=alternate type=application/rss+xml href='{inside}feed'>",
}


def page(body: str) -> bytes:
    return answer(f"<html lang=en><p>sailing boats {body}".encode())


@pytest.mark.parametrize("spelling", ["127.1", "localhost", "inside.test"])
async def test_a_crawl_is_led_nowhere_closed(spelling: str, tmp_path: Path) -> None:
    clock = VirtualClock()
    async with serving(clock) as inside:
        place = f"{spelling}:{inside.port}"
        target = f"http://{place}/"
        pages = {f"/{name}": page(way.format(inside=target, place=place)) for name, way in WAYS.items()}
        pages |= {
            "/redirect": answer(status="302 Found", Location=target),
            "/refresh": answer(b"<p>sailing", Refresh=f"0; url={target}"),
            "/": page("".join(f"<a href='/{name}'>x</a>" for name in [*WAYS, "redirect", "refresh"])),
            "/robots.txt": answer(f"User-agent: *\nDisallow:\nSitemap: {target}sitemap.xml\nSitemap: /s.xml".encode()),
            "/s.xml": answer(
                f"<urlset><url><loc>{target}listed</loc></url></urlset>".encode(), Content_Type="text/xml"
            ),
        }
        async with serving(clock, pages) as site, proxying("http") as proxy:  # type: ignore[arg-type]
            project = write_project(
                tmp_path / "p",
                [site.url(), target],
                settings='[crawl]\ncontact = "me@example.org"\n[judge]\nname = "keywords"\n[interest.keywords]\n'
                "sailing = 1\n[politeness]\ndelay_s = 0.0\nadaptive = 0.0\nmax_delay_s = 0.1\n[web.live]\n"
                f'proxy = "http://127.0.0.1:{proxy.port}"\n[web.live.resolve]\n"a.test" = "192.0.46.9"\n'
                '"good.test" = "192.0.46.9"\n"inside.test" = "127.0.0.1"\n',
            )
            result = await asyncio.to_thread(clew_json, "crawl", project, "--workers", "0", "--quiet")
            asked = [entry[2] for entry in site.log]
        assert inside.connections == 0
        assert {f"/{name}" for name in WAYS} | {"/redirect", "/refresh", "/"} <= set(asked)
        assert not [url for url in proxy.asked if not url.startswith((site.url(), "http://good.test"))]
        assert result["refused"] > 0


async def test_a_name_that_changes_its_address_is_connected_to_where_it_was_checked() -> None:
    """DNS rebinding: public at the first look, closed at all later ones. A SOCKS proxy tells where we connect to."""
    clock, looks = VirtualClock(), []

    def rebinding(name: str) -> list[str]:
        looks.append(name)
        return ["192.0.46.9"] if len(looks) <= 2 else ["127.0.0.1"]  # both families are asked for at once

    async with naming(rebinding) as names, serving(clock) as site, proxying("socks") as proxy:
        settings = {"proxy": f"socks5://127.0.0.1:{proxy.port}", "nameservers": (names.address,), "resolve": {}}
        async with visiting(clock, allow_private=False, dns_fresh_s=50.0, **settings) as world:
            url, reasons = site.url(host="rebinding.test"), []
            for _ in range(8):
                response = await world.fetch(Request(url))
                reasons.append(response.reason)
                clock.advance(20.0)
    assert set(proxy.asked) == {f"192.0.46.9:{site.port}"}
    assert len(looks) > 2
    assert "127.0.0.1 is a loopback address" in reasons[-1]
    assert site.paths()[:2] == ["/robots.txt", "/"]
