"""Reading and writing bookmark files."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest
from tests.support import shared

from clew.errors import InputError
from clew.topics.bookmarks import read_bookmarks, write_bookmarks
from clew.topics.entry import Entry

# Worked out from the files, without the reader: [folder], then the URLs in it, in the order of the file. Links of
# Firefox's own (place:), of Shaarli's own notes (?KvNdlQ) and inside descriptions are none.
EXPECTED = {
    "chromium_flat.htm": """
[]
https://cozy.io/en/
https://framasoft.org/
https://www.kernel.org/
https://regexcrossword.com/
http://www.windows93.net/
http://stackoverflow.com/questions/2609857/are-there-any-worse-sorting-algorithms-than-bogosort-a-k-a-monkey-sort
https://github.com/lhartikk/ArnoldC
https://openclassrooms.com/
http://lotrproject.com/blog/2013/02/08/timeline-of-the-elves-in-tolkiens-works/
""",
    "chromium_nested.htm": """
[Personal toolbar]
http://www.jabber.org/
[]
https://regexcrossword.com/
http://www.windows93.net/
http://lotrproject.com/blog/2013/02/08/timeline-of-the-elves-in-tolkiens-works/
[Dev]
[Dev/PHP]
http://www.php-fig.org/psr/
http://stackoverflow.com/questions/249664/best-practices-to-test-protected-methods-with-phpunit/2798203#2798203
[Dev/Python]
https://checkio.org/
https://tox.readthedocs.io/en/latest/
http://www.sphinx-doc.org/en/stable/
[Dev]
https://github.com/lhartikk/ArnoldC
http://stackoverflow.com/questions/2609857/are-there-any-worse-sorting-algorithms-than-bogosort-a-k-a-monkey-sort
[MOOC]
https://openclassrooms.com/
https://www.coursera.org/
[Linux, Unix OS,Other stuff]
https://www.kernel.org/
[Self-hosting]
https://cozy.io/en/
https://framasoft.org/
https://github.com/shaarli/Shaarli
https://owncloud.org/
""",
    "delicious.htm": """
[]
https://support.mozilla.org/en-US/kb/export-firefox-bookmarks-to-backup-or-transfer
https://msdn.microsoft.com/en-us/library/aa753582%28v=vs.85%29.aspx
https://sebastian-bergmann.de/archives/881-Testing-Your-Privates.html
http://storml.deviantart.com/art/Mine-Turtle-Instructions-302477240?q=in%3Ascraps%20sort%3Atime%20gallery%3Astorml&qo=1
http://fontfamily.io/
""",
    "delicious_sanitize.htm": """
[]
http://spip.pastebin.fr/28921
http://www.la-grange.net/2013/09/07/changement
""",
    "firefox_flat.htm": """
[]
https://github.com/kafene/netscape-bookmark-parser
http://www.lua.org/pil/
http://phpsecurity.readthedocs.io/en/latest/index.html
http://www.commitstrip.com/en/2016/02/10/true-story-one-code-review-too-many/
http://whistlestudios.com/2016/03/how-to-run-a-meetup-without-giving-up-your-life/
http://nautil.us/blog/the-most-important-object-in-computer-graphics-history-is-this-teapot
https://github.com/samhocevar/wincompose
http://hginit.com/
http://blog.deadpansincerity.com/2011/05/announcing-pony-mode-a-django-editing-mode-for-emacs/
http://www.bofh.net/sl_Purity.html
http://lotrproject.com/blog/2013/02/08/timeline-of-the-elves-in-tolkiens-works/
http://xkcd.com/1332/
http://gaming.stackexchange.com/questions/21261/is-it-dangerous-to-go-extreme-pig-riding-in-a-thunderstorm
http://catb.org/~esr/faqs/smart-questions.html
http://c2.com/cgi/wiki?HeroicProgramming
http://www.biostat.jhsph.edu/courses/bio621/misc/Chocolate%20consumption%20cognitive%20function%20and%20nobel%20laurates%20%28NEJM%29.pdf
http://www.statisticsdonewrong.com/
http://joshmillard.com/garkov/
https://prism-break.org/en/
http://spikedmath.com/570.html
[Personal toolbar]
https://www.mozilla.org/en-US/firefox/central/
""",
    "firefox_nested.htm": """
