"""A board frozen: its table, and what every item's answers were, so that anybody can compute the table again.

People are in it as votes an item, with the design effect that their interval is thinned by (of a mean over answers:
with the variance that it follows from); who they were is not.
Simulated people are left out. A snapshot holds no number that could not be computed from what stands beside it.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Avg
from django.utils import timezone

from benchmarks.answers import WITHHELD
from benchmarks.models import AnswerKind, Item, ItemQuerySet, ItemSeal
from humantrials.results import votes
from leaderboard import tallies
from leaderboard.address import View
from leaderboard.board import Board, BoardRow, Cell
from leaderboard.items import Source, source_of
from leaderboard.models import Snapshot
from leaderboard.rows import board_of
from leaderboard.tables import board_json

FORMAT, VERSION = "benchsite-snapshot", 1
OF_A_CELL = ("score", "n", "low", "high", "unread", "chance", "yes", "d_prime", "criterion")
OF_PEOPLE = ("score", "n", "low", "high", "chance", "yes", "d_prime", "criterion")
HALVES = ("positive", "negative")


class NothingToFreeze(ValueError):
    """The view has no row of a run, an upload or people, or what it would hold may not be told."""


def content_of(view: View) -> dict[str, Any]:
    """The snapshot of a view as one JSON object, with its SHA-256."""
    board = board_of(view.but(rows=("human", "run", "uploaded", "published"), search="", sort="overall", blocks=""))
    rows = [*board.pinned, *board.ranked]
    if not rows or view.pack is None:
        raise NothingToFreeze("no run, upload or study has answered in this view: there is nothing to freeze")
    items = list(_items(view))
    if ItemSeal.objects.filter(item__in=items, by=WITHHELD).exists():
        raise NothingToFreeze("the answers of this split are withheld, and a snapshot would tell them item by item")
    places = {item.pk: place for place, item in enumerate(items)}
    whole = {
        "format": FORMAT,
        "version": VERSION,
        "made": timezone.now().isoformat(timespec="seconds"),
        "address": f"{settings.SITE_URL}/leaderboard/{view.benchmark.slug}/?{view.query}",
        **{name: value for name, value in board_json(board).items() if name not in ("rows", "pack")},
        "titles": {column.key: column.title for column in board.columns},
        "definition": view.benchmark.version,
        "cite": view.benchmark.citation,
        "pack": {
            "name": view.pack.name, "title": view.pack.title, "origin": view.pack.origin,
            "manifest": view.pack.manifest_hash, "definition": view.pack.definition_version,
        },
        "items": [_item(item, view, board) for item in items],
        "rows": [_row(row, board, places) for row in rows],
        "published": [row for row in board_json(board)["rows"] if row["kind"] == "published"],
    }  # fmt: skip
    return whole | {"sha256": digest(whole)}


def digest(content: dict[str, Any]) -> str:
    """SHA-256 over everything but the digest itself, in one spelling."""
    rest = {name: value for name, value in content.items() if name != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@transaction.atomic
def keep(content: dict[str, Any]) -> Snapshot:
    """Store it under an id made of benchmark, day and digest; the same content again is the same snapshot."""
    slug = f"{content['benchmark']}-{content['made'][:10]}-{content['sha256'][:8]}"
    found, _ = Snapshot.objects.get_or_create(
        slug=slug, defaults={"benchmark": content["benchmark"], "content": content, "sha256": content["sha256"]}
    )
    return found


def _items(view: View) -> Iterator[Item]:
    """The items of the view's split and level, with what their columns need."""
    items: ItemQuerySet = Item.objects.filter(pack=view.pack, kind__in=view.strategy.kinds)
    found = items.in_split(view.split).with_facet("level", view.level.number).askable().order_by("public_id")
    return (
        item
        for item in found.prefetch_related("facets", "media")
        if view.caution == "in" or not item.facet_values("caution")
    )


def _item(item: Item, view: View, board: Board) -> dict[str, Any]:
    known = {column.key for column in board.columns}
    return {
        "id": item.public_id,
        "clip": next((media.clip_id for media in item.media.all()), None),
        "options": len(item.options),
        "yes_no": item.answer_kind == AnswerKind.YES_NO,
        "expected": item.expected,
        "columns": [value for value in item.facet_values(view.group) if value in known],
    }


def _row(row: BoardRow, board: Board, places: dict[int, int]) -> dict[str, Any]:
    source = source_of(board.view.benchmark, row.key)
    names = OF_PEOPLE if source.trial else OF_A_CELL
    cells = {column.key: _cell(row.cells[column.key], names) for column in board.columns if column.key in row.cells}
    facts: dict[str, Any] = {
        "key": row.key,
        "name": row.name,
        "kind": row.kind,
        "revision": row.revision,
        "note": row.note,
    }
    facts |= {"asked": source.asked, "overall": _cell(row.overall, names), "cells": cells}
    facts["rank"] = list(row.rank) if row.rank else None
    if source.trial:
        return facts | {"votes": _votes(source, places)}
    return facts | {"answers": _answers(source, places, board.view.dimension)}


def _cell(cell: Cell | None, names: tuple[str, ...]) -> dict[str, Any] | None:
    if cell is None:
        return None
    facts = {name: getattr(cell, name) for name in names}
    if names is OF_PEOPLE:
        known = ("people", "effect", "ties", "variance")  # of a mean over answers the variance, else the effect
        return facts | {name: cell.facts[name] for name in known if name in cell.facts}
    return facts | {half: getattr(cell, half) for half in HALVES if getattr(cell, half)}


def _answers(source: Source, places: dict[int, int], dimension: str) -> list[list[Any]]:
    """[place of the item, seed, score, what was read in it] for every reply; "" is an unread one.

    Of several dimensions that a referee scored the score is one, or the mean over all.
    """
    assert source.run is not None
    found = tallies.scores_of(source.run, dimension).filter(**{f"{tallies.ITEM}__in": list(places)}).order_by()
    names = (f"{tallies.ITEM}_id", "reading__response__cell__seed", "reading__answer")
    rows = ((*said[:2], value, said[2]) for *said, value in found.values_list(*names).annotate(Avg("value")))
    return sorted([places[item], seed, value, answer] for item, seed, value, answer in rows)


def _votes(source: Source, places: dict[int, int]) -> list[list[Any]]:
    """[place of the item, {answer: votes}] for every item that people judged."""
    assert source.trial is not None
    found = [vote for vote in votes(source.trial, source.condition) if vote.n and vote.item_id in places]
    return sorted(([places[vote.item_id], vote.counts] for vote in found), key=lambda row: row[0])
