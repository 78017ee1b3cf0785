"""The items of a strategy: only those of its level, even if other levels have image sequences, too."""

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.packs.export import template_rows
from evaluation.errors import RunMisused
from evaluation.models import Run
from evaluation.prompting.requests import cells_of
from evaluation.runs.lifecycle import start_run
from evaluation.runs.spec import by_clip
from evaluation.submissions.files.rows import Target
from tests.factories import make_clip, make_item, make_model, make_pack

pytestmark = pytest.mark.django_db
GIRAFFE = BENCHMARKS["giraffe"]
DATASETS = {"charades": "2", "clevrer": "3"}


@pytest.fixture
def pack():
    """Two data sets side by side, as `tools.giraffe_prepare` leaves them in one folder."""
    pack = make_pack(benchmark="giraffe")
    values = {"kind": "images", "answer_kind": "free", "options": [], "expected": None}
    for dataset, level in DATASETS.items():
        facets = {"level": (level,), "test": (dataset,), "polarity": ()}
        make_item(pack, clip=make_clip(pack, key=dataset), key=dataset, facets=facets, **values)
    return pack


@pytest.mark.parametrize(("strategy", "key"), [("activity-images", "charades"), ("physics-images", "clevrer")])
def test_a_run_a_template_and_a_submission_are_about_one_level(pack, strategy, key):
    run = start_run(model=make_model(kind="scripted"), pack=pack, strategy=strategy)
    assert [cell.item.key for cell in run.cells.all()] == [key]
    named = GIRAFFE.strategy(strategy)
    target = Target(GIRAFFE, pack, "m", named, "video", "all")
    assert [item.key for item in target.items()] == [key]
    (_, row) = template_rows(pack, named, pack.items.all())
    assert row["item"] == pack.items.get(key=key).public_id


def test_a_pack_without_that_level_says_so(pack):
    with pytest.raises(RunMisused, match="has no images questions for patterns-images in the split all"):
        start_run(model=make_model(kind="scripted"), pack=pack, strategy="patterns-images")


def test_kinds_of_one_level_alone_need_no_level():
    assert [one.name for one in GIRAFFE.strategies if not GIRAFFE.tells_by_level(one)] == [
        "activity-text",
        "patterns-choice",
        "patterns-choice-constrained",
        "patterns-choice-wordings",
    ]
    others = (benchmark for slug, benchmark in BENCHMARKS.items() if slug != "giraffe")
    assert not any(benchmark.tells_by_level(one) for benchmark in others for one in benchmark.strategies)


def test_a_referee_for_what_is_scored_by_rule_is_refused_before_anybody_is_asked():
    pack = make_pack(benchmark="giraffe")
    facets = {"level": ("4",), "test": ("automated-choice",), "polarity": ()}
    make_item(pack, clip=make_clip(pack), kind="choice", expected="a", options=[*"abcd"], facets=facets)
    asked = {"model": make_model(kind="scripted"), "pack": pack, "strategy": "patterns-choice"}
    with pytest.raises(RunMisused, match=r"no rubric is for its test \(automated-choice\): leave the referee out"):
        start_run(**asked, referee=make_model(kind="scripted"))
    assert not Run.objects.exists()


def test_questions_about_one_clip_follow_each_other_in_shards_and_requests():
    """Questions about one clip share its prompt prefix, so they follow each other, in the order of the draw."""
    pack = make_pack()
    clips = [make_clip(pack) for _ in range(3)]
    order = [0, 1, 0, 2, 1, 0]
    items = [make_item(pack, clip=clips[clip], draw_key=f"d{place}") for place, clip in enumerate(order)]
    run = start_run(model=make_model(), pack=pack, strategy="binary", seeds=(1, 0))
    (shard,) = run.shards.all()
    asked = [(cell.item.draw_key, cell.seed) for cell in cells_of(shard.pk, run)]
    assert asked == [(f"d{place}", seed) for place in (0, 2, 5, 1, 4, 3) for seed in (1, 0)]
    assert by_clip(pack, [items[3].pk, items[4].pk, items[1].pk]) == [items[3].pk, items[4].pk, items[1].pk]