[]
http://lotrproject.com/blog/2013/02/08/timeline-of-the-elves-in-tolkiens-works/
[Comics]
http://www.commitstrip.com/en/2016/02/10/true-story-one-code-review-too-many/
http://xkcd.com/1332/
http://joshmillard.com/garkov/
http://spikedmath.com/570.html
[Dev]
http://www.lua.org/pil/
http://nautil.us/blog/the-most-important-object-in-computer-graphics-history-is-this-teapot
http://hginit.com/
http://blog.deadpansincerity.com/2011/05/announcing-pony-mode-a-django-editing-mode-for-emacs/
http://c2.com/cgi/wiki?HeroicProgramming
http://www.statisticsdonewrong.com/
[Dev/PHP]
https://github.com/kafene/netscape-bookmark-parser
http://phpsecurity.readthedocs.io/en/latest/index.html
[Dev]
http://www.biostat.jhsph.edu/courses/bio621/misc/Chocolate%20consumption%20cognitive%20function%20and%20nobel%20laurates%20%28NEJM%29.pdf
[FLOSS]
http://whistlestudios.com/2016/03/how-to-run-a-meetup-without-giving-up-your-life/
https://github.com/samhocevar/wincompose
http://www.bofh.net/sl_Purity.html
http://catb.org/~esr/faqs/smart-questions.html
https://prism-break.org/en/
[Games]
http://gaming.stackexchange.com/questions/21261/is-it-dangerous-to-go-extreme-pig-riding-in-a-thunderstorm
[Personal toolbar]
https://www.mozilla.org/en-US/firefox/central/
""",
    "google_bookmarks_nested.htm": """
[Unlabeled]
https://www.wordhippo.com/
https://stackoverflow.com/questions/20180072/move-files-into-alphabetically-named-folders
http://www.searchq.com/
https://www.opennic.org/
https://www.imdb.com/title/tt4302938/
https://nextace.com/
""",
    "internet_explorer_11_flat.htm": """
[]
https://coderwall.com/p/euwpig/a-better-git-log
https://www.owasp.org/index.php/Authentication_Cheat_Sheet
https://www.clicktorelease.com/code/css3dclouds/#
https://help.github.com/articles/dealing-with-line-endings/#platform-all
http://www.publiccollectors.org/MSPaintAlbumCovers.htm
http://developerexcuses.com/
http://www.xwray.com/fiftyshades
https://github.com/originell/django-kittenstorage
http://c2.com/cgi/wiki?HeroicProgramming
http://hginit.com/
http://www.brendangregg.com/Specials/mkzombie.c
http://lizclimo.tumblr.com/post/132165201759/bonus-comic-for-national-cat-day
http://io9.gizmodo.com/learn-to-write-gallifreyan-in-9-simple-steps-506989915
http://lmgtfy.com/
http://phpsadness.com/
https://www.youtube.com/watch?v=KExLCJAuTXA
http://ars.userfriendly.org/cartoons/?id=19971206
http://jakevdp.github.io/blog/2013/07/10/XKCD-plots-in-matplotlib/
""",
    "internet_explorer_11_nested.htm": """
[Comics]
http://lizclimo.tumblr.com/post/132165201759/bonus-comic-for-national-cat-day
http://ars.userfriendly.org/cartoons/?id=19971206
[Dev]
[Dev/PHP]
http://phpsadness.com/
[Dev/Python]
https://github.com/originell/django-kittenstorage
http://jakevdp.github.io/blog/2013/07/10/XKCD-plots-in-matplotlib/
[Dev/SCM]
https://coderwall.com/p/euwpig/a-better-git-log
https://help.github.com/articles/dealing-with-line-endings/#platform-all
http://hginit.com/
[Dev]
https://www.owasp.org/index.php/Authentication_Cheat_Sheet
https://www.clicktorelease.com/code/css3dclouds/#
http://developerexcuses.com/
http://www.xwray.com/fiftyshades
http://c2.com/cgi/wiki?HeroicProgramming
http://www.brendangregg.com/Specials/mkzombie.c
[Links]
[Microsoft Websites]
http://go.microsoft.com/fwlink/?LinkId=50893
http://go.microsoft.com/fwlink/?linkid=44661
http://go.microsoft.com/fwlink/?linkid=55424
http://go.microsoft.com/fwlink/?linkid=68920
http://go.microsoft.com/fwlink/?linkid=140813
[Music]
http://www.publiccollectors.org/MSPaintAlbumCovers.htm
https://www.youtube.com/watch?v=KExLCJAuTXA
[Windows Live]
http://go.microsoft.com/fwlink/?LinkId=69172
http://go.microsoft.com/fwlink/?LinkId=70742
http://go.microsoft.com/fwlink/?LinkId=68925
http://go.microsoft.com/fwlink/?LinkId=68927
[]
http://io9.gizmodo.com/learn-to-write-gallifreyan-in-9-simple-steps-506989915
http://lmgtfy.com/
""",
    "netscape_basic.htm": """
