"""Prints a study's row from its table of counted answers alone, as the site does; the data set has a copy of this file.

`human_row.R` computes the same without the site's modules.
"""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from measures.estimate import VotedItem, figure_of_answers, figure_of_votes, voters_of
from measures.figures import FEW_CLIPS, PeopleFigure
from measures.scores.scoring import majority_score

Row = dict[str, str]


def lines_of(table: Path, *, is_mean: bool) -> Iterator[str]:
    """The people, then a line for each condition and each of its tests, then both rounds; `is_mean`: of answers."""
    rows = [row for row in _read(table) if row["in_primary"] == "1"]
    counted = [one for one in _read(table.with_name(table.name.replace("-long_", "-people_"))) if one["counted"] != "0"]
    out = sum(bool(one["left_out_by"]) for one in counted)
    yield f"people whose answers count: {len(counted)}; left out as registered: {out}"
    first = [row for row in rows if row.get("round", "1") == "1"]
    conditions = sorted({row["condition"] for row in first})
    for condition in conditions:
        own = [row for row in first if row["condition"] == condition]
        yield line_of(f"all, {condition}" if len(conditions) > 1 else "all", own, is_mean=is_mean)
        for test in sorted({row["test"] for row in own}):
            yield line_of(f"  {test}", [row for row in own if row["test"] == test], is_mean=is_mean)
    if rows and "weight" in rows[0]:
        yield line_of("both rounds, answers", rows, is_mean=True, is_weighted=True)


def _read(table: Path) -> list[Row]:
    with table.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def line_of(name: str, rows: Sequence[Row], *, is_mean: bool, is_weighted: bool = False) -> str:
    """The figure of the answers whose right answer is known, with its 95 % interval, and where it stands to chance."""
    known = [row for row in rows if row["correct"]]
    found = _of_answers(known, is_weighted=is_weighted) if is_mean else figure_of_votes(_votes(known))
    if found.score is None:
        return f"{name}: no right answer is known"
    chances = {row["item"]: float(row["chance"]) for row in known}
    interval = f"{_percent(found.interval.low)} to {_percent(found.interval.high)}"
    stands = "" if is_weighted else f"; {_claim(found, sum(chances.values()) / len(chances), len(chances))}"
    return f"{name}: {_percent(found.score)} % ({interval}), n {found.n}, people {found.people}{stands}"


def _votes(rows: Sequence[Row]) -> list[VotedItem]:
    by_item: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_item[row["item"]].append(row)
    found = []
    for number, answers in enumerate(by_item.values()):
        counts, expected = Counter(row["answer"] for row in answers), answers[0]["expected"]
        voters = voters_of([(row["participant"], row["answer"]) for row in answers], counts, expected)
        found.append(VotedItem(majority_score(counts, expected), voters, _labels(answers[0]) or number))
    return found


def _of_answers(rows: Sequence[Row], *, is_weighted: bool) -> PeopleFigure:
    people, items = [row["participant"] for row in rows], [row["item"] for row in rows]
    labels = None if is_weighted else [label for row in rows if (label := _labels(row))] or None
    weights = [float(row["weight"]) for row in rows] if is_weighted else None
    return figure_of_answers([float(row["correct"]) for row in rows], people, items, labels, weights)


def _labels(row: Row) -> tuple[int, int] | None:
    """The two labels that the item shares with others; None where items depend on no other."""
    return (int(row["label"]), int(row["other_label"])) if "label" in row else None


def _claim(found: PeopleFigure, chance: float, items: int) -> str:
    if items < FEW_CLIPS:
        return "too few clips to tell from chance"
    if found.interval.holds(chance):
        return f"no different from chance, {_percent(chance)} %"
    return f"{'above' if (found.score or 0) > chance else 'below'} chance, {_percent(chance)} %"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
