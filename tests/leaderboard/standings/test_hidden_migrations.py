"""Migrations of rows from before the current rules for hidden answers."""

from importlib import import_module

import pytest
from django.apps import apps

from benchmarks.models import ItemSeal
from evaluation.models import Run
from evaluation.runs.results import store_results
from leaderboard.models import Standing
from leaderboard.standings.refresh import refresh
from tests.factories import make_answer, make_item, make_pack, make_run

pytestmark = pytest.mark.django_db
ROWS = [["level", "1", 4, 4], ["polarity", "positive", 1, 2], ["test", "Color", 2, 2]]


def migrated():
    cards = import_module("evaluation.migrations.0010_cards_tell_no_answers")
    for step in (cards.strip_coverage, cards.forget_results):
        step(apps, None)
    import_module("leaderboard.migrations.0007_round_hidden_scores").drop_standings(apps, None)


def stored(pack, **values):
    run = make_run(pack, kind="uploaded", card={"lint": {"coverage": ROWS, "rows": 4}, "history": []}, **values)
    make_answer(run, make_item(pack), "yes")
    store_results(run)
    return run


def test_stored_cards_lose_what_tells_and_rows_of_hidden_answers_go():
    sealed, public = stored(make_pack()), stored(make_pack())
    refresh()
    ItemSeal.objects.create(item=sealed.pack.items.get(), by="answers")
    migrated()
    for run in Run.objects.all():
        assert run.card == {"lint": {"coverage": [ROWS[0], ROWS[2]], "rows": 4}, "history": []}
    assert (Run.objects.get(pk=sealed.pk).results_version, Run.objects.get(pk=public.pk).results_version) == (None, 0)
    assert [row.run_id for row in Standing.objects.all()] == [public.pk]
    migrated()
    assert Standing.objects.count() == 1
