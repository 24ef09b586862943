"""The provider mediawiki against a real MediaWiki: Debian's package, SQLite, PHP's own web server, on loopback only."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

from clew.urls.canonical import canonical
from clew.web.providers import mediawiki
from clew.web.providers.mediawiki import MediaWiki
from support import clew_json

CODE = Path("/usr/share/mediawiki")
NEEDED = {"pdo_sqlite", "mbstring", "xml"}
ODD = 'C++ & 100% "q"?'
PAGES = {
    "Sailing": "Boats with sails. See [[Sail]], [[Ä b?]] and [[Sailing]] itself.",
    "Yachting": "#REDIRECT [[Sailing]]",
    "Double": "#REDIRECT [[Yachting]]",
    "Regatta": 'Races, <b>see</b> [[yachting]] & the [[Chernoff bound]], "fair".',
    ODD: "A [[Sailing|sport]] with boats.",
    "Ä b?": "Boats of [[sailing]].",
    "A/b c": "No link here, but boats.",
    "Talk:Sailing": "Talk about [[Sailing]] boats.",
}
SETTINGS = """
$wgServer = getenv( "WIKI_SERVER" );
$wgArticlePath = getenv( "WIKI_ARTICLES" );
"""
ROUTER = f"""<?php
$path = parse_url( $_SERVER["REQUEST_URI"], PHP_URL_PATH );
if ( $path === "/w/api.php" ) {{
    require "{CODE}/api.php";
}} elseif ( preg_match( "~^/(w/index\\\\.php|wiki)(/|$)~", $path ) ) {{
    $_SERVER["SCRIPT_NAME"] = "/w/index.php";
    require "{CODE}/index.php";
}} else {{
    http_response_code( 404 );
}}
"""
FORMS = ["/wiki/$1", "/w/index.php?title=$1", "/w/index.php/$1"]


def missing() -> str:
    """Why MediaWiki cannot run here; "" when it can."""
    if not (CODE / "maintenance" / "install.php").is_file() or not shutil.which("php"):
        return "Debian's mediawiki and php-cli are not installed"
    done = subprocess.run(["php", "-m"], capture_output=True, text=True, timeout=20, check=False)
    absent = sorted(NEEDED - set(done.stdout.lower().split()))
    return f"PHP has no {', '.join(absent)} (packages php-sqlite3, php-mbstring, php-xml)" if absent else ""


def php(folder: Path, script: str, *arguments: str, text: str = "") -> None:
    """Run a maintenance script on the wiki in ``folder``."""
    command = ["php", f"{CODE}/maintenance/{script}.php", *arguments]
    given = {**os.environ, **variables(folder, "http://127.0.0.1", FORMS[0])}
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, env=given, check=False)
    assert done.returncode == 0, f"{script}: {done.stdout[-2_000:]}{done.stderr[-2_000:]}"


def variables(folder: Path, server: str, articles: str) -> dict[str, str]:
    return {"MW_CONFIG_FILE": str(folder / "LocalSettings.php"), "WIKI_SERVER": server, "WIKI_ARTICLES": articles}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wiki that holds PAGES, some 5 s to make."""
    reason = missing()
    if reason:
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("wiki")
    (folder / "data").mkdir()
    options = ["--dbtype", "sqlite", "--dbname", "wiki", "--dbpath", str(folder / "data"), "--scriptpath", "/w"]
    options += ["--server", "http://127.0.0.1", "--confpath", str(folder), "--pass", "only-for-this-test-9"]
    php(folder, "install", *options, "Test wiki", "Admin")
    with (folder / "LocalSettings.php").open("a", encoding="utf-8") as file:
        file.write(SETTINGS)
    (folder / "router.php").write_text(ROUTER, encoding="utf-8")
    for title, wikitext in PAGES.items():
        php(folder, "edit", "--bot", title, text=wikitext)
    php(folder, "rebuildtextindex")
    php(folder, "runJobs")
    return folder


