"""Items about two clips, each shared with others: intervals, differences and p cluster by both clips."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import ItemMedia
from evaluation.runs.results import outcome_of
from leaderboard.board.query import view_of
from leaderboard.comparison.report import together
from leaderboard.models import Standing
from leaderboard.publications.snapshot import content_of
from leaderboard.publications.snapshot_verification import differences_in
from leaderboard.standings.paired_differences import pairs_of
from leaderboard.standings.refresh import refresh
from measures.comparing.error_consistency import error_consistency_interval
from measures.estimate import difference
from measures.estimate.differences import SCORE
from measures.shares.intervals import clustered
from tests.factories import make_answer, make_clip, make_item, make_model, make_pack, make_run

pytestmark = pytest.mark.django_db
OBJECTS = 12


@pytest.fixture
def pack(db):
    """A star and a ring of objects: object 0 with every other one, as the second, and each with its neighbour."""
    pack = make_pack(benchmark="tapped", name="star", title="Star")
    clips = [make_clip(pack, key=f"object{number}") for number in range(OBJECTS)]
    pairs = [(number, 0) for number in range(1, OBJECTS)] + [(one, one % 11 + 1) for one in range(1, OBJECTS)]
    for number, pair in enumerate(pairs):
        choice = {"answer_kind": "choice", "options": ["object 1", "object 2"], "expected": "object 1"}
        facets = {"test": ("tapped",), "split": ("all",)}
        item = make_item(pack, kind="pair", key=f"pair{number}", facets=facets, **choice)
        for position, clip in enumerate(pair):
            ItemMedia.objects.create(item=item, clip=clips[clip], role="object", position=position)
    return pack


def answered(pack, name, wrong):
    run = make_run(pack, model=make_model(name=name), strategy="pair", condition="audio", parser="pacs-object")
    for number, item in enumerate(pack.items.order_by("pk")):
        make_answer(run, item, "object 2" if wrong(number) else "object 1")
    return run


@pytest.fixture
def runs(pack):
    """One run that fails on items with object 0, and one that is nearly always right."""
    found = answered(pack, "Fails", lambda number: number < 11), answered(pack, "Right", lambda number: number == 20)
    refresh()
    return found


def labels_of(pack):
    return [[media.clip_id for media in item.media.all()] for item in pack.items.order_by("pk")]


def test_intervals_differences_and_snapshots_know_both_objects(pack, runs):
    assert [slug for slug, one in BENCHMARKS.items() if one.clusters == "dyad"] == ["pacs", "tapped"]
    overall = Standing.objects.get(run=runs[0]).overall
    values, labels = np.arange(22) >= 11, labels_of(pack)
    both, first = clustered(values, labels), clustered(values, [one[0] for one in labels])
    assert (overall["low"], overall["high"]) == pytest.approx((both.low, both.high))
    assert both.high - both.low > 1.3 * (first.high - first.low)
    assert overall["clips"] == OBJECTS
    # a runs own page has the interval of its row
    overall, outcome = Standing.objects.get(run=runs[0]).overall, outcome_of(runs[0])
    for mark in (outcome.overall, outcome.tests["tapped"]):
        assert (mark.interval.low, mark.interval.high) == pytest.approx((overall["low"], overall["high"]))
    # a difference and its test know both objects
    found = difference(pairs_of(*runs))
    assert (found.n, found.clips, found.test) == (22, OBJECTS, SCORE)
    assert found.interval.high > 0, "ten items differ, but nearly all for the sake of one object"
    assert found.p > 0.05
    # shared errors and the detectable difference know both objects
    pairs = pairs_of(*runs)
    first, second = [pair.first > 0 for pair in pairs], [pair.second > 0 for pair in pairs]
    alone = error_consistency_interval(first, second, [pair.labels[0] for pair in pairs])
    found = together(pairs).consistency.interval
    assert found.high - found.low > 1.3 * (alone.high - alone.low)
    apart = [replace(pair, labels=(number, number)) for number, pair in enumerate(pairs)]
    assert difference(pairs).detectable is None, "as few as one independent item shows nothing"
    assert difference(apart).detectable is not None
    # a snapshot names both objects and can be verified
    view = view_of(BENCHMARKS["tapped"], {"condition": "audio", "split": "all", "pack": pack.name})
    content = content_of(view)
    assert sum("partner" in item for item in content["items"]) == 22
    assert differences_in(content) == []
    del content["items"][0]["partner"]
    assert differences_in(content)