[]
https://private.tld
http://public.tld
""",
    "netscape_extended.htm": """
[]
https://www.bbc.com/future/article/20190213-the-dramatic-hunt-for-the-fish-pirates-exploiting-our-seas
""",
    "netscape_multiline.htm": """
[]
http://multi.li.ne/1
http://multi.li.ne/2
http://multi.li.ne/3
""",
    "netscape_nested.htm": """
[]
http://nest.ed/1
[Folder1, the first,folder to encounter]
http://nest.ed/1-1
http://nest.ed/1-2
[Folder2]
http://nest.ed/2-1
http://nest.ed/2-2
[Folder3]
[Folder3/Folder3-1]
http://nest.ed/3-1
http://nest.ed/3-2
[]
http://nest.ed/2
""",
    "safari_folded.htm": """
[Favoris]
https://github.com/
[Menu Signets]
[Github - Shaarli]
https://github.com/shaarli/Shaarli
[Autre Divers]
[Autre Divers/doc]
https://en.wikipedia.org/wiki/Main_Page
""",
    "scuttle.htm": """
[]
http://eurovoc.europa.eu/drupal/?q=navigation&cl=en
http://iate.europa.eu/iatediff/SearchByQueryLoad.do?method=load
http://www.linguee.de/deutsch-englisch/search
http://unterm.un.org/dgaacs/gts_term.nsf
""",
    "scuttle_new_line.htm": """
[]
http://funky16corners.com
""",
    "shaarli.htm": """
[]
http://nautil.us/blog/the-most-important-object-in-computer-graphics-history-is-this-teapot
https://sebastian-bergmann.de/archives/881-Testing-Your-Privates.html
http://storml.deviantart.com/art/Mine-Turtle-Instructions-302477240?q=in%3Ascraps%20sort%3Atime%20gallery%3Astorml&qo=1
https://github.com/shaarli/Shaarli/wiki
http://sebsauvage.net/paste/?8434b27936c09649#bR7XsXhoTiLcqCpQbmOpBi3rq2zzQUC5hBI7ZT1O3x8=
""",
    "shaarli_legacy.htm": """
[]
https://gist.github.com/rodrigomuniz/8408734
https://www.addedbytes.com/articles/for-beginners/url-rewriting-for-beginners/
""",
    "shaarli_markdown.htm": """
""",
    "shaarli_with_tabs_and_spaces.htm": """
""",
    "shaarli_with_whitespace_tags.htm": """
