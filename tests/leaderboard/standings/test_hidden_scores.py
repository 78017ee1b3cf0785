"""Rows with hidden answers: their public figures, which reveal no single answer."""

import re
from itertools import pairwise

import pytest

from benchmarks.disclosure import hide, show
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models import Item
from benchmarks.models.answers import ItemSeal
from evaluation.models import Score
from evaluation.runs.results import accuracies, outcome_of, store_results
from leaderboard.models import Standing
from leaderboard.standings.paired_differences import answers_of, pairs_of
from leaderboard.standings.refresh import refresh
from leaderboard.standings.stored_cells import ANSWERS_A_STEP, step_of
from tests.factories import answer_to, make_answers, make_clip, make_item, make_model, make_pack, make_run, set_expected

pytestmark = pytest.mark.django_db
EXACT = {"p", "d_prime", "criterion", "positive", "negative", "repeats"}


def pack_of(count, **values):
    pack = make_pack(**values)
    for number in range(count):
        expected = ("yes", "no")[number % 2]
        polarity = "positive" if number % 2 else "negative"
        facets = {"test": ("Color" if number < 4 else "Shape",), "polarity": (polarity,)}
        make_item(clip=make_clip(pack), public_id=f"i{number:03}", expected=expected, facets=facets)
    return pack


def answered(pack, right):
    run = make_run(pack)
    items = enumerate(pack.items.order_by("public_id"))
    make_answers(run, {item: answer_to(item) if number < right else "perhaps" for number, item in items})
    return run


def withhold(items):
    ItemSeal.objects.bulk_create(ItemSeal(item=item, by=WITHHELD) for item in items)


STEPS = {20: 0.2, 39: 0.2, 40: 0.1, 64: 0.1, 400: 0.01, 1164: 0.005, 3999: 0.002, 4000: 0.001, 10**6: 0.001}


def test_the_step_is_of_at_least_four_answers():
    assert {items: step_of(items) for items in STEPS} == STEPS
    assert min(step * items for items, step in STEPS.items()) >= ANSWERS_A_STEP


def test_a_row_of_hidden_answers_is_rounded_and_tells_nothing_by_answer():
    pack = pack_of(64)
    withhold(pack.items.all())
    answered(pack, 40)
    refresh()
    row = Standing.objects.get()
    assert (row.overall["score"], row.overall["n"], row.overall["step"]) == (0.6, 64, 0.1)
    assert not EXACT & row.overall.keys()
    assert all(round(row.overall[end] / 0.1, 6).is_integer() for end in ("low", "high"))
    assert "polarity" not in row.cells
    assert row.cells["test"].keys() == {"Shape"}  # four hidden answers to "Color" are not counted


@pytest.mark.parametrize(("hidden", "tested"), [(0, True), (10, True), (64, False)])
def test_ranks_tell_nothing_of_hidden_answers(client, hidden, tested):
    """Two rows that differ only on the first ten items: if these are hidden, ranks do not differ."""
    pack = pack_of(64)
    withhold(pack.items.order_by("public_id")[:hidden])
    answered(pack, 64)
    other = make_run(pack, model=make_model(name="Other", slug="other"))
    items = enumerate(pack.items.order_by("public_id"))
    make_answers(other, {item: "perhaps" if number < 10 else answer_to(item) for number, item in items})
    refresh()
    board = client.get("/leaderboard/grasp/?format=json&rows=run").json()
    assert board["ranks"] == ("simultaneous" if tested else "pairwise")
    assert sorted(row["rank"] for row in board["rows"]) == ([[1, 1], [2, 2]] if not hidden else [[1, 2], [1, 2]])


@pytest.mark.parametrize("is_withheld", [True, False])
def test_a_board_says_in_words_that_figures_are_rounded_and_to_what(client, is_withheld):
    pack = pack_of(64)
    if is_withheld:
        withhold(pack.items.all())
    answered(pack, 40)
    refresh()
    page = client.get(f"/leaderboard/grasp/?pack={pack.name}").content.decode()
    assert ("Figures that include withheld answers are rounded" in page) is is_withheld
    assert ("rounded to 10 points, since some answers are withheld" in page) is is_withheld


def test_one_answer_more_mostly_shows_as_nothing():
    pack = pack_of(40)
    withhold(pack.items.all())
    for right in range(40):
        answered(pack, right)
    refresh()
    shown = [row.overall["score"] for row in Standing.objects.order_by("run_id")]
    assert len(shown) == 40
    assert sum(one != other for one, other in pairwise(shown)) <= 40 / ANSWERS_A_STEP


