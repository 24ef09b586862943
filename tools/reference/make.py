"""Makes the table of document frequencies that ships with Clew. Run it in Clew's own environment:

    python tools/reference/make.py fetch FOLDER     downloads the packages of sources.toml (1.2 GB) with apt
    python tools/reference/make.py build FOLDER     reads them and writes src/clew/judges/data/reference.npz

The same packages give the same table, to the byte. README.md tells the sources, their licences and the choices.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from documents import FORMATS, description_texts, package_files

from clew.judges.reference import Reference, pack
from clew.model import TermIds
from clew.text.language import code_of, language
from clew.text.terms import tokeniser

HERE = Path(__file__).parent
OUT = HERE.parents[1] / "src" / "clew" / "judges" / "data" / "reference.npz"

LEAST_TERMS, MOST_TERMS = 20, 500
"""A document holds so many terms (stop words do not count: some 40 to 1000 words); longer texts are cut up."""

LEAST_DF, MOST_KEPT = 3, 30_000
"""A term stands in so many documents at least; of a language so many terms are kept, those in most documents."""

LEAST_DOCUMENTS = 1_500
"""A language of fewer documents gets no table."""


class Document(NamedTuple):
    """One text: a number that depends on its terms alone, by which equal documents are found; distinct ids."""

    number: int
    ids: TermIds


def main() -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["fetch", "build"])
    parser.add_argument("folder", type=Path, help="where the packages are kept; nothing is installed")
    parser.add_argument("--out", type=Path, default=OUT, help="the table to write")
    parser.add_argument("--jobs", type=int, default=2, help="processes that read packages")
    options = parser.parse_args()
    sources = tomllib.loads((HERE / "sources.toml").read_text(encoding="utf-8"))
    if options.command == "fetch":
        fetch(options.folder, sources)
    else:
        build(options.folder, sources, options.out, options.jobs)
    return 0


def packages_of(source: dict[str, Any]) -> list[tuple[str, str]]:
    """Names of a source's packages, and the ending that each was made from ("" if none)."""
    names = [source["package"]] if isinstance(source["package"], str) else source["package"]
    return [(name.replace("{}", ending), ending) for name in names for ending in source.get("endings", [""])]


def fetch(folder: Path, sources: dict[str, Any]) -> None:
    """Download packages and descriptions with apt into ``folder``, beside the system's own lists."""
    for name in ("lists/partial", "debs"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    wanted = "".join(f'"{one}";' for one in sources["descriptions"]["translations"])
    config = folder.resolve() / "apt.conf"
    lists = config.parent / "lists"
    text = f'#clear Acquire::Languages;\nAcquire::Languages {{ {wanted} }};\nDir::State::lists "{lists}";\n'
    config.write_text(text + 'APT::Sandbox::User "root";\n', encoding="utf-8")
    subprocess.run(["apt-get", "-c", str(config), "update"], check=True)
    names = sorted({name for source in sources["source"] for name, _ in packages_of(source)})
    subprocess.run(["apt-get", "-c", str(config), "download", *names], check=True, cwd=folder / "debs")


def build(folder: Path, sources: dict[str, Any], out: Path, jobs: int) -> None:
    """Read everything in ``folder`` and write the table; prints what each source gave."""
    parts = [*sources["source"], sources["descriptions"]]
    corpus: dict[str, list[Document]] = defaultdict(list)
    with ProcessPoolExecutor(jobs) as pool:
        for part, found in zip(parts, pool.map(partial(gathered, folder, sources["languages"]), parts), strict=True):
            for code, documents in found.items():
                corpus[code] += documents
            print(part.get("package", "descriptions"), {code: len(found[code]) for code in sorted(found)}, flush=True)
    tables = {code: table(corpus[code]) for code in sorted(corpus) if len(corpus[code]) >= LEAST_DOCUMENTS}
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(pack(tables))
    print("left out", {code: len(corpus[code]) for code in sorted(corpus) if code not in tables})
    print("documents", {code: int(one.documents) for code, one in tables.items()})
    print("terms", {code: len(one) for code, one in tables.items()})
    print(f"{out.stat().st_size} bytes")


def gathered(folder: Path, languages: list[str], source: dict[str, Any]) -> dict[str, list[Document]]:
    """The documents of one source by language: of texts in the order of a hash, as many as the source may give."""
    texts: dict[str, set[str]] = defaultdict(set)
    for code, text in source_texts(folder, source) if "package" in source else described(folder, source):
        if code in languages and len(text) >= LEAST_TERMS:
            texts[code].add(text)
    return {code: first_documents(code, texts[code], source["most"]) for code in sorted(texts)}


def first_documents(code: str, texts: set[str], most: int) -> list[Document]:
    """Up to ``most`` documents, from the texts of the lowest hashes."""
    ordered = sorted(texts, key=lambda text: blake2b(text.encode("utf-8", "replace"), digest_size=16).digest())
    every = (document for text in ordered for document in documents(code, text))
    return list(islice(every, most))


def source_texts(folder: Path, source: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Languages and texts of one source. A package that is missing ends the work."""
    wanted = re.compile(f"(?:{source['files']})$")
    for name, ending in packages_of(source):
        found = sorted((folder / "debs").glob(f"{name}_*.deb"))
        if not found:
            sys.exit(f"{folder}/debs holds no package {name}: fetch first")
        by_language: dict[str, dict[str, bytes]] = defaultdict(dict)
        for path, raw in package_files(found[-1], wanted):
            by_language[language_of(source, wanted, path, ending)][path] = raw
        for code in sorted(by_language):
            files = dict(sorted(by_language[code].items()))
            yield from ((code, text) for text in FORMATS[source["format"]](files))


def language_of(source: dict[str, Any], wanted: re.Pattern[str], path: str, ending: str) -> str:
    """The language that a path or its source names; "C" is English."""
    match = wanted.search(path)
    named = match.groupdict().get("language") if match else None
    given = source.get("language", "")
    named = named or (given.get(ending, "") if isinstance(given, dict) else given)
    return "en" if named == "C" else code_of(named)


def described(folder: Path, source: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Languages and texts of the descriptions of packages."""
    for one in source["translations"]:
        ending = f"_main_i18n_Translation-{one.replace('_', '%5f')}.lz4"
        for path in sorted((folder / "lists").glob(f"*_bookworm{ending}")):
            yield from ((code_of(one), text) for text in description_texts(path))


def documents(code: str, text: str) -> Iterator[Document]:
    """A text in pieces of a page's length; none if it is short, or in another language than it should be (which
    untranslated pages are)."""
    ids = tokeniser(code).ids(text)
    if len(ids) < LEAST_TERMS or language(code, text) != code:
        return
    for piece in np.array_split(ids, -(-len(ids) // MOST_TERMS)):
        distinct = np.unique(piece)
        yield Document(int.from_bytes(blake2b(distinct.tobytes(), digest_size=8).digest(), "little"), distinct)


def table(corpus: list[Document]) -> Reference:
    """The document frequencies of a language's documents; equal documents count once."""
    distinct = {document.number: document.ids for document in corpus}
    whole = Reference.of_bags((ids, np.ones(len(ids), np.float32)) for ids in distinct.values())
    order = np.lexsort((whole.ids, -whole.df))[:MOST_KEPT]
    best = np.sort(order[whole.df[order] >= LEAST_DF])
    return Reference(whole.ids[best], whole.df[best], whole.documents)


if __name__ == "__main__":
    sys.exit(main())
