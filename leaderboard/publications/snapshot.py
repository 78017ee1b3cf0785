"""A snapshot of a board: its table, and the answers to every item, so that anybody can recompute the table.

People's answers are stored as votes per item, without identities. The design effect of their interval is stored with
them (for a mean over answers, its variance). Simulated people are left out. Every number of a snapshot can be computed
from its other content.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.conf import settings
from django.db import transaction
from django.db.models import Avg
from django.utils import timezone

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import PUBLIC, Answer, Fact, open_answers, open_to, tells_secret
from benchmarks.models import AnswerKind, Item, ItemQuerySet, Key, Pack
from benchmarks.packs.clusters import Labels, labels_by_item
from evaluation.runs import tallies
from humantrials.results.judgments import votes
from leaderboard.board.assemble import Board
from leaderboard.board.board_row import BoardCell, BoardRow
from leaderboard.board.query import View
from leaderboard.board.rows import board_of
from leaderboard.exports.table import board_json
from leaderboard.items.item_list import AnswerSource, source_of
from leaderboard.models import Snapshot
from leaderboard.row_kinds import RowKind

NAME = "snapshots"


def signed(sha256: str) -> str:
    """The signature of this digest, in hexadecimal digits."""
    return _own().sign(bytes.fromhex(sha256)).hex()


def public_key() -> str:
    """The site's public key, 64 hexadecimal digits."""
    return _own().public_key().public_bytes_raw().hex()


def is_signed(sha256: str, signature: str, key: str) -> bool:
    """Whether the owner of this public key signed the digest; ValueError if one of them is no hexadecimal text."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key)).verify(bytes.fromhex(signature), bytes.fromhex(sha256))
    except InvalidSignature:
        return False
    return True


def _own() -> Ed25519PrivateKey:
    """The private key, made at its first use; a backup keeps it."""
    return Ed25519PrivateKey.from_private_bytes(Key.secret_of(NAME))


FORMAT, VERSION = "benchsite-snapshot", 1
OF_A_CELL = ("score", "n", "low", "high", "unread", "chance", "yes", "d_prime", "criterion")
OF_PEOPLE = ("score", "n", "low", "high", "chance", "yes", "d_prime", "criterion")
POLARITIES = ("positive", "negative")
SEAL = ("sha256", "key", "signature")


class NothingToFreeze(ValueError):
    """The view has no row of a run, an upload or people, or its answers may not be revealed."""


def _frozen_pack(view: View, board: Board, items: list[Item]) -> Pack:
    """The pack of a view that can be frozen; else NothingToFreeze."""
    if hidden := len(Item.objects.filter(tells_secret(), pk__in=[item.pk for item in items])):
        raise NothingToFreeze(
            f"{hidden} answers of this view are withheld or sealed by an open study, and a snapshot would reveal"
            " them item by item"
        )
    if not (board.pinned or board.ranked) or view.pack is None:
        raise NothingToFreeze("no run, upload or study has answered in this view: there is nothing to freeze")
    if any(row.rank and not row.is_tested for row in board.ranked):
        raise NothingToFreeze("the ranks of this view are still being computed: try again in a minute")
    return view.pack


def content_of(view: View) -> dict[str, Any]:
    """The snapshot of a view as one JSON object with its SHA-256, signed; NothingToFreeze if there can be none."""
    real = tuple(kind for kind in RowKind if not kind.is_simulated)
    board = board_of(view.but(rows=real, search="", sort="overall", unit="question"))
    rows, items = [*board.pinned, *board.ranked], list(_items(view))
    pack = _frozen_pack(view, board, items)
    places = {item.pk: place for place, item in enumerate(items)}
    labels = labels_by_item(places, benchmark=view.benchmark.slug)
    clips, known = _clips(items, labels), open_answers(items, to=PUBLIC)
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
            **{name: getattr(pack, name) for name in ("name", "title", "origin")},
            "manifest": pack.manifest_hash,
            "definition": pack.definition_version,
        },
        "items": [_item(item, known[item.pk], view, board, clips, labels[item.pk]) for item in items],
        "rows": [_row(row, board, places) for row in rows],
        "published": [row for row in board_json(board)["rows"] if not RowKind(row["kind"]).is_ours],
    }
    sha256 = digest(whole)
    return whole | {"sha256": sha256, "key": public_key(), "signature": signed(sha256)}


def digest(content: dict[str, Any]) -> str:
    """SHA-256 of the content without digest, key and signature, in a canonical JSON form."""
    rest = {name: value for name, value in content.items() if name not in SEAL}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def is_out_of_sight(content: dict[str, Any]) -> bool:
    """Whether an open study uses items of this snapshot, whose file contains the answers to all of them."""
    benchmark = BENCHMARKS.get(content["benchmark"])
    kinds = (
        next((strategy.kinds for strategy in benchmark.strategies if strategy.name == content["strategy"]), ())
        if benchmark
        else ()
    )
    items = Item.objects.filter(pack__manifest_hash=content["pack"]["manifest"], kind__in=kinds)
    return items.exclude(open_to(PUBLIC, Fact.EXISTENCE)).exists()


@transaction.atomic
def store_snapshot(content: dict[str, Any]) -> Snapshot:
    """Store the snapshot under an id made of benchmark, day and digest; equal content gives the same snapshot."""
    slug = f"{content['benchmark']}-{content['made'][:10]}-{content['sha256'][:8]}"
    found, _ = Snapshot.objects.get_or_create(
        slug=slug, defaults={"benchmark": content["benchmark"], "content": content, "sha256": content["sha256"]}
    )
    return found


def _items(view: View) -> Iterator[Item]:
    """The items of the view's split and level, with facets and media prefetched."""
    items: ItemQuerySet = Item.objects.filter(pack=view.pack, kind__in=view.strategy.kinds)
    found = items.in_split(view.split).with_facet("level", view.level.number).askable().order_by("public_id")
    return (
        item
        for item in found.select_related("pack").prefetch_related("facets", "media")
        if view.caution == "in" or not item.facet_values("caution")
    )


