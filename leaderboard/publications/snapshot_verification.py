"""Verifies a snapshot by computing it again from its own answers, without a database.

Figures of runs, uploads and people follow from the answers in the file. That the answers, names and published figures
are those of a site only its signature shows, and only to somebody who has the site's key from elsewhere.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from evaluation.runs.tallies import ClipTally
from leaderboard.publications.snapshot import FORMAT, OF_A_CELL, OF_PEOPLE, POLARITIES, SEAL, VERSION, digest, is_signed
from leaderboard.standings.stored_cells import cell_of, sensitivity, share
from measures.estimate import from_variance, interval_of_votes, ranks, rows_below
from measures.figures import NOTHING_KNOWN, Interval
from measures.scores.scoring import majority_score

TOLERANCE = 1e-9
Record = dict[str, Any]


class NotASnapshot(ValueError):
    """The file is not a snapshot, or has another version; the message says which."""


def differences_in(snapshot: Any, *, key: str = "", sha256: str = "") -> list[str]:
    """Everything that doesn't follow from the snapshot's own answers, one sentence each; [] if all of it does.

    With the site's public `key`, also that the site didn't sign it; with a `sha256`, that it is another snapshot.
    """
    _check_form(snapshot)
    found = [f"the digest is {snapshot['sha256']}, not {sha256}"] if sha256 not in ("", snapshot["sha256"]) else []
    if key and not is_signed(snapshot["sha256"], snapshot["signature"], key):
        found.append(f"the signature is not by the owner of the key {key}")
    found += [] if digest(snapshot) == snapshot["sha256"] else ["the digest: the content differs from what was frozen"]
    for row in snapshot["rows"]:
        found += _differences_of_row(row, snapshot["items"])
    return found + list(_differences_of_ranks(snapshot))


def proofs_of(snapshot: Record, key: str) -> list[str]:
    """What a verification without differences shows, and what it does not."""
    recomputed = (
        f"{len(snapshot['rows'])} rows on {len(snapshot['items'])} items: every number follows from the answers"
    )
    quoted = f"Not computed: answers, names, dates, the pack, {len(snapshot['published'])} published rows"
    if key:
        return [recomputed, f"{quoted}. The owner of the key {key} signed them."]
    return [recomputed, f"{quoted}. Give --key to see whether the site signed them (the file names {snapshot['key']})."]


def _check_form(snapshot: Any) -> None:
    if not isinstance(snapshot, dict) or snapshot.get("format") != FORMAT:
        raise NotASnapshot(f"it is no {FORMAT} file")
    if snapshot.get("version") != VERSION:
        raise NotASnapshot(f"it has version {snapshot.get('version')!r}, and this site reads {VERSION}")
    missing = [name for name in ("items", "rows", *SEAL) if name not in snapshot]
    if missing:
        raise NotASnapshot(f"it lacks {', '.join(missing)}")


def _differences_of_row(row: Record, items: list[Record]) -> list[str]:
    """Differences between the row's stored cells (overall and every column) and the same cells computed again."""
    compute = partial(_cell_of_people if "votes" in row else _cell_of_run, row, items)
    everywhere = set(range(len(items)))
    wanted = [("overall", row["overall"], everywhere)]
    wanted += [(column, cell, _places(items, column)) for column, cell in row["cells"].items()]
    names = OF_PEOPLE if "votes" in row else OF_A_CELL
    return [
        f"{row['name']}, {column}: {what}"
        for column, stands, places in wanted
        if stands is not None
        for what in _computed(stands, partial(compute, places, stands), names)
    ]


def _places(items: list[Record], column: str) -> set[int]:
    return {place for place, item in enumerate(items) if column in item["columns"]}


def _cell_of_run(row: Record, items: list[Record], places: set[int], stands: Record) -> Record:
    """The stored cell over these places of items, computed again."""
    answers = [answer for answer in row["answers"] if answer[0] in places]
    chance = _chance(items[place] for place, *_ in answers)
    return cell_of(_tallies(answers, items), chance, stands.get("guessing"), is_points=bool(stands.get("points")))


def _tallies(answers: Iterable[Sequence[Any]], items: list[Record]) -> list[ClipTally[float]]:
    """One tally per clip or dyad, over its questions and seeds; a text-only item counts as a clip."""
    clips: dict[tuple[int, int], list[tuple[Record, float, str]]] = defaultdict(list)
    for place, _, value, answer in answers:
        first, second = _labels(place, items[place])
        clips[min(first, second), max(first, second)].append((items[place], value, answer))
    return [_tally(rows, labels) for labels, rows in clips.items()]


def _labels(place: int, item: Record) -> tuple[int, int]:
    first: int = -1 - place if item["clip"] is None else item["clip"]
    second: int = item.get("partner", first)
    return first, second


