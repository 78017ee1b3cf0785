"""Planning a study: precision, power and cost before it opens, and a stopping rule by precision while it runs."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from accounts.models import User
from accounts.roles import Role
from benchmarks.disclosure import hide
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models import Item
from humantrials.models import PilotAnswer, Trial
from humantrials.planning.preregistration import preregistration_of
from humantrials.planning.sample_size import ASSUMED, Price, pilot_of, plans, progress, suggested
from humantrials.running.lifecycle import create_trial, open_trial
from tests.factories import answer_to, make_participant, set_expected
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.results.test_judgments import everybody_answers, full_trial, right

pytestmark = pytest.mark.django_db
FIELDS = {"share": "80", "people": "10", "items": "20", "reference": "50", "wanted": "10", "pay": "2", "fee": "33"}


@pytest.fixture
def draft() -> Trial:
    pack = physics_pack(tests=4, clips=2)
    return create_trial(slug="draft", protocol="grasp-plausibility", pack=pack, settings={"replicates": "3"})


def test_more_answers_are_more_precise_and_cost_more(draft):
    price = Price(Decimal("2.00"), Decimal("0.33"))
    found = plans(draft, ASSUMED, reference=0.5, wanted=0.2, price=price, budget=Decimal(50))
    assert [plan.half_width for plan in found] == sorted((plan.half_width for plan in found), reverse=True)
    assert [plan.power for plan in found] == sorted(plan.power for plan in found)
    assert [plan.replicates for plan in found] == [1, 2, 3, 5, 7, 9, 11, 15, 21, 31]
    (own,) = (plan for plan in found if plan.is_own)
    assert (own.replicates, own.size.people, own.size.answers, own.size.items) == (3, 12, 48, 16)
    assert own.cost == Decimal("2.66") * 12
    assert [plan.is_affordable for plan in found] == [plan.size.people * price.of_one <= 50 for plan in found]
    chosen = suggested(found)
    assert chosen is None or (chosen.is_affordable and chosen.half_width <= 0.2)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"budget": "2.65"}, "This budget pays nobody: one person costs 2.66 with the fee."),
        ({"budget": "100", "pay": ""}, "A budget needs the pay per sheet."),
        ({"share": "95", "items": "40"}, "people and items together can’t vary by more than 22 points"),
        ({"wanted": "0"}, "greater than or equal to 0.5"),
        ({"share": "nan"}, "Enter a number"),
    ],
)
def test_what_can_not_be_is_said_at_the_field(draft, staff, changed, said):
    page = staff.get("/trials/draft/plan/", FIELDS | changed)
    assert page.status_code == 400
    assert said in page.content.decode().replace("&#x27;", "’").replace("can't", "can’t")
    assert not page.context.get("plans")


def test_a_draft_registers_its_stopping_rule(draft, staff):
    assert "Register ±10.0 points" in staff.get("/trials/draft/plan/", FIELDS).content.decode()
    assert staff.post("/trials/draft/plan/", FIELDS | {"wanted": "7.5"}).status_code == 302
    draft.refresh_from_db()
    open_trial(trial=draft)
    assert preregistration_of(draft)["sample"]["precision_points"] == 7.5
    staff.post("/trials/draft/plan/", FIELDS | {"wanted": "20"})
    draft.refresh_from_db()
    assert draft.settings["precision"] == 7.5


def try_out(draft, items):
    """Six pilots answer these items, three of four rightly."""
    for number in range(6):
        person = make_participant(draft, kind="pilot")
        for position, item in enumerate(items):
            said = answer_to(item) if (number + position) % 4 else "unknown"
            PilotAnswer.objects.create(participant=person, item=item, position=position, answer=said)


def test_the_pilot_fills_the_form(draft, staff):
    try_out(draft, [slot.item for slot in draft.slots.select_related("item").order_by("pk")[:8]])
    now = timezone.now()
    times = {"state": "finished", "consented_at": now - timedelta(minutes=8), "finished_at": now}
    make_participant(draft, **times | {"finished_at": now + timedelta(hours=9)})  # who is no pilot
    assert pilot_of(draft).minutes is None
    draft.participants.filter(kind="pilot").update(**times)
    pilot = pilot_of(draft)
    assert (pilot.people, pilot.answers, pilot.minutes) == (6, 48, 8)
    assert pilot.variation.share == pytest.approx(0.75)
    page = staff.get("/trials/draft/plan/")
    assert "Started from the pilot: 6 people, 48 answers." in page.content.decode()
    assert page.context["form"].data["share"] == 75.0
    assert page.context["plans"]


def owned(trial: Trial) -> None:
    """Give the trial an author who is not staff."""
    trial.author = User.objects.create_user("author", role=Role.AUTHOR)
    trial.save()


@pytest.mark.parametrize("by", ["trial:other", WITHHELD])
def test_scores_of_pilots_and_people_leave_out_what_is_secret(draft, staff, by):
    """Else a group of pilots could ask for one answer after the other: their exact share is on the page."""
    items = list(draft.pack.items.order_by("pk")[:8])
    try_out(draft, items)
    owned(draft)
    before = pilot_of(draft)
    hide([item.pk for item in items[:4]], by=by)
    pilot, public = pilot_of(draft), set(items[4:])
    assert (before.answers, before.unmeasured, pilot.answers, pilot.unmeasured) == (48, 0, 24, 24)
    wrong = PilotAnswer.objects.filter(answer="unknown", item__in=public).count()
    assert pilot.variation.share == pytest.approx(1 - wrong / 24)
    page = staff.get("/trials/draft/plan/")
    assert "Not measured: 24 answers" in page.content.decode()
    flipped = {item.pk: {"yes": "no", "no": "yes"}[answer_to(item)] for item in items[:4]}
    for pk, other in flipped.items():
        set_expected(Item.objects.filter(pk=pk), other)
    assert pilot_of(draft) == pilot
    assert staff.get("/trials/draft/plan/").context["form"].data == page.context["form"].data


def mostly_right(slot) -> str:
    return right(slot) if slot.pk % 3 else "no"


@pytest.mark.parametrize("by", ["trial:other", WITHHELD])
def test_precision_of_a_running_study_does_not_depend_on_secret_answers(staff, by):
    trial = full_trial(mostly_right, physics_pack(tests=4), replicates=3, precision="30")
    owned(trial)
    secret = list(trial.pack.items.order_by("pk")[:4])
    open_figures = progress(trial)
    hide([item.pk for item in secret], by=by)
    shown = progress(trial)
    assert (open_figures.counted, open_figures.unmeasured, shown.counted, shown.unmeasured) == (24, 0, 12, 12)
    pages = [staff.get(f"/trials/running/{name}/").content.decode() for name in ("plan", "watch")]
    assert all("Not measured: 12 answers" in page for page in pages)
    set_expected(Item.objects.filter(pk__in=[item.pk for item in secret]), "no")
    assert progress(trial) == shown


def test_progress_looks_at_the_interval_alone(staff):
    trial = running_trial(physics_pack(tests=4), replicates=3, precision="30")
    assert (progress(trial).now, progress(trial).is_enough) == (None, False)
    everybody_answers(trial, mostly_right)
    now = progress(trial)
    assert (now.counted, now.wanted) == (24, 0.3)
    assert now.is_enough == (now.now <= 0.3)
    assert "half the 95 % interval is" in staff.get("/trials/running/plan/").content.decode()
    trial.settings["precision"] = 0.5
    assert not progress(trial).is_enough


def test_a_study_without_a_rule_shows_none(draft, staff):
    assert progress(draft) is None
    assert "Started from assumptions" in staff.get("/trials/draft/plan/").content.decode()
