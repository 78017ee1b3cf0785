"""Cached index of a run's readings, in the order of their items; lists of items are filtered from it."""

import zlib
from collections.abc import Callable

import numpy as np
from django.core.cache import cache
from django.db.models import QuerySet
from numpy.typing import NDArray

from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.gallery.page_cache import FAST, SECONDS, key_of
from benchmarks.models import Item, ItemFacet, Pack
from evaluation.models import Run, Score
from evaluation.runs import tallies

# One counted reading.
LINE = np.dtype([("score", "<i8"), ("item", "<i8"), ("points", "<f8"), ("is_read", "?")])
Lines = NDArray[np.void]


def cached_rows(what: tuple[object, ...], form: np.dtype, make: Callable[[], Lines]) -> Lines:
    """The cached rows of this form; missing ones are made by `make` and cached."""
    key = key_of(*map(str, what))
    packed = cache.get(key)
    if packed is None:
        packed = zlib.compress(make().tobytes(), FAST)
        cache.set(key, packed, SECONDS)
    return np.frombuffer(zlib.decompress(packed), form)


def lines_of(run: Run, dimension: str) -> Lines:
    """Every counted reading of the run, by public id and seed, scored on this dimension or on the mean of all."""
    what = (run.pk, run.created_at, run.answers_version, run.parser, run.parser_version, run.referee, dimension)
    return cached_rows(("listed", *what), LINE, lambda: _read(run, dimension))


def _read(run: Run, dimension: str) -> Lines:
    scores: QuerySet[Score] = tallies.one_a_reading(run, dimension)
    ordered = scores.order_by(f"{tallies.ITEM}__public_id", "reading__response__cell__seed")
    rows = ordered.values_list("pk", f"{tallies.ITEM}_id", "points", "reading__problem")
    return np.array([(pk, item, points, not problem) for pk, item, points, problem in rows], LINE)


def among(lines: Lines, items: NDArray[np.int64]) -> Lines:
    """The lines about one of these items."""
    return lines[np.isin(lines["item"], items)]


def with_public_answers(lines: Lines, pack: Pack) -> Lines:
    """The lines about items whose answers are public at this moment."""
    hidden = pack.items.exclude(open_to(PUBLIC, Fact.ANSWER)).order_by().values_list("pk", flat=True)
    return lines[~np.isin(lines["item"], np.fromiter(hidden, np.int64))]


def items_with(pack: Pack, name: str, value: str) -> NDArray[np.int64]:
    """Ids of the pack's items with this facet value."""
    rows = ItemFacet.objects.filter(item__pack=pack, name=name, value=value).order_by()
    return np.fromiter(rows.values_list("item_id", flat=True), np.int64)


def beside(lines: Lines, item: Item) -> tuple[int | None, int | None]:
    """Ids of the items before and after this one, even if it is no longer in the list."""
    own = np.flatnonzero(lines["item"] == item.pk)
    if len(own):
        first, after = int(own[0]), int(own[-1]) + 1
    else:
        earlier = Item.objects.filter(pack=item.pack_id, public_id__lt=item.public_id).order_by()
        ids = np.fromiter(earlier.values_list("pk", flat=True), np.int64)
        first = after = int(np.isin(lines["item"], ids).sum())
    items = lines["item"].tolist()
    return (items[first - 1] if first else None, items[after] if after < len(items) else None)
