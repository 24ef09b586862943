"""Text to terms: words, stop words, stems, and the ids by which everything else knows a term.

A term is a stem in the language of its page; its id is a hash of the stem, the same in every process and run. Each
distinct word is stemmed once, ever: a table leads from the word as it stands to its id (``forms``), and texts of many
pieces (DOM leaves, anchors) are cut up in one pass.

What counts as a term: letters, digits and marks in a row, lower case, NFC, diacritics kept. Left out: stop words,
single letters, numbers of more than four digits, words of more than forty characters. Scripts that do not part
words (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) give pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import Stemmer

from clew.model import Ints, TermIds
from clew.text.characters import nfc
from clew.text.forms import FORMS, FormTable, words_in
from clew.text.language import UNPARTED, code_of, language, stop_words

__all__ = ["Tokeniser", "language", "name", "term_id", "tokeniser"]

BOUNDARY = 0
"""Stands between two texts; no term has this id."""

DROPPED = 0xFFFFFFFF
"""Stands for what is no term; no term has this id."""

MAX_CHARS = 40
MAX_DIGITS = 4

NAMES = 1 << 19
"""Terms whose names a process remembers."""

_STEMMERS = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "cs": "czech", "da": "danish", "nl": "dutch",
    "en": "english", "eo": "esperanto", "et": "estonian", "fi": "finnish", "fr": "french", "de": "german",
    "el": "greek", "hi": "hindi", "hu": "hungarian", "id": "indonesian", "ga": "irish", "it": "italian",
    "lt": "lithuanian", "ne": "nepali", "no": "norwegian", "fa": "persian", "pl": "polish", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sr": "serbian", "st": "sesotho", "es": "spanish", "sv": "swedish",
    "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
_UNMARKED = frozenset(
    code
    for codes in (
        "en de fr es it pt nl ru sv da no fi pl cs sk sl hr bs hu ro et lv lt el bg uk be mk sr tr az ca eu gl eo ga ",
        "is id ms sq af cy la mt st zh ja ko",
    )
    for code in codes.split()
)
"""Languages whose NFC text needs no combining marks, so that the quicker word pattern does."""

_UNPARTED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"  # Hangul letters, kana
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"  # ideographs, Hangul
    "\U00020000-\U0003ffff\u3005\u3007"
)
_UNPARTED_RUN = re.compile(f"[{_UNPARTED}]+")
_FORMAT = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")  # soft hyphens and the like, inside words
_BETWEEN = re.compile(  # punctuation and symbols in UTF-8 that often stand between words without spaces
    rb"\xc2[\x80-\xa9\xab\xac\xae-\xb1\xb4\xb6-\xb8\xbb\xbf]|\xc3[\x97\xb7]"  # Latin-1
    rb"|\xe2(?:\x80[\x80-\x8a\x8e-\xbf]|\x81[\x80-\x9f\xa1-\xaf]"  # dashes, quotation marks, special spaces
    rb"|\x86[\x90-\xbf]|[\x87-\x90\x94-\x9c\x9f-\xaf][\x80-\xbf])"  # arrows, mathematics, boxes, dingbats
)
_PAD = b" " * 8
_TABLE = bytes(c if c >= 0x80 or not c else ord(chr(c).lower()) if chr(c).isalnum() else 0x20 for c in range(256))
"""Blanks out ASCII punctuation and lowers ASCII capitals."""

_TABLE_TURKISH = bytes(c if c >= 0x80 or not c or chr(c).isalnum() else 0x20 for c in range(256))
_TURKIC = frozenset({"tr", "az"})  # I is the capital of ı
_names: dict[int, str] = {}


def term_id(stem: str) -> int:
    """The 32-bit id of a stem (blake2b); never BOUNDARY nor DROPPED."""
    number = int.from_bytes(blake2b(stem.encode("utf-8", "replace"), digest_size=4).digest(), "little")
    return min(max(number, 1), DROPPED - 1)


def name(term_id: int) -> str:
    """The first word of a term that this process saw, for explanations; "" if it saw none."""
    return _names.get(term_id, "")


@lru_cache(maxsize=16)
def tokeniser(language: str) -> Tokeniser:
    """The process's tokeniser for a language (ISO 639-1; "" or one that is not known: words without stems)."""
    return Tokeniser(language)