""",
}


def _read(tmp_path: Path, html: str | bytes) -> list[Entry]:
    file = tmp_path / "bookmarks.html"
    file.write_bytes(html if isinstance(html, bytes) else html.encode())
    return list(read_bookmarks(file))


def _expected(table: str) -> tuple[list[tuple[str, str]], list[str]]:
    """(folder, URL) of each link; every folder once."""
    links, folders, folder = [], dict[str, None](), ""
    for line in table.splitlines():
        if line.startswith("["):
            folder = line[1:-1]
            folders[folder] = None
        elif line:
            links.append((folder, line))
    return links, [name for name in folders if name]


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_every_link_and_folder_of_real_exports_comes_out(name: str) -> None:
    entries = list(read_bookmarks(shared(f"hostile/bookmarks/{name}")))
    links, folders = _expected(EXPECTED[name])
    assert [("/".join(entry.path), entry.url) for entry in entries if entry.url] == links
    assert ["/".join(entry.path) for entry in entries if not entry.url] == folders


def test_no_export_is_left_out_of_the_table() -> None:
    assert {path.name for path in shared("hostile/bookmarks").iterdir()} == {*EXPECTED, "empty.htm"}


def test_empty_export_is_refused_with_advice() -> None:
    with pytest.raises(InputError, match=r"empty\.htm: the file is empty; export"):
        read_bookmarks(shared("hostile/bookmarks/empty.htm"))


@pytest.mark.parametrize(
    ("name", "index", "entry"),
    [
        (
            "netscape_basic.htm",
            0,
            Entry(
                (),
                "https://private.tld",
                "Secret stuff",
                "Super-secret stuff you're not supposed to know about",
                ("private", "secret"),
                971175336.0,  # 10/Oct/2000:13:55:36 +0300
            ),
        ),
        (
            "netscape_multiline.htm",
            2,
            Entry(
                (),
                "http://multi.li.ne/3",
                "Multiline desc",
                "List:\n- item1\n- item2\n\nParagraph number one.\n\nParagraph\nnumber\ntwo.",
                ("multi",),
                1456433747.0,
            ),
        ),
        (
            "netscape_nested.htm",
            4,
            Entry(("Folder2",), "", "", "This second folder contains wonderful links!", (), 1456433722.0),
        ),
        (
            "netscape_nested.htm",
            0,
            Entry((), "http://nest.ed/1", "Nested 1", "", ("tag1", "tag2", "multi word"), 1456433741.0),
        ),
        (
            "scuttle.htm",
            0,
            Entry(
                (),
                "http://eurovoc.europa.eu/drupal/?q=navigation&cl=en",
                "EuroVoc Thesaurus",
                "Multilingual Thesaurus of the European Union",
                ("dictionary",),
                1298020913.0,
            ),
        ),
        (
            "google_bookmarks_nested.htm",
            3,
            Entry(("Unlabeled",), "http://www.searchq.com/", "Free Lien Search", "", (), 1523996185.317575),
        ),
        (
            "delicious_sanitize.htm",
            0,
            Entry(
                (),
                "http://spip.pastebin.fr/28921",
                "spip pastebin - outil de debug collaboratif - Bonjour les écureuils !",
                "Text\n#CLE ---> #VALEUR",
                ("spip3", "astuces"),
                1380651656.0,
            ),
        ),
    ],
)
def test_titles_descriptions_tags_and_dates(name: str, index: int, entry: Entry) -> None:
    assert list(read_bookmarks(shared(f"hostile/bookmarks/{name}")))[index] == entry


def test_only_web_links_count(tmp_path: Path) -> None:
    urls = [
        "javascript:alert(1)",
        "place:sort=8",
        "data:text/html,x",
        "about:config",
        "?note",
        "ftp://a.test/",
        "http://",
    ]
    rows = "".join(f'<DT><A HREF="{url}">x</A>' for url in [*urls, "HTTP://a.test/1", " https://b.test/ "])
    assert [entry.url for entry in _read(tmp_path, f"<DL>{rows}</DL>")] == ["HTTP://a.test/1", "https://b.test/"]


def test_parameters_are_no_character_references(tmp_path: Path) -> None:
    html = "<DL><DT><A HREF='http://a.test/?x=1&copy=2&sect=3&amp;reg=4&#38;y'>R&amp;D &copy; 1</A></DL>"
    (entry,) = _read(tmp_path, html)
    assert entry.url == "http://a.test/?x=1&copy=2&sect=3&reg=4&y"
    assert entry.title == "R&D © 1"


@pytest.mark.parametrize(
    "markup", ["<script>", "<style>", "<title>", "<textarea>", "<table><select>", "<a name=x>", "<b", "<!-- x"]
)
def test_markup_left_open_in_a_description_costs_no_link(tmp_path: Path, markup: str) -> None:
    html = f"<DL><DT><A HREF=http://a.test/1>1</A>\n<DD>see {markup}\n<DT><A HREF=http://a.test/2>2</A></DL>"
    assert [entry.url for entry in _read(tmp_path, html)] == ["http://a.test/1", "http://a.test/2"]


def test_unbalanced_lists_and_nameless_folders(tmp_path: Path) -> None:
    html = (
        "</DL></DL><DT><A HREF=http://a.test/1>1</A><DL><DT><H3></H3><DL><DT><A HREF=http://a.test/2>2</A></DL>"
        "<DT><H3>Open<DL><DT><A HREF=http://a.test/3>3"
    )
    found = [(entry.path, entry.url, entry.title) for entry in _read(tmp_path, html)]
    assert found == [
        ((), "http://a.test/1", "1"),
        ((), "http://a.test/2", "2"),
        (("Open",), "", ""),
        (("Open",), "http://a.test/3", "3"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        "<META HTTP-EQUIV=Content-Type CONTENT='text/html; charset=windows-1251'><DL><DT><H3>Наука</H3></DL>".encode(
            "cp1251"
        ),
        "<DL><DT><H3>Наука</H3></DL>".encode("utf-16"),
        "<DL><DT><H3>Наука</H3></DL>".encode("utf-8-sig"),
    ],
    ids=["cp1251", "utf-16", "utf-8-sig"],
)
def test_charsets(tmp_path: Path, body: bytes) -> None:
    assert [entry.path for entry in _read(tmp_path, body)] == [("Наука",)]


@pytest.mark.parametrize("body", [b'{"roots": {}}', b"%PDF-1.4 \xff\xfe", b"<p><a href='http://a.test/'>x</a></p>"])
def test_foreign_files_are_refused_with_advice(tmp_path: Path, body: bytes) -> None:
    with pytest.raises(InputError, match=r"bookmarks\.html: this is no bookmark file .*as HTML"):
        _read(tmp_path, body)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.html: cannot be read: No such file"):
        read_bookmarks(tmp_path / "none.html")


def test_export_without_a_bookmark_is_just_empty(tmp_path: Path) -> None:
    assert _read(tmp_path, "<!DOCTYPE NETSCAPE-Bookmark-file-1><H1>Bookmarks</H1><DL><p></DL><p>") == []


def test_round_trip(tmp_path: Path) -> None:
    entries = [
        Entry((), "http://a.test/?x=1&copy=2", 'R&D "quoted" <b>', "two\nlines & <DT>", ("php dev",), 1456433741.0),
        Entry((), "http://a.test/ж"),
        Entry(("A & B",), description="of the folder", added=5.0),
        Entry(("A & B",), "https://b.test/", "b", "", ("x", "y z")),
        Entry(("A & B", "deeper"), "", ""),
        Entry(("A & B", "deeper"), "https://c.test/", "c"),
        Entry(("empty",)),
    ]
    write_bookmarks(entries, tmp_path / "out.html")
    expected = [*entries]
    expected[1] = Entry((), "http://a.test/ж", "http://a.test/ж")  # a link is never without a name
    assert list(read_bookmarks(tmp_path / "out.html")) == expected


@pytest.mark.parametrize("name", ["firefox_nested.htm", "chromium_nested.htm", "internet_explorer_11_nested.htm"])
def test_round_trip_of_real_exports(tmp_path: Path, name: str) -> None:
    entries = list(read_bookmarks(shared(f"hostile/bookmarks/{name}")))
    write_bookmarks(entries, tmp_path / "out.html")
    again = list(read_bookmarks(tmp_path / "out.html"))
    assert sorted(again, key=repr) == sorted(entries, key=repr)
    write_bookmarks(again, tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "out.html").read_bytes()


def test_ten_thousand_links_in_three_seconds_of_cpu(tmp_path: Path) -> None:
    icon = "data:image/png;base64," + "A" * 1_000
    rows = "".join(f'<DT><A HREF="http://a.test/{n}" ICON="{icon}" TAGS="a,b">t</A><DD>d\n' for n in range(10_000))
    started = time.process_time()
    assert len(_read(tmp_path, f"<DL>{rows}</DL>")) == 10_000
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    "piece", ["<", "<a ", "<!--", "&", "<dl>", '<a href="', "<a href='\"", "<?", "</", "<a x= ", "<a =\"'", "-->"]
)
def test_time_grows_with_the_length_only(tmp_path: Path, piece: str) -> None:
    started = time.process_time()
    _read(tmp_path, "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF=http://a.test/>x" + piece * 50_000)
    assert time.process_time() - started < 3


def test_folders_nested_without_end_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"bookmarks\.html: folders are nested more than 200 deep"):
        _read(tmp_path, "<DL><DT><H3>x</H3>" * 300)


@pytest.mark.parametrize("between", ["</DL>", "<DT><A HREF=http://a.test/1>1</A>"])
def test_folder_without_a_list_takes_no_later_links(tmp_path: Path, between: str) -> None:
    html = f"<DL><DT><H3>Empty</H3>{between}<DL><DT><A HREF=http://a.test/2>2</A></DL>"
    assert [entry.path for entry in _read(tmp_path, html)][-1] == ()


def test_links_that_lead_nowhere_on_the_web_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "b.html"
    urls = ("http://a.test/", "javascript:alert(1)", "PLACE:type=6", "place:x", "?note", "", "data:,x")
    file.write_text("<DL>" + "".join(f'<DT><A HREF="{url}">x</A>' for url in urls) + "<DT><A NAME=x>y</A></DL>")
    left_out: Counter[str] = Counter()
    assert [entry.url for entry in read_bookmarks(file, left_out)] == ["http://a.test/"]
    assert left_out == {"javascript:": 1, "place:": 2, "": 2, "data:": 1}