def _clips(items: list[Item], labels: Mapping[int, Labels]) -> dict[int, int]:
    """A number for each clip within this file; its primary key would reveal its place in the release."""
    found = dict.fromkeys(media.clip_id for item in items for media in item.media.all())
    found |= dict.fromkeys(labels[item.pk][0] for item in items if item.group)  # clusters of groups
    return {clip: number for number, clip in enumerate(found)}


def _item(
    item: Item, answer: Answer, view: View, board: Board, clips: dict[int, int], labels: Labels
) -> dict[str, Any]:
    known = {column.key for column in board.columns}
    first, second = labels
    return {
        "id": item.public_id,
        "clip": clips.get(first),  # None for a text item
        **({"partner": clips[second]} if second != first else {}),
        "options": len(item.options),
        "yes_no": item.answer_kind == AnswerKind.YES_NO,
        "expected": answer.expected,
        "columns": [value for value in item.facet_values(view.group) if value in known],
    }


def _row(row: BoardRow, board: Board, places: dict[int, int]) -> dict[str, Any]:
    source = source_of(board.view.benchmark, row.key)
    names = OF_PEOPLE if source.trial else OF_A_CELL
    cells = {
        column.key: _cell(row.cells[column.key], names)
        for column in board.columns
        if column.key in row.cells and not column.is_by_group
    }
    facts: dict[str, Any] = {
        "key": row.key,
        "name": row.name,
        "kind": row.kind,
        "revision": row.revision,
        "note": row.note,
    }
    facts |= {"asked": source.label, "overall": _cell(row.overall, names), "cells": cells}
    facts["rank"] = list(row.rank) if row.rank else None
    if source.trial:
        return facts | {"votes": _votes(source, places)}
    return facts | {"answers": _answers(source, places, board.view.dimension)}


def _cell(cell: BoardCell | None, names: tuple[str, ...]) -> dict[str, Any] | None:
    if cell is None:
        return None
    facts = {name: getattr(cell, name) for name in names}
    if names is OF_PEOPLE:
        known = ("people", "effect", "ties", "votes", "variance")  # a mean has a variance, a majority an effect
        return facts | {name: cell.facts[name] for name in known if name in cell.facts}
    marked = {name: cell.facts[name] for name in ("points", "guessing") if name in cell.facts}
    return facts | marked | {half: getattr(cell, half) for half in POLARITIES if getattr(cell, half)}


def _answers(source: AnswerSource, places: dict[int, int], dimension: str) -> list[list[Any]]:
    """[index of the item, seed, score, parsed answer] for every reply; the answer of an unparsed reply is "".

    If a referee scored several dimensions, the score is that of `dimension`, or the mean of all.
    """
    assert source.run is not None
    found = tallies.scores_of(source.run, dimension).filter(**{f"{tallies.ITEM}__in": list(places)}).order_by()
    names = (f"{tallies.ITEM}_id", "reading__response__cell__seed", "reading__answer")
    rows = ((*group[:2], value, group[2]) for *group, value in found.values_list(*names).annotate(Avg("value")))
    return sorted([places[item], seed, value, answer] for item, seed, value, answer in rows)


def _votes(source: AnswerSource, places: dict[int, int]) -> list[list[Any]]:
    """[index of the item, {answer: votes}] for every item with votes."""
    assert source.trial is not None
    found = [vote for vote in votes(source.trial, source.condition) if vote.n and vote.item_id in places]
    return sorted(([places[vote.item_id], vote.counts] for vote in found), key=lambda row: row[0])
