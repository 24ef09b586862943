"""Marking gives what walking gives, but for the visible text."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType
from hypothesis import given
from hypothesis import strategies as st

from clew.text import html, marking, taming
from support import shared

PIECES = st.sampled_from(
    [
        "<p>", "</p>", "<div>", "</div>", "<a href='/x'>", "<a href=y rel=nofollow>", "<a name=z>", "</a>", "<br>",
        "<hr>",
        "<img src=i alt='a picture'>", "<img>", "<table>", "<tr>", "<td>", "</td>", "</tr>", "</table>", "<td> </td>",
        "<ul><li>", "</li></ul>", "<span></span>", "<b>", "</b>", "<em> </em>", "<script>var a='<p>';</script>",
        "<style>p{}</style>", "<noscript><a href=n>n</a></noscript>", "<template><a href=t>t</a></template>",
        "<!-- <a href=c>c</a> -->", "<svg><a href=s>s</a><path/></svg>", "<svg>", "</svg>",
        "<iframe src=f title='a frame'></iframe>",
        "<iframe></iframe>", "<map><area href=m alt='an area'><area></map>", "<title>second</title>", "<base href=/b/>",
        "<link rel=next href=n2>", "<link rel=canonical href=c2>", "<meta name=robots content=nofollow>",
        "<meta http-equiv=refresh content='0;url=r'>", "<button>", "</button>", "<select><option>o</select>",
        "<textarea> </textarea>", "<input>", "<h1>", "</h1>", "<object><a href=o>o</object>", "\u00a0", " ", "\n",
        "text",
        "two words", "&amp;", "&lt;b&gt;", "<form>", "</form>", "<wbr>", "<dl><dt>", "<frameset>", "<frame src=fr>",
        "</body>", "<body class=x>", "<math><mi>x</mi></math>", "<video><source></video>",
    ]
)  # fmt: skip


def same(text: str) -> None:
    tamed = taming.tame(text)
    quick = marking.parse(tamed, 1_000)
    if quick is not None:
        assert asdict(quick) == asdict(html.parse(text, 1_000, keep_text=False)), text


@given(st.lists(PIECES, max_size=30), st.booleans())
def test_random_pages(pieces: list[str], whole: bool) -> None:
    body = "".join(pieces)
    same(
        f"<!DOCTYPE html><html lang=en><head><title> A  title </title></head><body>{body}</body></html>"
        if whole
        else body
    )


@pytest.mark.parametrize(
    "text",
    [
        "", "plain", "<p>", "<a href=x></a>", "<a href=x><img alt=hey></a>", "<a href=x>a<br>b</a>c", "<a href=x> </a>",
        "<table><tr><td></td><td> </td><td>x</td></tr></table>", "<frameset><frame src=a></frameset>",
        "<svg><a href=x>y</a></svg>", "<math href=x>y</math>", "<iframe srcdoc='<a href=x>'></iframe>",
        "<a href=1><object>" * 20 + "<p>x" * 20, "<template shadowrootmode=open><a href=x>y</a></template>",
        "<svg><template><a href=x>y</a></template></svg>", "<svg><NoScript><a href=x>y</a></svg>",
        "<noscript><a href=x>y</a></noscript><svg><path/></svg>", "<svg><desc><template><a href=x>y</a></svg>",
        "<math><iframe><a href=x>y</a></iframe></math>", "<math><area><a href=x>y</a></area></math>",
        "<IMAGE src=i alt=hey>text", "<A HREF=x><Image alt=hey></A>",
        "<TITLE>t</TITLE><META name=robots content=nofollow>",
        "<p>a\x01b</p>", "<html lang=de><p>x<a href=1>y</a><a href=2>z</a>",
    ],
)  # fmt: skip
def test_hand_made_pages(text: str) -> None:
    same(text)


@pytest.mark.parametrize("mark", ["\x02", "&#1;", "&#x1 ", "&#X0004;", "&#003x"])
def test_a_page_that_holds_marks_is_walked(mark: str) -> None:
    assert marking.parse(f"<p>a{mark}b</p>", 10) is None
    assert len(html.parse(f"<p>a{mark}b</p>").leaves) == 1


@pytest.mark.parametrize("text", ["&#10;", "&#x1a;", "&#x2d", "&#40;", "&#"])
def test_other_references_are_no_marks(text: str) -> None:
    assert marking.parse(f"<p>a{text}b</p>", 10) is not None


@pytest.mark.parametrize("name", ["wiki", "webkb"])
def test_real_pages(name: str) -> None:
    quick = 0
    with shared(f"webs/{name}.warc.gz").open("rb") as stream:
        for number, record in enumerate(ArchiveIterator(stream, record_types=WarcRecordType.response)):
            text = record.reader.read().decode("utf-8", "replace").replace("\x00", "")
            if number >= 300:
                break
            same(text)
            quick += marking.parse(taming.tame(text), 1_000) is not None
    assert quick >= 290
