"""Provenance of an export: when and where it was made, from which pack and versions, with which filters; citations."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils import timezone

from benchmarks.definitions.definition import Benchmark
from benchmarks.models import Pack
from leaderboard.board.board_row import BoardRow
from leaderboard.board.query import View
from leaderboard.exports.escaping import bibtex, bibtex_address, is_one_entry

NO_KEY = re.compile(r"[^A-Za-z0-9-]+")
ARXIV = re.compile(r"arxiv\.org/\w+/(\d\d)\d\d\.\d", re.IGNORECASE)
LOCAL = re.compile(r"://(localhost|127\.|\[::1\])")
SITE = "benchsite"  # the author of its own pages
UNDATED = "n.d."


@dataclass(frozen=True)
class Provenance:
    """Facts by name, in the order in which they are shown, and BibTeX entries of everything in the export."""

    facts: dict[str, str]
    citations: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(f"{name.capitalize()}: {value}" for name, value in self.facts.items())

    @property
    def bibtex(self) -> str:
        return "\n".join(f"{entry.strip()}\n" for entry in self.citations)


def of(benchmark: Benchmark, path: str, *, pack: Pack | None = None, **filters: str) -> Provenance:
    """Provenance of a page about one benchmark at this path; filters are listed by name, empty ones left out."""
    address, made = settings.SITE_URL + path, timezone.now()
    facts = {
        "made": made.isoformat(timespec="seconds"),
        "address": address,
        "software": f"benchsite {settings.VERSION}",
        "benchmark": f"{benchmark.title}, definition {benchmark.version}",
        "pack": _pack(pack),
        **filters,
    }
    title, note = f"{benchmark.title} on {SITE}", f"Accessed {made:%Y-%m-%d}"
    note += "; this installation has no public address" if LOCAL.search(settings.SITE_URL) else ""
    own = entry(key_of(path), title, address, author=SITE, year=f"{made:%Y}", note=note)
    return Provenance({name: value for name, value in facts.items() if value}, (benchmark.citation, own))


def key_of(path: str) -> str:
    """BibTeX key of a page: the words of its path, and six letters of a hash of its query string."""
    page, _, query = path.partition("?")
    words = [word for word in page.split("/") if word and word not in ("leaderboard", "tables", "charts")]
    if len(words) > 1 and words[1].startswith(f"{words[0]}-"):
        del words[0]  # a layout's name starts with its benchmark
    return "-".join(["benchsite", *words, *([hashlib.sha256(query.encode()).hexdigest()[:6]] if query else [])])


def of_view(view: View, rows: Iterable[BoardRow]) -> Provenance:
    """Provenance of a board's view, with an entry for each row of this site and for each model's paper."""
    rows = list(rows)
    cautious = [value for value in view.benchmark.facet(view.level.groups[0]).values if value.caution]
    found = of(
        view.benchmark,
        f"/leaderboard/{view.benchmark.slug}/?{view.query}",
        pack=view.pack,
        level=view.level.title,
        strategy=f"{view.strategy.name}, wording {view.strategy.version}",
        condition=view.condition,
        split=view.split,
        columns=view.group,
        figures=view.columns,
        dimension=view.dimension,
        rows=", ".join(view.rows),
        search=view.search,
        sort=view.sort,
        caution=caution_of(view) if cautious or view.caution == "out" else "",
    )
    found = with_papers(found, ((row.name, row.paper) for row in rows))
    return Provenance(found.facts, (*found.citations, *(_entry_of(row) for row in rows if row.link)))


def with_papers(found: Provenance, models: Iterable[tuple[str, str]]) -> Provenance:
    """The provenance with an entry for the paper of each model (name, paper on its card), each paper once."""
    papers = dict.fromkeys(entry for name, paper in models if (entry := paper_entry(name, paper.strip())))
    return Provenance(found.facts, (*found.citations, *papers))


def paper_entry(name: str, paper: str) -> str:
    """The BibTeX entry on a model's card, else one for the URL there; '' if it has neither."""
    if paper.startswith("@"):
        return paper if is_one_entry(paper) else ""
    if not paper.startswith(("https://", "http://")):
        return ""
    dated = ARXIV.search(paper)
    year = f"20{dated[1]}" if dated else UNDATED
    return entry(f"paper-{name}", name, paper, author=f"the authors of {name}", year=year)


def caution_of(view: View) -> str:
    caution = "left out" if view.caution == "out" else "counted in"
    return f"items under the authors' caution {caution}, and so are any that a blind audit found to leak"


def _pack(pack: Pack | None) -> str:
    if pack is None:
        return "none: printed figures alone"
    return f"{pack.name}, manifest {pack.manifest_hash[:12]}, {pack.origin}, definition {pack.definition_version}"


def _entry_of(row: BoardRow) -> str:
    details = ", ".join(part for part in (row.revision and f"revision {row.revision}", row.note) if part)
    address, year = settings.SITE_URL + row.link, f"{timezone.now():%Y}"
    return entry(f"{SITE}-{row.key}", f"{row.name} on {SITE}", address, author=SITE, year=year, note=details)


def entry_of_page(key: str, title: str, address: str) -> str:
    """The BibTeX entry of a page of this site."""
    return entry(f"{SITE}-{key}", title, address, author=SITE, year=f"{timezone.now():%Y}")


def entry(key: str, title: str, address: str, *, author: str, year: str, note: str = "") -> str:
    """A BibTeX entry of an address; the author is a group, which BibTeX must not take apart."""
    lines = [
        f"@misc{{{NO_KEY.sub('-', key).strip('-')},",
        f"  author       = {{{{{bibtex(author)}}}}},",
        f"  title        = {{{bibtex(title)}}},",
        f"  year         = {{{bibtex(year)}}},",
        f"  howpublished = {{\\url{{{bibtex_address(address)}}}}},",
        *([f"  note         = {{{bibtex(note)}}},"] if note else []),
        "}",
    ]
    return "\n".join(lines)


def as_json(found: Provenance) -> dict[str, Any]:
    return {**found.facts, "bibtex": found.bibtex}
