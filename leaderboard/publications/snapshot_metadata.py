"""Metadata of a snapshot for archives that give DOIs: a CITATION.cff file and DataCite's JSON.

Both name the site as the creator: a snapshot has no personal author.
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from benchmarks.definitions.registry import BENCHMARKS
from leaderboard.models import Snapshot

MAKER = "benchsite"


def citation_cff(found: Snapshot) -> str:
    """The snapshot as Citation File Format 1.2.0, in YAML whose values are quoted as in JSON."""
    facts = {
        "cff-version": "1.2.0",
        "message": "If you use these figures, please cite this snapshot and the benchmark's own paper.",
        "type": "dataset",
        "title": title_of(found),
        "authors": [{"name": _site()}],
        "date-released": _day(found),
        "version": found.sha256[:16],
        "url": _address(found),
        "identifiers": [
            {"type": "other", "value": f"sha256:{found.sha256}", "description": "of the snapshot's content"}
        ],
        "abstract": _about(found),
    }
    return "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in facts.items())


def datacite(found: Snapshot) -> dict[str, Any]:
    """The snapshot in DataCite's JSON (schema 4), without the DOI, which the archive gives."""
    return {
        "schemaVersion": "http://datacite.org/schema/kernel-4",
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Leaderboard snapshot"},
        "creators": [{"name": _site(), "nameType": "Organizational"}],
        "titles": [{"title": title_of(found)}],
        "publisher": {"name": _site()},
        "publicationYear": _day(found)[:4],
        "dates": [{"date": _day(found), "dateType": "Created"}],
        "identifiers": [],
        "alternateIdentifiers": [
            {"alternateIdentifier": found.slug, "alternateIdentifierType": "Snapshot"},
            {"alternateIdentifier": found.sha256, "alternateIdentifierType": "SHA-256"},
        ],
        "url": _address(found),
        "version": found.sha256[:16],
        "language": "en",
        "formats": ["application/json"],
        "relatedIdentifiers": [
            {
                "relatedIdentifier": found.content["address"],
                "relatedIdentifierType": "URL",
                "relationType": "IsVersionOf",
            }
        ],
        "descriptions": [{"description": _about(found), "descriptionType": "Abstract"}],
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


def _site() -> str:
    return f"{MAKER} at {urlsplit(settings.SITE_URL).hostname}"


def _day(found: Snapshot) -> str:
    made: str = found.content["made"][:10]
    return made


def _address(found: Snapshot) -> str:
    return f"{settings.SITE_URL}{found.get_absolute_url()}"
