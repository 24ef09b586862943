"""Which language a text is in: what the page says, unless its letters or its commonest words speak against it.

Detection (py3langid, 76 MB of memory, half a second to load) is a last resort and is loaded when first needed.
Codes are ISO 639-1; both written forms of Norwegian are ``no``.
"""

from __future__ import annotations

import gzip
import math
import re
from collections import Counter
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

SAMPLE_CHARS = 600
"""How much text is looked at; detection takes 0.15 ms for it, and more text changes few answers."""

MIN_LETTERS = 24
"""With fewer letters a page's own word is taken as it is."""

SURE = 0.5
"""Least probability at which a detected language is believed where the page says nothing."""

VERY_SURE = 0.9
"""Least probability at which detection overrules what the page says."""

STOP_SHARE = 0.04
"""Running text in a language holds at least this share of its stop words (15 to 40 % is common)."""

UNKNOWN_SHARE = 1.0

COMMON = 2e-3
"""A stop word makes up more than one in five hundred of the running words of its language."""

_ALIASES = {
    "nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi", "jp": "ja", "cz": "cs", "gr": "el", "kr": "ko",
    "cn": "zh", "sh": "sr", "mo": "ro", "eng": "en", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "spa": "es",
    "ita": "it", "por": "pt", "nld": "nl", "dut": "nl", "rus": "ru", "swe": "sv", "dan": "da", "nor": "no",
    "fin": "fi", "ara": "ar", "zho": "zh", "chi": "zh", "jpn": "ja", "kor": "ko", "wuu": "zh", "yue": "zh",
    "arz": "ar", "ary": "ar", "fil": "tl",
}  # fmt: skip
_WORDFREQ = {"no": "nb", "tl": "fil", "hr": "sh", "bs": "sh"}

UNPARTED = frozenset({"zh", "ja", "ko", "th", "lo", "km", "my"})
"""Languages of which a run of letters is no word."""

_DETECTED = (
    "ar bg bn ca cs da de el en es et eu fa fi fr ga he hi hr hu hy id is it ja ko lt lv mk ms ne nl no pl pt ro ru sk "
    "sl sr sv sw ta th tl tr uk ur vi zh zxx am as az be gu ka kk km kn ky lo ml mn mr my or pa ps si te ug"
)
"""What is told apart: languages of many readers, or of a script of their own. Rare ones with Latin letters are left
out: they are what the detector sees in lists of names."""

_SCRIPTS = (
    ("Latn", "A-Za-z\u00c0-\u024f\u1e00-\u1eff"),
    ("Grek", "\u0370-\u03ff\u1f00-\u1fff"),
    ("Cyrl", "\u0400-\u052f"),
    ("Armn", "\u0530-\u058f"),
    ("Hebr", "\u0590-\u05ff"),
    ("Arab", "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff"),
    ("Deva", "\u0900-\u097f"),
    ("Beng", "\u0980-\u09ff"),
    ("Guru", "\u0a00-\u0a7f"),
    ("Gujr", "\u0a80-\u0aff"),
    ("Orya", "\u0b00-\u0b7f"),
    ("Taml", "\u0b80-\u0bff"),
    ("Telu", "\u0c00-\u0c7f"),
    ("Knda", "\u0c80-\u0cff"),
    ("Mlym", "\u0d00-\u0d7f"),
    ("Sinh", "\u0d80-\u0dff"),
    ("Thai", "\u0e00-\u0e7f"),
    ("Laoo", "\u0e80-\u0eff"),
    ("Mymr", "\u1000-\u109f"),
    ("Geor", "\u10a0-\u10ff"),
    ("Ethi", "\u1200-\u137f"),
    ("Khmr", "\u1780-\u17ff"),
    ("Kana", "\u3040-\u30ff"),
    ("Hang", "\u1100-\u11ff\uac00-\ud7af"),
    ("Hani", "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"),
)
_NO_LETTERS = bytes(code for code in range(0x80) if not chr(code).isalpha())
_LETTERS = bytes(code if chr(code).isalpha() and code < 0x80 else 0x20 for code in range(256))
_SCRIPT_RUNS = re.compile("|".join(f"(?P<{name}>[{span}]+)" for name, span in _SCRIPTS))
_WRITTEN = {  # languages in other scripts than Latin alone
    "el": "Grek", "ru": "Cyrl", "uk": "Cyrl", "be": "Cyrl", "bg": "Cyrl", "mk": "Cyrl", "sr": "Cyrl Latn",
    "ba": "Cyrl", "cv": "Cyrl", "os": "Cyrl", "ce": "Cyrl", "kk": "Cyrl Latn Arab", "ky": "Cyrl Arab",
    "mn": "Cyrl", "tg": "Cyrl", "tt": "Cyrl Latn", "uz": "Latn Cyrl", "az": "Latn Cyrl Arab", "tk": "Latn Cyrl",
    "bs": "Latn Cyrl", "hy": "Armn", "he": "Hebr", "yi": "Hebr", "ar": "Arab", "fa": "Arab", "ur": "Arab",
    "ps": "Arab", "ug": "Arab", "sd": "Arab Deva", "ku": "Latn Arab", "pa": "Guru Arab", "hi": "Deva", "mr": "Deva",
    "ne": "Deva", "sa": "Deva", "bn": "Beng", "as": "Beng", "gu": "Gujr", "or": "Orya", "ta": "Taml", "te": "Telu",
    "kn": "Knda", "ml": "Mlym", "si": "Sinh", "th": "Thai", "lo": "Laoo", "my": "Mymr", "ka": "Geor", "am": "Ethi",
    "ti": "Ethi", "km": "Khmr", "ja": "Kana Hani", "ko": "Hang Hani", "zh": "Hani",
}  # fmt: skip


