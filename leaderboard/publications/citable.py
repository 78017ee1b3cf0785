"""What is cited: a snapshot, a pack or a page, and its metadata as CITATION.cff, DataCite's JSON and Zenodo's deposit.

A snapshot and a page name the site as the creator, for they have no personal author; so does a pack that was made here.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.leasing import database_now
from benchmarks.models import Origin, Pack
from leaderboard.exports.provenance import SITE
from leaderboard.models import Snapshot

AUTHORS = re.compile(r'\bauthor\s*=\s*[{"](.+?)[}"]\s*,?\s*\n', re.DOTALL)
UNLICENSED = "none stated"
FORMAL = {"MIT": "mit", "Apache-2.0": "apache-2.0", "CC-BY-4.0": "cc-by-4.0"}  # SPDX -> the name at Zenodo


@dataclass(frozen=True)
class Citable:
    """Title, creators, day, version, licence and address; every rendering takes them from here."""

    title: str
    about: str
    address: str
    day: str  # YYYY-MM-DD
    version: str
    what: str = "Leaderboard"  # kind of data set
    name: str = ""  # of the thing itself, beside its address
    sha256: str = ""
    licence: str = ""  # SPDX; "" = none stated
    authors: tuple[str, ...] = ()  # "Family, Given"; () = the site
    source: str = ""  # address of what it is a version of

    @property
    def year(self) -> str:
        return self.day[:4]


def of_snapshot(found: Snapshot) -> Citable:
    """A frozen board: its version is its digest."""
    return Citable(
        title=title_of(found),
        about=_about(found),
        address=settings.SITE_URL + found.get_absolute_url(),
        day=_day(found),
        version=found.sha256[:16],
        what="Leaderboard snapshot",
        name=found.slug,
        sha256=found.sha256,
        source=found.content["address"],
    )


def of_pack(benchmark: Benchmark, pack: Pack) -> Citable:
    """A pack of items: its authors are the benchmark's, unless its clips were made here."""
    found = AUTHORS.search(benchmark.citation)
    is_theirs = pack.origin != Origin.GENERATED and found is not None
    return Citable(
        title=f"{benchmark.title}, {pack.title}",
        about=f"{benchmark.title}, {pack.title}. {benchmark.about}",
        address=f"{settings.SITE_URL}/benchmarks/{benchmark.slug}/?pack={pack.name}",
        day=pack.created_at.date().isoformat(),
        version=pack.definition_version,
        what="Benchmark items",
        name=f"{benchmark.slug}-{pack.name}",
        sha256=pack.manifest_hash,
        licence="" if benchmark.licence == UNLICENSED else benchmark.licence,
        authors=tuple(" ".join(name.split()) for name in found[1].split(" and ")) if found and is_theirs else (),
    )


def of_page(title: str, about: str, path: str, *, version: str = "") -> Citable:
    """A page whose figures change: as it was read today."""
    day = database_now().date().isoformat()
    return Citable(f"{title} on {SITE}", about, settings.SITE_URL + path, day, version or day)


def cff(one: Citable) -> str:
    """In Citation File Format 1.2.0, as YAML whose values are quoted as in JSON."""
    digest = {"type": "other", "value": f"sha256:{one.sha256}", "description": "of the content"}
    facts = {
        "cff-version": "1.2.0",
        "message": "If you use this, please cite it and the benchmark's own paper.",
        "type": "dataset",
        "title": one.title,
        "authors": [_person(name) for name in one.authors] or [{"name": _site()}],
        "date-released": one.day,
        "version": one.version,
        "url": one.address,
        **({"license": one.licence} if one.licence in FORMAL else {}),
        **({"identifiers": [digest]} if one.sha256 else {}),
        "abstract": one.about,
    }
    return "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in facts.items())