def _tally(rows: list[tuple[Record, float, str]], labels: tuple[int, int]) -> ClipTally[float]:
    binary = [(item["expected"], value, answer) for item, value, answer in rows if item["yes_no"]]
    positive = [value for expected, value, _ in binary if expected == "yes"]
    negative = [value for expected, value, _ in binary if expected == "no"]
    return ClipTally(
        n=len(rows),
        total=sum(value for _, value, _ in rows),
        unread=sum(not answer for *_, answer in rows),
        yes=sum(answer == "yes" for *_, answer in binary),
        yes_no=len(binary),
        positive_n=len(positive),
        positive_total=sum(positive),
        negative_n=len(negative),
        negative_total=sum(negative),
        exampled=0,
        repeats=0,
        first=labels[0],
        second=labels[1],
    )


def _cell_of_people(row: Record, items: list[Record], places: set[int], stands: Record) -> Record:
    """The same from votes; number of people and design effect are taken from `stands`: identities aren't stored."""
    votes = [(items[place], counts) for place, counts in row["votes"] if place in places]
    right = [majority_score(counts, item["expected"]) for item, counts in votes]
    interval = interval_of_votes(right, effect=stands["effect"], people=stands["people"])
    score = share(sum(right), len(right))
    if "variance" in stands:
        score, interval = _mean_of_answers(votes, stands)
    return {
        "score": score,
        "n": len(right),
        "low": interval.low,
        "high": interval.high,
        "chance": _chance(item for item, _ in votes),
        **_yes_of(votes),
    }


def _mean_of_answers(votes: list[tuple[Record, dict[str, int]]], stands: Record) -> tuple[float | None, Interval]:
    """The share of right answers, with the interval from its variance."""
    n = sum(sum(counts.values()) for _, counts in votes)
    if not n:
        return None, NOTHING_KNOWN
    score = sum(counts.get(item["expected"], 0) for item, counts in votes) / n
    return score, from_variance(score, stands["variance"], n, min(stands["people"], len(votes)))


def _yes_of(votes: list[tuple[Record, dict[str, int]]]) -> Record:
    """The share of yes and the sensitivity to the truth (d', criterion), over single answers."""
    questions = [(item["expected"], counts) for item, counts in votes if item["yes_no"]]
    total = {
        side: sum(sum(counts.values()) for expected, counts in questions if expected == side) for side in ("yes", "no")
    }
    yes = {
        side: sum(counts.get("yes", 0) for expected, counts in questions if expected == side) for side in ("yes", "no")
    }
    every = sum(sum(counts.values()) for _, counts in questions)
    if not questions:
        return {}
    return {"yes": share(sum(yes.values()), every), **sensitivity(yes["yes"], total["yes"], yes["no"], total["no"])}


def _chance(items: Iterable[Record]) -> float | None:
    """Chance level: the mean of 1 / options over the items, each counted once."""
    options = {item["id"]: item["options"] for item in items if item["options"]}
    return sum(1 / count for count in options.values()) / len(options) if options else None


def _computed(stands: Record, compute: Callable[[], Record], names: Sequence[str]) -> list[str]:
    try:
        return list(_unequal(stands, compute(), names))
    except ValueError as error:
        return [f"it can't be computed: {error}"]


def _unequal(stands: Record, computed: Record, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        yield from _difference(name, stands.get(name), computed.get(name))
    for half in POLARITIES:
        for name in ("score", "n", "low", "high"):
            if half in stands:
                yield from _difference(f"{half} {name}", stands[half].get(name), computed.get(half, {}).get(name))


def _difference(name: str, stands: Any, computed: Any) -> Iterator[str]:
    both = isinstance(stands, int | float) and isinstance(computed, int | float)
    if not (math.isclose(stands, computed, abs_tol=TOLERANCE) if both else stands == computed):
        yield f"{name} is stored as {stands}, but its answers give {computed}"


def _differences_of_ranks(snapshot: Record) -> Iterator[str]:
    """Ranks from the test of all pairs on the rows' answers."""
    ranked = sorted((row for row in snapshot["rows"] if "answers" in row), key=lambda row: str(row["key"]))
    if all(row["rank"] is None and (row["overall"] or {}).get("points") for row in ranked):
        return  # points of a referee that does not discriminate are not ranked
    for row, rank in zip(ranked, _ranks(ranked, snapshot["items"]), strict=True):
        if row["rank"] != (list(rank) if rank else None):
            yield f"{row['name']}: the rank is stored as {row['rank']}, but the answers give {rank}"


def _ranks(rows: list[Record], items: list[Record]) -> list[tuple[int, int] | None]:
    """The best and worst possible rank of each row; None for a row without a figure."""
    known = [row for row in rows if row["overall"]]
    totals, sizes = np.zeros((2, len(known), len(items)))
    for place, row in enumerate(known):
        for item, _, value, _ in row["answers"]:
            totals[place, item] += value
            sizes[place, item] += 1
    clips = np.array([_labels(place, item) for place, item in enumerate(items)], np.int64)
    below = rows_below(totals, sizes, clips.reshape(-1, 2))
    scores = (totals.sum(axis=1) / np.maximum(1, sizes.sum(axis=1))).tolist()
    found = iter([(rank.best, rank.worst) for rank in ranks(below, scores)])
    return [next(found) if row["overall"] else None for row in rows]