class Tokeniser:
    """Cuts texts in one language into terms. Its answers depend on language and text alone.

    The quick way works on UTF-8: whatever stands between spaces, once ASCII punctuation is blanked out, is looked up
    as it is; only what was never seen before is examined. If something turns out to be several words (``α→β``,
    Chinese), the texts are cut up by the book. Both ways give the same terms.
    """

    def __init__(self, language: str) -> None:
        self.language = code_of(language)
        self.stems = self.language in _STEMMERS
        self._words = _word_pattern(self.language not in _UNMARKED).findall
        self._lexicon = _Lexicon(self.language, self._words)
        self._forms = FormTable(self._lexicon.of_form)
        self._table = _TABLE_TURKISH if self.language in _TURKIC else _TABLE

    def ids(self, text: str) -> TermIds:
        """The terms of one text, in order: uint32[t]."""
        return self.rows([text])[0]

    def words(self, text: str) -> list[str]:
        """The words of a text that make terms, in lower case and in order; of several with one term the first."""
        found: dict[int, str] = {}
        for word in self._words(_UNPARTED_RUN.sub(_pairs, _plain(text.replace("\x00", " ")))):
            number = self._lexicon[word]
            if number != DROPPED:
                found.setdefault(number, self._lexicon.lower(word))
        return list(found.values())

    def rows(self, texts: Sequence[str]) -> tuple[TermIds, Ints]:
        """The terms of many texts in one pass: uint32[t], and int32[n + 1] where each text's terms start."""
        if not texts:
            return np.empty(0, np.uint32), np.zeros(1, np.int32)
        joined = "\x00".join(texts)
        if joined.count("\x00") != len(texts) - 1:
            joined = "\x00".join(text.replace("\x00", " ") for text in texts)
        found = None if self.language in UNPARTED else self._quick(joined)
        return _split(self._thorough(joined)) if found is None else found

    def _quick(self, text: str) -> tuple[TermIds, Ints] | None:
        """The terms of texts parted by BOUNDARY characters; None if they must be cut up thoroughly."""
        raw = text.encode("utf-8", "replace")
        if len(raw) > len(text):
            raw = _BETWEEN.sub(b" ", raw)
        raw = raw.translate(self._table) + _PAD
        data = np.frombuffer(raw, np.uint8)
        starts, lengths = words_in(data)
        ids = self._forms.ids(raw, starts, lengths)
        if ids is None:
            return None
        kept = ids != DROPPED
        ends = starts[kept].searchsorted((data == BOUNDARY).nonzero()[0])
        terms = ids[kept]
        return terms, np.concatenate([[0], ends, [len(terms)]]).astype(np.int32)

    def _thorough(self, text: str) -> npt.NDArray[np.uint32]:
        """Ids of all words, BOUNDARY and DROPPED among them."""
        words = self._words(_UNPARTED_RUN.sub(_pairs, _plain(text)))
        return np.fromiter(map(self._lexicon.__getitem__, words), np.uint32, len(words))


class _Lexicon(dict[str, int]):
    """Words that were cut out by the book -> term ids, and what becomes of a word that was never met."""

    def __init__(self, language: str, words: Callable[[str], list[str]]) -> None:
        super().__init__({"\x00": BOUNDARY})
        self.words = words
        self.lower = _turkish_lower if language in _TURKIC else str.lower
        self.stem = _stemmer(language)
        self.stops = stop_words(language) if language else frozenset()

    def __missing__(self, word: str) -> int:
        if len(self) > FORMS:
            self.clear()
            self["\x00"] = BOUNDARY
        self[word] = number = self._id(self.lower(word))
        return number

    def of_form(self, raw: bytes) -> int | None:
        """The id of what stands between spaces, in UTF-8; None if that is several words."""
        words = self.words(_plain(raw.decode("utf-8", "replace")))
        if not words:
            return DROPPED
        if len(words) > 1 or (len(words[0]) > 1 and _UNPARTED_RUN.search(words[0])):
            return None
        return self._id(self.lower(words[0]))

    def _id(self, word: str) -> int:
        if word in self.stops or len(word) > MAX_CHARS or (word.isdecimal() and len(word) > MAX_DIGITS):
            return DROPPED
        if len(word) == 1 and not _UNPARTED_RUN.match(word):
            return DROPPED
        number = term_id(self.stem(word))
        if len(_names) < NAMES:
            _names.setdefault(number, word)
        return number


def _split(ids: npt.NDArray[np.uint32]) -> tuple[TermIds, Ints]:
    """Terms, and where each text's terms start, from ids with their boundaries."""
    terms = ids + np.uint32(1) > 1  # neither BOUNDARY nor DROPPED: DROPPED + 1 wraps to 0
    starts = np.cumsum(terms, dtype=np.int32)[ids == BOUNDARY]
    kept = ids[terms]
    return kept, np.concatenate([np.zeros(1, np.int32), starts, np.array([len(kept)], np.int32)])


def _stemmer(code: str) -> Callable[[str], str]:
    if code not in _STEMMERS:
        return str
    stem: Callable[[str], str] = Stemmer.Stemmer(_STEMMERS[code], 0).stemWord
    return stem


@lru_cache(maxsize=2)
def _word_pattern(marked: bool) -> re.Pattern[str]:
    """A word, or a boundary. The underscore counts as no letter."""
    if not marked:
        return re.compile(r"\x00|[^\W_]++")
    return re.compile(rf"\x00|(?:[^\W_]++|[{_marks()}]++)++")


def _marks() -> str:
    """All combining marks of the basic plane, as ranges of a character class."""
    ranges: list[list[int]] = []
    for point in range(0x300, 0xFE30):
        if unicodedata.category(chr(point)) in ("Mn", "Mc"):
            if ranges and ranges[-1][1] == point - 1:
                ranges[-1][1] = point
            else:
                ranges.append([point, point])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


@lru_cache(maxsize=1)
def _cluster() -> re.Pattern[str]:
    """A character with its combining marks."""
    return re.compile(rf"[^{_marks()}][{_marks()}]*|[{_marks()}]+")


def _clusters(run: str) -> list[str]:
    return _cluster().findall(run)


def _pairs(run: re.Match[str]) -> str:
    """A run of characters as overlapping pairs, between spaces."""
    marks = _clusters(run[0])
    pairs = [first + second for first, second in pairwise(marks)] or marks
    return f" {' '.join(pairs)} "


def _plain(text: str) -> str:
    """Composed (NFC), without invisible characters inside words."""
    return text if text.isascii() else nfc(_FORMAT.sub("", text))


def _turkish_lower(text: str) -> str:
    return text.replace("İ", "i").replace("I", "ı").lower()