def datacite(one: Citable) -> str:
    """In DataCite's JSON (schema 4), without the DOI, which the archive gives."""
    known = {"Name": one.name, "SHA-256": one.sha256}
    spdx = {
        "rightsIdentifier": one.licence,
        "rightsIdentifierScheme": "SPDX",
        "schemeUri": "https://spdx.org/licenses/",
    }
    facts = {
        "schemaVersion": "http://datacite.org/schema/kernel-4",
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": one.what},
        "creators": [{"name": name, "nameType": "Personal"} for name in one.authors]
        or [{"name": _site(), "nameType": "Organizational"}],
        "titles": [{"title": one.title}],
        "publisher": {"name": _site()},
        "publicationYear": one.year,
        "dates": [{"date": one.day, "dateType": "Created" if one.sha256 else "Updated"}],
        "alternateIdentifiers": [
            {"alternateIdentifier": value, "alternateIdentifierType": kind} for kind, value in known.items() if value
        ],
        "url": one.address,
        "version": one.version,
        "language": "en",
        "rightsList": [{"rights": one.licence, **(spdx if one.licence in FORMAL else {})}] if one.licence else [],
        "relatedIdentifiers": [
            {"relatedIdentifier": address, "relatedIdentifierType": "URL", "relationType": relation}
            for relation, address in _related(one)
        ],
        "descriptions": [{"description": one.about, "descriptionType": "Abstract"}],
    }
    return json.dumps(facts, indent=1, ensure_ascii=False)


def zenodo(one: Citable) -> str:
    """As `.zenodo.json`. Without a licence the files stay closed: Zenodo would put open data under CC0."""
    opened = {"access_right": "open", "license": FORMAL.get(one.licence, "")}
    closed = {"access_right": "restricted", "access_conditions": "No licence is stated; ask who runs the site."}
    facts = {
        "title": one.title,
        "upload_type": "dataset",
        "publication_date": one.day,
        "creators": [{"name": name} for name in one.authors or (_site(),)],
        "description": one.about,
        "version": one.version,
        "language": "eng",
        **(opened if one.licence in FORMAL else closed),
        "related_identifiers": [
            {"identifier": address, "relation": f"{relation[:1].lower()}{relation[1:]}", "resource_type": "dataset"}
            for relation, address in _related(one)
        ],
        **({"notes": f"SHA-256 {one.sha256}"} if one.sha256 else {}),
    }
    return json.dumps(facts, indent=1, ensure_ascii=False)


RENDERINGS: dict[str, tuple[Callable[[Citable], str], str, str]] = {  # writer, name of the file, type
    "cff": (cff, "CITATION.cff", "text/yaml; charset=utf-8"),
    "datacite": (datacite, "datacite.json", "application/json"),
    "zenodo": (zenodo, ".zenodo.json", "application/json"),
}


def title_of(found: Snapshot) -> str:
    """The title under which the snapshot is cited."""
    return f"{view_title(found.content)}: leaderboard of {_day(found)}"


def view_title(content: Mapping[str, Any]) -> str:
    """Benchmark, level and prompting of a frozen view in words; the stored names if the definition no longer exists."""
    benchmark = BENCHMARKS.get(content["benchmark"])
    if benchmark is None:
        return f"{content['benchmark']}, level {content['level']}, {content['strategy']}"
    levels = {level.number: level.title for level in benchmark.levels}
    strategies = {one.name: one.title for one in benchmark.strategies}
    level, strategy = str(content["level"]), content["strategy"]
    return f"{benchmark.title}, {levels.get(level, level)}, {strategies.get(strategy, strategy)}"


def _about(found: Snapshot) -> str:
    content = found.content
    return (
        f"A leaderboard as it was on {_day(found)}: {len(content['rows'])} rows on {len(content['items'])} items of"
        f" {content['pack']['title']}, with the answers that every number is computed from."
    )


def _related(one: Citable) -> list[tuple[str, str]]:
    """DataCite's relation -> address: the live view of a snapshot, and where the thing itself stands."""
    found = [("IsVersionOf", one.source), ("IsIdenticalTo", one.address)]
    return [(relation, address) for relation, address in found if address]


def _person(name: str) -> dict[str, str]:
    family, _, first = name.partition(", ")
    return {"family-names": family, "given-names": first} if first else {"name": name}


def _site() -> str:
    return f"{SITE} at {urlsplit(settings.SITE_URL).hostname}"


def _day(found: Snapshot) -> str:
    made: str = found.content["made"][:10]
    return made
