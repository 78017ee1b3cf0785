"""A second round: drawn when the first is complete, more answers where people disagreed, figures of both rounds."""

from collections import Counter

import pytest
from django.core.management import call_command

from benchmarks.disclosure import SCORER, with_expected
from humantrials.errors import BadSetting, WrongState
from humantrials.models import Judgment, SecondRound, Trial
from humantrials.planning.preregistration import preregistration_of
from humantrials.planning.second_round import answer_weights, round_progress
from humantrials.results import judgments
from humantrials.results.analysis_table import long_rows
from humantrials.results.data_set import Source
from humantrials.running.lifecycle import close_trial, create_trial, extend_trial, open_trial
from humantrials.running.verification import verify
from humantrials.tasks import draw_second_rounds
from measures.scores.scoring import exact_match
from tests.factories import answer_to, expects
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.results.test_judgments import everybody_answers, right

pytestmark = pytest.mark.django_db
SHEETS = 8


@pytest.fixture
def trial() -> Trial:
    """Two tests of four clips each, three answers per clip; the second round has eight slots per test."""
    return running_trial(physics_pack(tests=2, clips=2), replicates=3, second_round=str(SHEETS))


def torn(slot) -> str:
    """People disagree on one plausible clip of each test."""
    hard = min(slot.sheet.trial.slots.filter(expects("yes", "item")).values_list("item_id", flat=True))
    return "no" if slot.item_id == hard and slot.replicate % 3 == 1 else right(slot)


def filled(trial: Trial, answer=torn) -> Trial:
    everybody_answers(trial, answer)
    return Trial.objects.get(pk=trial.pk)


def test_it_is_drawn_when_the_first_round_is_complete_and_once(trial):
    assert draw_second_rounds() == 0
    with pytest.raises(WrongState, match="0 of 12 sheets of the first round are finished"):
        extend_trial(trial=trial)
    trial = filled(trial)
    assert (round_progress(trial).is_due, draw_second_rounds(), draw_second_rounds()) == (True, 1, 0)
    extend_trial(trial=trial)
    assert trial.sheets.count() == 12 + SHEETS
    assert [sheet.slots.count() for sheet in trial.sheets.all()] == [2] * 20
    assert verify(trial).broken == []


def test_items_on_which_people_disagree_get_more_and_every_item_gets_one(trial):
    trial = filled(trial)
    extend_trial(trial=trial)
    sizes = SecondRound.objects.get().sizes
    hard = Judgment.objects.filter(expects("yes", "item"), answer="no").values_list("item__draw_key", flat=True)[0]
    assert sizes[hard] == max(sizes.values()) == 3
    assert min(sizes.values()) == 1
    assert dict(Counter(trial.slots.filter(replicate__gte=3).values_list("item__draw_key", flat=True))) == sizes
    later = with_expected(trial.slots.filter(replicate__gte=3), to=SCORER, item="item")
    halves = Counter(later.values_list("sheet", "expected"))
    assert set(halves.values()) == {1}  # each sheet has one plausible and one implausible clip


def test_a_changed_sheet_of_the_second_round_breaks_the_design(trial):
    trial = filled(trial)
    extend_trial(trial=trial)
    assert verify(trial).facts["design_ok"]
    SecondRound.objects.update(sizes={**SecondRound.objects.get().sizes, "other": 1})
    assert not verify(Trial.objects.get(pk=trial.pk)).facts["design_ok"]


def test_another_study_with_a_second_round_leaves_a_design_as_it_was(trial):
    extend_trial(trial=filled(trial))
    assert verify(running_trial(physics_pack(tests=2, clips=2), slug="plain", replicates=5)).facts["design_ok"]


def test_majorities_stay_and_the_share_of_both_rounds_weighs_every_item_alike(trial, visitor):
    trial = filled(trial)
    before = judgments.votes(trial)
    extend_trial(trial=trial)
    trial = filled(trial)
    assert judgments.votes(trial) == before
    close_trial(trial=trial)
    both = judgments.both_rounds(trial)
    assert both.n == trial.slots.count() == 40
    shares = {}
    for row in trial.judgments.select_related("item", "slot"):
        rounds = shares.setdefault(row.item_id, ([], []))
        rounds[row.slot.replicate >= 3].append(exact_match(row.answer, answer_to(row.item)))
    by_hand = [0.6 * sum(one) / len(one) + 0.4 * sum(two) / len(two) for one, two in shares.values()]
    assert both.score == pytest.approx(sum(by_hand) / len(by_hand))
    assert both.interval.low < both.score < both.interval.high
    page = visitor.get("/trials/running/").content.decode()
    assert "Both rounds" in page
    assert "a second of eight sheets asked every item again" in page


def test_the_long_table_has_round_and_weight(trial):
    trial = filled(trial)
    extend_trial(trial=trial)
    trial = filled(trial)
    header, *rows = long_rows(trial, Source(trial).names)
    found = [dict(zip(header, row, strict=True)) for row in rows]
    assert Counter(row["round"] for row in found) == {1: 24, 2: 16}
    weights = Counter()
    for row in found:
        weights[row["item"]] += row["weight"]
    assert list(weights.values()) == pytest.approx([1.0] * 8, abs=1e-5)


def test_a_half_with_an_item_that_waits_has_the_first_round_alone(trial):
    plausible = trial.slots.filter(expects("yes", "item")).order_by("item_id")
    first, second = plausible.values_list("item_id", flat=True)[::3][:2]
    assert first != second
    assert answer_weights(trial, [(first, 0), (first, 3), (second, 0)]) == [1.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("sheets", "why"),
    [("3", "3 sheets can't ask every item once more: 4 can"), ("0", "second_round=0: sheets of a second round")],
)
def test_a_budget_that_can_not_be_is_refused(sheets, why):
    few = {"pack": physics_pack(tests=2, clips=2), "settings": {"second_round": sheets}}
    with pytest.raises(BadSetting, match=why):
        create_trial(slug="few", protocol="grasp-plausibility", **few)


def test_the_page_says_it_at_the_field_and_plan_and_preregistration_name_it(staff):
    draft = create_trial(slug="draft", protocol="grasp-plausibility", pack=physics_pack(tests=2, clips=2))
    refused = staff.post("/trials/draft/settings/", {"second_round": "3"})
    assert refused.status_code == 400
    assert "3 sheets can&#x27;t ask every item once more: 4 can" in refused.content.decode()
    assert staff.post("/trials/draft/settings/", {"second_round": "6"}).status_code == 302
    draft.refresh_from_db()
    open_trial(trial=draft)
    assert preregistration_of(draft)["sample"]["second_round"].startswith("6 further sheets")
    assumed = {"share": 80, "people": 10, "items": 20, "reference": 50, "wanted": 5, "pay": 2}
    page = staff.get("/trials/draft/plan/", assumed)
    assert "0 of its 12 sheets are" in " ".join(page.content.decode().split())
    assert page.context["extra"] == 12


def test_the_author_may_draw_it_by_hand(trial, staff):
    assert "/manage/extend/" not in staff.get("/trials/running/manage/").content.decode()
    filled(trial)
    assert "/manage/extend/" in staff.get("/trials/running/manage/").content.decode()
    assert "8 sheets of the second round" in staff.get("/trials/running/manage/extend/").content.decode()
    staff.post("/trials/running/manage/extend/")
    assert SecondRound.objects.count() == 1
    call_command("verify_trial", "running")
