"""Settings of a draft on the author's page: changed until the first opening, which freezes them."""

import pytest

from humantrials.desk.plan_views import store_settings
from humantrials.judging.pilot_exclusions import what_pilots_say
from humantrials.models import PilotAnswer, Trial
from humantrials.planning.preregistration import preregistration_of
from humantrials.running.lifecycle import create_trial, open_trial
from humantrials.running.transitions import ACTS
from humantrials.running.verification import verify
from tests.factories import answer_to
from tests.humantrials.fixtures import physics_pack
from tests.humantrials.running.test_transitions import NEW, fields

pytestmark = pytest.mark.django_db
ADDRESS = "/trials/drafted/settings/"


@pytest.fixture
def draft(db) -> Trial:
    settings = {"replicates": 1, "gates": "computer width=800", "rules": "straight-lining below-chance=0.001"}
    return create_trial(slug="drafted", protocol="grasp-plausibility", pack=physics_pack(tests=1), settings=settings)


def test_a_draft_is_changed_and_what_the_sheets_were_made_from_stays(draft, staff):
    form = staff.get(ADDRESS).context["form"]
    assert form["gates"].value() == "computer width=800"
    assert form["rules"].value() == "straight-lining below-chance=0.001"
    assert "replicates" not in form.fields
    assert not {"frames", "layout"} & set(form.fields)  # of studies that show stills
    more = [field.name for _title, fields in form.grouped for field in fields]
    assert sorted([*more, *form.first_names]) == sorted(form.fields)
    assert (len(form.first), len(more)) == (4, form.more_count)
    assert "rules=straight-lining below-chance=0.001" in staff.get("/trials/drafted/manage/").content.decode()
    typed = {name: form[name].value() or "" for name in form.fields}
    page = staff.post(ADDRESS, typed | {"confidence": "7", "seal": "false", "replicates": "9"}, follow=True)
    assert "The settings are saved" in page.content.decode()
    before, draft = draft.settings, Trial.objects.get()
    assert draft.settings == before | {"confidence": "7", "seal": False}
    assert draft.events.get(kind="settings").by == staff.user
    assert verify(draft).broken == []
    staff.post(ADDRESS, {})
    assert Trial.objects.get().settings == {"replicates": 1}


def test_a_bad_one_is_named_at_its_field_and_nothing_is_kept(draft, staff):
    page = staff.post(ADDRESS, {"confidence": "1", "why": "0.2"})
    assert page.status_code == 400
    assert list(page.context["form"].errors) == ["confidence"]
    assert "steps from 2 to 7" in page.content.decode()
    assert Trial.objects.get().settings == draft.settings
    page = staff.post(ADDRESS, {"rules": "strait-lining"}).content.decode()
    assert "&#x27;strait-lining&#x27; is no rule; there are: answered-too-few" in page


def test_rules_that_would_leave_out_the_whole_pilot_are_refused_at_their_field(draft, staff):
    person = draft.participants.create(kind="pilot", state="finished", token="tried", code="tried")
    items = [slot.item for slot in draft.slots.all()] * 8
    for n, item in enumerate(items[:8]):
        played = {"answer": answer_to(item), "playback": {"leaves": n % 2}}
        PilotAnswer.objects.create(participant=person, item=item, position=n, **played)
    page = staff.post(ADDRESS, {"rules": "straight-lining left-the-page=0.4"})
    assert page.status_code == 400
    said = "left-the-page: this would leave out the one person of the pilot."
    assert page.context["form"].errors == {"rules": [said]}
    assert staff.post(ADDRESS, {"rules": "left-the-page=0.5"}).status_code == 302
    PilotAnswer.objects.update(playback={"leaves": 1})
    assert said in " ".join(ACTS["open"].will(Trial.objects.get()))
    draft.participants.create(kind="pilot", state="stopped", token="left", code="left")
    assert not what_pilots_say(draft, {"watched-too-little": 1.0, "below-chance": 0.01, "missed-attention": 0})
    assert what_pilots_say(draft, {"watched-too-little": 0.9}).startswith("watched-too-little")


def test_the_first_opening_freezes_them(draft, staff):
    open_trial(trial=draft)
    page = staff.get(ADDRESS)
    assert "Frozen when the study was first opened." in page.content.decode()
    assert "below-chance=0.001" in page.content.decode()
    assert staff.post(ADDRESS, {"confidence": "7"}).status_code == 409
    assert Trial.objects.get().settings == draft.settings == preregistration_of(draft)["design"]["settings"]


def test_a_new_study_takes_rules_and_equipment_as_they_are_typed(staff):
    typed = fields(physics_pack(tests=1), gates="computer width=800", rules="below-chance=0.001")
    assert staff.post(NEW, typed).status_code == 302
    assert Trial.objects.get().settings == {"gates": ["computer", "width=800"], "rules": [["below-chance", 0.001]]}


def test_a_form_that_was_open_while_the_study_opened_changes_nothing(draft, django_user_model):
    by = django_user_model.objects.create_user("late", "late@example.org", "a long password 1")
    open_trial(trial=Trial.objects.get())
    assert not store_settings(trial=draft, typed={"confidence": "7"}, by=by)
    assert Trial.objects.get().settings == draft.settings