def language(lang_attr: str, text: str) -> str:
    """The ISO 639-1 code of a text's language, "" if unknown; ``lang_attr`` is what the page says (``<html lang>``)."""
    said = code_of(lang_attr)
    sample = _sample(text)
    fits = bool(said) and _script_fits(said, sample)
    if fits and _stop_share(said, sample) >= STOP_SHARE:
        return said
    found, probability = _detect(sample)
    if fits:  # lists of names look like no language, and like any
        surely = found and probability >= VERY_SURE and STOP_SHARE <= _stop_share(found, sample) < UNKNOWN_SHARE
        return found if surely else said
    return found if probability >= SURE else ""


def code_of(tag: str) -> str:
    """The two-letter code that a language tag (``de-AT``, ``zh_Hans``, ``eng``) begins with, "" if none."""
    return _code_of(tag[:32])


@lru_cache(maxsize=1024)
def _code_of(tag: str) -> str:
    first = re.split(r"[-_,; ]", tag.strip().lower(), maxsplit=1)[0]
    first = _ALIASES.get(first, first)
    return first if re.fullmatch("[a-z]{2}", first) else ""


STOP_WORDS: dict[str, frozenset[str]] = {}
"""What this process knows of stop words, by language; worker processes are given it."""


def stop_words(code: str) -> frozenset[str]:
    """The words of a language so common that they say nothing about a topic, by wordfreq's lists; empty if unknown."""
    known = STOP_WORDS.get(code)
    if known is None:
        known = STOP_WORDS[code] = _stop_words(code)
    return known


def _stop_words(code: str) -> frozenset[str]:
    wanted = _WORDFREQ.get(code, code)
    by_frequency = [] if code in UNPARTED else frequency_bins(wanted)
    bins = by_frequency[: round(-100 * math.log10(COMMON))]
    common = [word for words in bins for word in words if not word.isdecimal()]
    # wordfreq writes Greek without final sigmas
    return frozenset(re.sub("σ$", "ς", word) for word in common) | frozenset(common)


def frequency_bins(code: str) -> list[list[str]]:
    """The words of a language by frequency, 10^(-i/100) at place i, by wordfreq's small lists; empty if it has none.

    The lists are read as they lie in the package: importing it takes ten times as long.
    """
    package = find_spec("wordfreq")
    folder = Path(package.origin or "").parent / "data" if package else Path()
    path = folder / f"small_{code}.msgpack.gz"
    if not path.is_file():
        return []
    bins: list[list[str]] = msgspec.msgpack.decode(gzip.decompress(path.read_bytes()))[1:]  # behind a header
    return bins


def _sample(text: str) -> str:
    """From a third of the way in: pages begin with navigation."""
    start = len(text) // 3 if len(text) > 2 * SAMPLE_CHARS else 0
    return text[start : start + SAMPLE_CHARS]


def _stop_share(code: str, sample: str) -> float:
    """The share of words that are stop words of a language; UNKNOWN_SHARE when that cannot be told."""
    words = _words(sample.lower())
    stops = stop_words(code) if len(words) >= MIN_LETTERS else None  # too few words to count
    return sum(map(stops.__contains__, words)) / len(words) if stops else UNKNOWN_SHARE


def _words(text: str) -> list[str]:
    """Runs of letters."""
    if text.isascii():
        return text.encode().translate(_LETTERS).decode().split()
    return re.findall(r"[^\W\d_]+", text)


def _script_fits(code: str, sample: str) -> bool:
    script = _script(sample)
    return not script or script in _WRITTEN.get(code, "Latn").split()


def _script(sample: str) -> str:
    """The script of most letters, "" when there are too few to tell."""
    if sample.isascii():
        return "Latn" if len(sample.encode().translate(None, _NO_LETTERS)) >= MIN_LETTERS else ""
    letters: Counter[str] = Counter()
    for run in _SCRIPT_RUNS.finditer(sample):
        # An ideograph or syllable stands for several letters.
        weight = 3 if run.lastgroup in ("Hani", "Hang", "Kana") else 1
        letters[run.lastgroup or ""] += weight * len(run[0])
    if letters["Kana"] * 5 > letters["Hani"]:  # Japanese mixes both
        letters["Kana"] += letters.pop("Hani", 0)
    name, count = letters.most_common(1)[0] if letters else ("", 0)
    return name if count >= MIN_LETTERS else ""


@lru_cache(maxsize=1)
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(_DETECTED.split())
    return identifier


def _detect(sample: str) -> tuple[str, float]:
    """The likeliest language and its probability; ("", 0) when the sample says too little."""
    if sum(map(str.isalpha, sample)) < MIN_LETTERS and _script(sample) in ("", "Latn"):
        return "", 0.0
    found, probability = _identifier().classify(sample)
    code = "" if found == "zxx" else code_of(found)
    return code, float(probability) if code else 0.0
