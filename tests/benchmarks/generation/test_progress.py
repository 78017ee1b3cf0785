"""The row of a pack in production is closed when the work ends, for whatever reason."""

from datetime import timedelta

import pytest
from django.utils import timezone

from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BeingImported, ContentRefused, StoreAway
from benchmarks.generation.distributed import import_production
from benchmarks.generation.ordered_imports import carry_out, order_import
from benchmarks.generation.progress import SILENT_AFTER, failures_recorded, is_silent, show_production, watched
from benchmarks.models import Production, ProductionBatch, ProductionState
from tests.benchmarks.grasp_release import write_release

pytestmark = pytest.mark.django_db


@pytest.fixture
def production():
    return Production.objects.create(benchmark="giraffe", pack_name="mine", state=ProductionState.MAKING)


def unheard_of(production):
    Production.objects.filter(pk=production.pk).update(updated_at=timezone.now() - SILENT_AFTER - timedelta(seconds=1))
    production.refresh_from_db()


@pytest.mark.parametrize(
    ("what", "comes_again", "state", "note"),
    [
        (ValueError("videos/ is missing"), True, "failed", "videos/ is missing"),
        (RuntimeError(), True, "failed", "RuntimeError"),
        (SystemExit(143), True, "making", ""),
        (SystemExit(143), False, "failed", "stopped"),
        (KeyboardInterrupt(), False, "failed", "stopped"),
        (StoreAway("the store is away"), True, "making", ""),
        (StoreAway("the store is away"), False, "failed", "the store is away"),
    ],
)
def test_a_failure_stands_on_the_row_but_queued_work_that_is_stopped_comes_again(
    production, what, comes_again, state, note
):
    with pytest.raises(type(what)), failures_recorded(production, comes_again=comes_again):
        raise what
    production.refresh_from_db()
    assert (production.state, production.note) == (state, note)


def test_progress_is_written_at_its_end_and_seldom_before(production, django_assert_num_queries):
    show = watched(production)
    show(1, 500)
    with django_assert_num_queries(1):
        for done in range(2, 501):
            show(done, 500)
    production.refresh_from_db()
    assert (production.clips_done, production.clips_total) == (500, 500)


def test_an_open_row_of_which_nothing_is_heard_is_silent_until_something_is(production):
    assert not is_silent(production)
    unheard_of(production)
    assert is_silent(production)
    show_production(production, clips_done=1)
    production.refresh_from_db()
    assert not is_silent(production)


def test_an_import_takes_the_place_of_a_production_whose_worker_was_killed(production, settings, tmp_path):
    settings.RELEASES_DIR = tmp_path
    (tmp_path / "release").mkdir()
    ProductionBatch.objects.create(production=production, number=0)
    with pytest.raises(ContentRefused, match="mine is being made or imported"):
        order_import(find_benchmark("giraffe"), folder="release", pack_name="mine")
    unheard_of(production)
    replaced = order_import(find_benchmark("giraffe"), folder="release", pack_name="mine")
    assert (replaced.pk, replaced.state, replaced.batches.count()) == (production.pk, ProductionState.WAITING, 0)
    import_production(replaced.pk)  # a late message of what was replaced
    replaced.refresh_from_db()
    assert replaced.state == ProductionState.WAITING


def test_the_row_of_an_import_says_what_the_release_lacks(settings, tmp_path):
    settings.RELEASES_DIR = tmp_path
    write_release(tmp_path / "release", ["P_Gravity"], 1)
    ordered = order_import(find_benchmark("grasp"), folder="release", pack_name="mine")
    carry_out(ordered.pk)
    ordered.refresh_from_db()
    assert ordered.note.startswith("1 clips, 61 items; not a whole release: 2 gaps, first in level1")


def test_an_order_to_make_clips_is_not_carried_out_as_an_import(production):
    production.order = {"out": "/nowhere"}
    production.save()
    carry_out(production.pk)
    production.refresh_from_db()
    assert production.state == ProductionState.MAKING


def test_an_import_that_somebody_else_carries_out_is_no_success_until_the_pack_stands(production, monkeypatch):
    def busy(*arguments, **options):
        raise BeingImported("pack mine is being imported by somebody else")

    monkeypatch.setattr("benchmarks.generation.distributed.import_release", busy)
    production.order = {"out": "/nowhere", "names": [], "first": 0, "count": 0, "seed": 0}
    production.order |= {"profile": "corrected", "size": [64, 48], "fps": 5}
    production.save()
    with pytest.raises(BeingImported):
        import_production(production.pk)
    production.refresh_from_db()
    assert production.state == ProductionState.FAILED
