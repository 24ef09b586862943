"""Attacks on the dashboard: by pages that were crawled, by pages of others in the same browser, and by programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import ask, bearer, cookie_of, fingerprint, operations
from browsing import Browsing, Watched, settled, visit
from hostile_site import ATTACK, BEACON, HARD, Site, crawl_it, serve_site
from playwright.sync_api import BrowserContext, Page, expect
from projects_served import Served, serve

from support import exported

PAGES = ("crawl", "collection", "topics", "frontier", "compare", "report")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serve_site() as found:
        yield found


@pytest.fixture(scope="module")
def hostile(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl_it(site, tmp_path_factory.mktemp("hostile") / "hostile")


@pytest.fixture(scope="module")
def served(hostile: Path) -> Iterator[Served]:
    with serve(hostile) as found:
        yield found


@pytest.fixture
def browser_with_cookie(browsing: Browsing, served: Served) -> Iterator[BrowserContext]:
    """A browser in which the dashboard is open, and may be attacked."""

    def opened() -> BrowserContext:
        context = browsing.browser.new_context()
        context.set_default_timeout(120_000)
        page = context.new_page()
        page.goto(served.url)
        settled(page)
        return context

    context = browsing.run(opened)
    yield context
    browsing.run(context.close)


# what was crawled


def unhurt(page: Page, site: Site) -> None:
    assert page.evaluate("window.__hit") is None
    assert BEACON not in [path.partition("?")[0] for path in site.asked]
    assert len(page.context.pages) == 1


@pytest.mark.parametrize("name", PAGES)
def test_no_page_runs_what_was_crawled(
    page: Page, watched: Watched, browsing: Browsing, served: Served, site: Site, name: str
) -> None:
    visit(page, f"{served.origin}/#/hostile/{name}")
    expect(page.get_by_role("heading", level=1)).to_have_text(name.capitalize())
    assert ATTACK in page.locator("#project option").all_text_contents()[0]
    unhurt(page, site)


def test_addresses_that_attack(page: Page, watched: Watched, browsing: Browsing, served: Served, site: Site) -> None:
    """What stands in the address is shown as text too, and names no file of others."""
    watched.allowed += ["404"]
    for rest in (f"{ATTACK}/crawl", f"hostile/{ATTACK}", "hostile/..%2F..%2Flib", "hostile/%00", "hostile/__proto__"):
        visit(page, f"{served.origin}/#/")
        visit(page, f"{served.origin}/#/{rest}")
        unhurt(page, site)


# pages of others in the same browser

OUTSIDE = """
const results = {};
const target = TARGET, routes = ROUTES;
async function tries(name, act) {
  try { results[name] = await act(); } catch (error) { results[name] = "refused"; }
}
const seen = async (answer) => (await answer).type === "opaque" ? "unseen" : "READ " + (await answer).status;
function loads(tag, name, address) {
  return new Promise((done) => {
    const node = document.createElement(tag);
    node.onload = () => done("LOADED");
    node.onerror = () => done("refused");
    node[name] = address;
    document.body.append(node);
  });
}
async function all() {
  for (const [method, path] of routes) {
    const address = target + path, body = JSON.stringify({url: "http://evil.test/", verdict: "relevant"});
    const json = {"content-type": "application/json"}, mark = {...json, "x-clew": "1"};
    await tries(`cors ${method} ${path}`, () => seen(fetch(address, {method, headers: method === "GET" ? {} : mark,
      credentials: "include", body: method === "GET" ? undefined : body})));
    if (method === "GET") {
      await tries(`img ${path}`, () => loads("img", "src", address));
      await tries(`script ${path}`, () => loads("script", "src", address));
    }
    await tries(`no-cors POST ${path}`, () => seen(fetch(address, {method: "POST", mode: "no-cors",
      credentials: "include", body})));
    await tries(`beacon ${path}`, async () => { navigator.sendBeacon(address, body); return "sent"; });
    const frame = document.createElement("iframe"), form = document.createElement("form");
    frame.name = `f${Math.random()}`;
    form.method = "post"; form.enctype = "text/plain"; form.action = address; form.target = frame.name;
    const field = document.createElement("input");
    field.name = '{"url": "http://evil.test/", "verdict": "relevant", "x": "'; field.value = '"}';
    form.append(field);
    document.body.append(frame, form);
    form.submit();
  }
  await tries("events", () => new Promise((done) => {
    const source = new EventSource(`${target}/api/projects/hostile/live`, {withCredentials: true});
    source.onmessage = source.onopen = () => done("READ"); source.onerror = () => { source.close(); done("refused"); };
  }));
  await tries("static", () => loads("script", "src", target + "/static/js/lib.js"));
  return results;
}
"""


def attack(site: Site, served: Served) -> list[list[str]]:
    """Puts the page for /attack together; gives the routes that it tries."""
    routes = [list(one) for one in operations(served, "hostile")]
    script = OUTSIDE.replace("TARGET", repr(served.origin)).replace("ROUTES", repr(routes))
    site.attack = f"<!doctype html><title>outside</title><body><script>{script}</script>"
    return routes


@pytest.mark.parametrize("where", ["near", "far"])
def test_a_page_of_another_origin_reads_and_changes_nothing(
    browser_with_cookie: BrowserContext, browsing: Browsing, served: Served, site: Site, hostile: Path, where: str
) -> None:
    """A page of another port of this address counts as the same site: its requests carry the cookie."""
    routes, before = attack(site, served), fingerprint(hostile)
    assert len(routes) >= 2
    page = browser_with_cookie.new_page()
    page.goto(f"{getattr(site, where)}/attack")
    results = page.evaluate("all()")
    assert len(results) > 3 * len(routes)
    told = {name: said for name, said in results.items() if "READ" in said or "LOADED" in said}
    assert not told
    assert fingerprint(hostile) == before


@pytest.mark.parametrize("where", ["near", "far"])
def test_the_dashboard_cannot_be_framed_nor_spoken_to(
    browser_with_cookie: BrowserContext, browsing: Browsing, served: Served, site: Site, where: str
) -> None:
    site.attack = "<!doctype html><title>outside</title><body>"
    page = browser_with_cookie.new_page()
    page.goto(f"{getattr(site, where)}/attack")
    with page.expect_response(lambda answer: answer.url == f"{served.origin}/"):
        page.evaluate("(url) => { const f = document.createElement('iframe'); f.src = url; document.body.append(f); }",
                      f"{served.origin}/")  # fmt: skip
    page.wait_for_function("() => { try { return !frames[0].document; } catch (error) { return true; } }")
    assert [frame.url for frame in page.frames if frame.url.startswith(served.origin)] == []
    with page.expect_popup() as popup:
        page.evaluate(f"window.w = open({served.origin + '/'!r}); 1")
    popup.value.wait_for_load_state()
    page.wait_for_function("w.closed")  # the opener keeps no handle on the dashboard
    page.evaluate("for (const m of ['x', {type: 'stop'}]) try { w.postMessage(m, '*'); } catch (error) { }")
    assert popup.value.evaluate("window.opener") is None


def test_whoever_is_led_out_does_not_tell_where_from(
    browser_with_cookie: BrowserContext, browsing: Browsing, served: Served, site: Site
) -> None:
    page = browser_with_cookie.pages[0]
    site.attack = "<!doctype html><title>outside</title>out"
    site.headers.clear()
    page.evaluate(
        "async (url) => { const { outside } = await import('/static/js/lib.js');"
        " document.querySelector('main').replaceChildren(outside(url, 'leads out')); }", f"{site.far}/attack"
    )  # fmt: skip
    with browser_with_cookie.expect_page() as opened:
        page.get_by_text("leads out").click()
    opened.value.wait_for_load_state()
    assert opened.value.title() == "outside"
    assert opened.value.evaluate("[document.referrer, window.opener]") == ["", None]
    assert "chrome" in " ".join(site.headers).lower()
    assert not [one for one in site.headers if served.origin in one or served.token in one]


# programs of this machine


OTHER_PATHS = [("GET", "/"), ("GET", "/metrics"), ("GET", "/static/js/app.js"), ("GET", "/archived/hostile/1")]


def test_no_route_answers_without_the_token(served: Served, hostile: Path) -> None:
    before = fingerprint(hostile)
    wrong = [
        {},
        {"X-Clew": "1"},
        {"Authorization": "Bearer x"},
        {"Authorization": f"Basic {served.token}"},
        {"Cookie": f"clew-{served.port}={served.token}"},
    ]
    for method, path in [*operations(served, "hostile"), *OTHER_PATHS]:
        for headers in wrong:
            status, text = ask(served, path, method, headers, "{}")
            assert status == 401, (method, path, headers)
            assert "sailing" not in text
    assert fingerprint(hostile) == before


def test_no_route_answers_a_foreign_host_or_origin(served: Served, hostile: Path) -> None:
    before, known = fingerprint(hostile), {**cookie_of(served), **bearer(served), "X-Clew": "1"}
    wrong = [
        {"Host": "evil.test"},
        {"Host": f"evil.test:{served.port}"},
        {"Host": ""},
        {"Origin": "http://evil.test"},
        {"Origin": "null"},
        {"Origin": f"http://localhost:{served.port + 1}"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"},
    ]
    for method, path in [*operations(served, "hostile"), *OTHER_PATHS]:
        for headers in wrong:
            assert ask(served, path, method, {**known, **headers}, "{}")[0] == 403, (method, path, headers)
    assert fingerprint(hostile) == before


def test_what_changes_something_needs_more_than_the_cookie(served: Served, hostile: Path) -> None:
    before, cookie = fingerprint(hostile), cookie_of(served)
    for method, path in operations(served, "hostile"):
        if method != "GET":
            assert ask(served, path, method, cookie, "{}")[0] == 403, (method, path)
    assert fingerprint(hostile) == before


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2f..%2fguard.py",
                                  "/static//etc/passwd", "/static/js/..%5c..%5capp.py"])  # fmt: skip
def test_no_file_outside_the_pages_is_served(served: Served, path: str) -> None:
    status, text = ask(served, path, headers=bearer(served))
    assert status in (400, 404)
    assert "import" not in text and "root:" not in text


def test_the_site_was_crawled_as_it_attacks(served: Served, hostile: Path) -> None:
    """Else these tests would find nothing because there is nothing."""
    assert HARD != ATTACK
    titles = [row["title"] for row in exported(hostile, "--all")]
    assert titles.count(ATTACK.strip()) >= 2