@contextmanager
def served(folder: Path, articles: str) -> Iterator[str]:
    """The root address of the wiki, its articles at addresses of that form."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    root = f"http://{address}"
    given = {**os.environ, **variables(folder, root, articles)}
    command = ["php", "-S", address, "-t", str(folder / "data"), str(folder / "router.php")]
    with (folder / "server.log").open("ab") as log:
        process = subprocess.Popen(command, env=given, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        wait_for(f"{root}/none", process)
        yield root
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)


def wait_for(url: str, process: subprocess.Popen[bytes], seconds: float = 20) -> None:
    """Until something answers there."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert process.poll() is None, "PHP's web server has ended"
        try:
            urlopen(url, timeout=5).close()
        except URLError as error:
            if hasattr(error, "code"):
                error.close()  # type: ignore[attr-defined]
                return
            time.sleep(0.05)
    raise AssertionError(f"nothing answers at {url}")


def read(url: str) -> str:
    with urlopen(url, timeout=20) as answer:
        return str(answer.read(), "utf-8")


def addresses(root: str) -> dict[str, str]:
    """Title to canonical URL as the wiki itself tells it."""
    found: dict[str, str] = {}
    for namespace in ("0", "1"):
        asked = {"generator": "allpages", "gaplimit": "50", "gapnamespace": namespace, "prop": "info", "inprop": "url"}
        query = urlencode({"action": "query", "format": "json", "formatversion": "2", **asked})
        pages: list[dict[str, Any]] = json.loads(read(f"{root}/w/api.php?{query}"))["query"]["pages"]
        found |= {page["title"]: canonical(page["fullurl"]) for page in pages}
    return found


@pytest.mark.parametrize("articles", FORMS)
async def test_search_and_backlinks(articles: str, installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Addresses are those of the wiki; every hit and every back-link is there, over several answers too."""
    monkeypatch.setattr(mediawiki, "MOST_AT_ONCE", 2)
    with served(installed, articles) as root:
        known = addresses(root)
        assert set(PAGES) | {"Main Page"} == set(known)
        wiki = MediaWiki(f"{root}/w")
        try:
            hits = await wiki.search("boats", 50)
            assert {hit.title: hit.url for hit in hits} == {
                title: known[title] for title in ("Sailing", ODD, "Ä b?", "A/b c")
            }
            assert hits[0].snippet and "<" not in hits[0].snippet
            assert [hit.url for hit in await wiki.search("boats", 3)] == [hit.url for hit in hits[:3]]
            assert await wiki.search("unheardof", 5) == []
            assert [hit.url for hit in await wiki.search("regatta", 5)] == [known["Regatta"]]  # a word of its title
            linking = await wiki.backlinks(known["Sailing"], 50)
            assert sorted(linking) == sorted(known[title] for title in ("Regatta", ODD, "Ä b?"))
            assert await wiki.backlinks(known["Sailing"], 2) == linking[:2]
            assert await wiki.backlinks(known["Ä b?"], 9) == [known["Sailing"]]
            assert await wiki.backlinks(known[ODD], 9) == []
            assert await wiki.backlinks(known["Sailing"].replace("Sailing", "A%5Bb"), 9) == []  # no title at all
            assert await wiki.backlinks("http://elsewhere.test/wiki/Sailing", 9) == []
        finally:
            await wiki.close()
        for title in ("Sailing", ODD):
            assert '"wgIsArticle":true' in await asyncio.to_thread(read, known[title]), title


async def test_namespaces(installed: Path) -> None:
    with served(installed, FORMS[0]) as root:
        known = addresses(root)
        for namespaces in ("0|1", "*"):
            wiki = MediaWiki(f"{root}/w/api.php", namespaces=namespaces)
            found = [hit.title for hit in await wiki.search("boats", 50)]
            linking = await wiki.backlinks(known["Sailing"], 50)
            await wiki.close()
            assert "Talk:Sailing" in found and known["Talk:Sailing"] in linking


def test_init_asks_the_wiki(installed: Path, tmp_path: Path) -> None:
    with served(installed, FORMS[0]) as root:
        known = addresses(root)
        made = clew_json("init", tmp_path / "p", "--query", "boats", "--search", f"mediawiki:{root}/w")
        assert made["seeds"] == 4
        seeds = (tmp_path / "p" / "seeds.txt").read_text(encoding="utf-8").splitlines()
    assert set(seeds) == {known[title] for title in ("Sailing", ODD, "Ä b?", "A/b c")}
