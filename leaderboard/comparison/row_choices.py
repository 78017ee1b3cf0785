"""The rows that can be compared: all of them for a form, and those that share items with one row."""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from urllib.parse import urlencode

from django.db.models import F

from benchmarks.definitions.definition import title_among
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.words import condition_words
from leaderboard.board.board_row import BoardRow
from leaderboard.board.rows_alike import apart_of
from leaderboard.comparison.report import find_row, why_not
from leaderboard.items.item_list import AnswerSource
from leaderboard.models import Standing
from leaderboard.standings.human_rows import row_key

KEYS = ("a", "b", "c", "d", "e", "f")  # the query string's names of the rows: differences are from the first
PARTNERS, TRIED = 5, 12  # rows offered if a comparison is impossible, and rows examined for that
FIELDS = ("name", "strategy", "condition", "split", "pack", "run")
OF_TRIALS = ("trial__slug", "trial__protocol", "trial__title")
OF_RUNS = tuple(f"run__{name}" for name in ("condition", "sampler", "parser", "parser_version", "sampling"))

Choices = list[tuple[str, list[tuple[str, str]]]]  # (benchmark and pack, [(key, label)])


def rows_to_choose() -> Choices:
    """Every row of every board by benchmark, pack, level and split, newest packs first."""
    standings = Standing.objects.annotate(own_split=F("run__split")).select_related("trial", "run")
    found = list(
        standings.only(*FIELDS, *OF_TRIALS, *OF_RUNS).prefetch_related("pack").order_by("-pack_id", "name", "strategy")
    )
    labels = [_label(one) for one in found]
    looks = (f"{one.pack_id} {one.split} {label}" for one, label in zip(found, labels, strict=True))
    apart = apart_of(zip(looks, (one.run for one in found), strict=True))
    texts = {one.pk: ", ".join(filter(None, pair)) for one, *pair in zip(found, labels, apart, strict=True)}
    groups: dict[tuple[str, str], dict[str, str]] = {}
    for one in found:
        if one.run_id and one.split == one.own_split:
            groups.setdefault((_pack_of(one), one.split), {})[f"run-{one.run_id}"] = texts[one.pk]
    of_runs = set(groups)
    for one in found:
        if one.trial and ((place := (_pack_of(one), one.split)) in of_runs or not _has_pack(of_runs, place[0])):
            groups.setdefault(place, {})[row_key(one.trial, one.condition)] = texts[one.pk]
    titled = ((_with_split(*place, groups), rows) for place, rows in groups.items())
    return [(title, sorted(rows.items(), key=lambda row: row[1])) for title, rows in titled]


def _has_pack(groups: Collection[tuple[str, str]], pack: str) -> bool:
    return any(one == pack for one, _ in groups)


def _with_split(pack: str, split: str, groups: Collection[tuple[str, str]]) -> str:
    """The pack, and the split if rows of several splits are offered: these share no items or only some."""
    if sum(one == pack for one, _ in groups) < 2:
        return pack
    known = next((benchmark for benchmark in BENCHMARKS.values() if pack.startswith(f"{benchmark.title}: ")), None)
    return f"{pack}, {title_among(known.facet('split').values if known else (), split)}"


def _pack_of(standing: Standing) -> str:
    """Benchmark and pack, and the level where there are several: rows of one level share items."""
    known = BENCHMARKS.get(standing.pack.benchmark)
    if known is None:
        return f"{standing.pack.benchmark}: {standing.pack.title}"
    levels = (one.title for one in known.levels if standing.strategy in one.strategies)
    level = next((f", {title}" for title in levels), "") if len(known.levels) > 1 else ""
    return f"{known.title}: {standing.pack.title}{level}"


def _label(standing: Standing) -> str:
    known = BENCHMARKS.get(standing.pack.benchmark)
    titles = (one.title for one in (known.strategies if known else ()) if one.name == standing.strategy)
    strategy = standing.trial.title if standing.trial else next(titles, standing.strategy)
    return f"{standing.name}, {strategy}, {condition_words(standing.condition)}"


def slots_of(chosen: Sequence[str], choices: Choices) -> list[tuple[str, str]]:
    """Query name and key of each chosen row and, while there is room, of an empty one; at least two different rows."""
    keys = [*dict.fromkeys(key for key in chosen if key)]
    keys += [key for key in _defaults(keys, choices) if key not in keys][: max(0, 2 - len(keys))]
    return list(zip(KEYS, [*keys, ""], strict=False))


def _defaults(keys: Sequence[str], choices: Choices) -> list[str]:
    """Rows of the first chosen row's pack and level, else of the first that has two."""
    packs = [[key for key, _ in rows] for _, rows in choices]
    if keys:
        return next((rows for rows in packs if keys[0] in rows), [])
    return next((rows for rows in packs if len(rows) > 1), [])


def partners_of(source: AnswerSource, choices: Choices) -> list[tuple[str, str]]:
    """Up to five rows of the same pack and level that answered some of the same public items, as (key, label)."""
    own = source.answers().scores.keys()
    rows = next((rows for _, rows in choices if source.key in dict(rows)), [])
    shared = (row for row, other in _candidates(source, rows) if own & other.answers().scores.keys())
    return list(islice(shared, PARTNERS))


def _candidates(
    source: AnswerSource, rows: Sequence[tuple[str, str]]
) -> Iterator[tuple[tuple[str, str], AnswerSource]]:
    """The first rows with questions of the same kind that may be compared with this one."""
    others = ((row, find_row(row[0])) for row in rows if row[0] != source.key)
    able = ((row, one) for row, one in others if {*one.kinds} & {*source.kinds} and not why_not(source, one))
    return islice(able, TRIED)


def query_of_board(rows: Sequence[BoardRow]) -> str:
    """The query string that compares a board's first two rows with stored answers; "" if there are fewer."""
    keys = [*dict.fromkeys(row.key for row in rows if row.kind.is_ours and not row.kind.is_simulated)]
    return urlencode(dict(zip(KEYS, keys[:2], strict=False))) if len(keys) > 1 else ""