def test_of_few_hidden_answers_among_public_ones_nothing_is_told():
    pack = pack_of(64)
    withhold(pack.items.order_by("public_id")[:19])
    rows = [answered(pack, right) for right in (19, 0)]
    assert {row.pk for row in rows} == {row.run_id for row in refreshed()}
    first, second = (row.overall for row in refreshed())
    assert first == second
    assert (first["n"], "step" in first) == (64 - 19, False)
    hide([pack.items.order_by("public_id")[19].pk], by="trial:x")
    assert [(row.overall["n"], row.overall["step"]) for row in refreshed()] == [(64, 0.1)] * 2


def refreshed():
    refresh()
    return list(Standing.objects.order_by("run_id"))


def test_what_the_definition_says_tells_is_counted_of_public_answers_alone():
    pack = pack_of(64)
    withhold(pack.items.order_by("public_id")[:40])
    answered(pack, 64)
    cells = refreshed()[0].cells["polarity"]
    assert {name: cell["n"] for name, cell in cells.items()} == {"positive": 12, "negative": 12}


def test_pairs_are_of_public_answers_alone():
    pack = pack_of(8)
    withhold(pack.items.order_by("public_id")[:4])
    pairs = pairs_of(answered(pack, 8), answered(pack, 0))
    assert [pair.item.public_id for pair in pairs] == ["i004", "i005", "i006", "i007"]
    some = pack.items.filter(public_id__in=("i003", "i004", "i005")).values_list("pk", flat=True)
    whole, part = (answers_of(answered(pack, 8), among=among).scores for among in (None, [*some]))
    assert part == {pk: whole[pk] for pk in [*some][1:]}  # the first is withheld


def test_a_row_without_hidden_answers_is_exact():
    answered(pack_of(7), 5)
    overall = refreshed()[0].overall
    assert overall["score"] == 5 / 7
    assert overall.keys() >= EXACT - {"repeats", "p"}


def test_rows_and_results_follow_a_study_that_opens_and_closes(client):
    pack = pack_of(8)
    run = answered(pack, 4)
    store_results(run)
    assert refreshed()[0].overall["n"] == 8
    hide([item.pk for item in pack.items.order_by("public_id")[:4]], by="trial:x")
    run.refresh_from_db()
    assert (outcome_of(run).overall.accuracy, outcome_of(run).left_out) == (0.0, 4)
    assert (outcome_of(run, whole=True).overall.accuracy, accuracies([run])) == (0.5, {run.pk: 0.0})
    assert refreshed()[0].overall["n"] == 4
    assert "4 questions are left out of these scores" in client.get(f"/runs/{run.pk}/").content.decode()
    show(by="trial:x")
    run.refresh_from_db()
    assert (outcome_of(run).overall.accuracy, outcome_of(run).left_out) == (0.5, 0)
    assert refreshed()[0].overall["n"] == 8


def test_what_is_told_of_a_private_run_does_not_depend_on_hidden_answers(django_user_model, client):
    """The same file against a pack and its twin with all hidden answers reversed."""
    user = django_user_model.objects.create_user("ada")
    client.force_login(user)
    pack = pack_of(8)
    hidden = list(pack.items.order_by("public_id")[:4])
    withhold(hidden)
    run = answered(pack, 8)
    run.listing, run.owner = "private", user
    run.save()
    store_results(run)
    seen = seen_of(client, run)
    for score in scores_of(run, hidden):
        score.value = 1 - score.value
        score.save()
    set_expected(Item.objects.filter(pk__in=[item.pk for item in hidden]), "perhaps")
    store_results(run)
    for before, after in zip(seen, seen_of(client, run), strict=True):
        assert after.splitlines() == before.splitlines()


def seen_of(client, run):
    own = (f"/runs/{run.pk}/", f"/runs/{run.pk}/?part=live", f"/runs/{run.pk}/card.json", f"/models/{run.model.slug}/")
    addresses = (*own, "/models/", "/account/", "/submit/", "/api/v1/submissions/")
    pages = (client.get(address).content.decode() for address in addresses)
    return [re.sub(r'name="(csrfmiddlewaretoken|sheet)" value="[\w-]+"', "", page) for page in pages]


def scores_of(run, items):
    return Score.objects.of_run(run).filter(reading__response__cell__item__in=items)
