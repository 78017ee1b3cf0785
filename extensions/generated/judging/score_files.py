"""Score files of PhyGround (repository phyground.github.io): what one judge said of one generator's clips."""

import gzip
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.definitions.files.table_text import parsed
from extensions.generated.dimensions import GENERAL, LAWS
from leaderboard.publications.later_results import BadResults

LOWEST, HIGHEST = 1, 5
LARGEST = 50_000_000  # bytes of one file, unpacked


class BadScoresError(BadResults):
    """A file of scores that can't be used; the message names the file, the clip and the field."""


@dataclass(frozen=True)
class RatedPrompt:
    """One prompt's text and laws, and its scores by dimension: None where the judge gave no readable answer."""

    key: str
    text: str
    laws: tuple[str, ...]
    scores: Mapping[str, int | None]


@dataclass(frozen=True)
class ScoreFile:
    """One reading of one generator's clips by a judge with these settings."""

    name: str
    judge: str
    scheme: str
    generator: str
    frames_a_second: float | None
    stamp: str
    prompts: tuple[RatedPrompt, ...]


def read_scores(path: Path) -> ScoreFile:
    """Raises BadScoresError for a file without results, and for a score that is no whole number from 1 to 5."""
    data = read_json(path)
    try:
        meta, results = data["meta"], data["results"]
        facts = {"judge": data["judge"], "scheme": meta["scheme"], "generator": meta["video_model"]}
        rate, stamp = (data.get("visual_config") or {}).get("fps"), str(meta["eval_timestamp"])
    except (KeyError, TypeError) as error:
        raise BadScoresError(f"{path.name}: {error} is missing") from None
    if not isinstance(results, list) or not results:
        raise BadScoresError(f"{path.name}: no results")
    prompts = tuple(_prompt(path.name, number, result) for number, result in enumerate(results, 1))
    if twice := [key for key, count in Counter(prompt.key for prompt in prompts).items() if count > 1]:
        raise BadScoresError(f"{path.name}: {twice[0]} is there twice")
    return ScoreFile(
        path.name,
        **{key: str(value) for key, value in facts.items()},
        frames_a_second=rate,
        stamp=stamp,
        prompts=prompts,
    )


def read_json(path: Path) -> dict[str, Any]:
    """The object in a file, packed or not; raises BadScoresError if there is none."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            content = file.read(LARGEST + 1)
        data = parsed(content.decode()) if len(content) <= LARGEST else None
    except (OSError, EOFError, ValueError) as error:
        raise BadScoresError(f"{path.name}: {error}") from None
    if data is None:
        raise BadScoresError(f"{path.name}: empty, or larger than {LARGEST // 1_000_000} MB unpacked")
    if not isinstance(data, dict):
        raise BadScoresError(f"{path.name}: not an object")
    return data


def _prompt(file: str, number: int, result: Any) -> RatedPrompt:
    key = str(result.get("video") or "") if isinstance(result, dict) else ""
    place = f"{file}, result {number} ({key or 'without a name'})"
    if not key:
        raise BadScoresError(f"{place}: video is missing")
    physical = result.get("physical") or {}
    laws = physical.get("laws") or {}
    if unknown := sorted(set(laws) - set(LAWS)):
        raise BadScoresError(f"{place}: {unknown[0]} is not one of the {len(LAWS)} laws")
    raw_scores = {dimension.name: result.get(dimension.name) for dimension in GENERAL}
    raw_scores |= {law: (answer or {}).get("score") for law, answer in laws.items()}
    scores = {name: _score(value, f"{place}: {name}") for name, value in raw_scores.items()}
    return RatedPrompt(key, str(result.get("prompt") or ""), tuple(sorted(laws)), scores)


def _score(value: Any, place: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not LOWEST <= value <= HIGHEST:
        raise BadScoresError(f"{place} is {value!r}, not {LOWEST} to {HIGHEST}")
    return value
