"""Creating, opening, pausing and closing a trial."""

import pytest

from benchmarks.models import Item, ItemSeal, Origin
from humantrials.errors import BadSetting, EmptyPool, WrongState
from humantrials.models import Sheet, Slot, Trial, TrialState
from humantrials.participation.questions import practice_of, practice_sentence
from humantrials.protocols import find_protocol
from humantrials.studies.lifecycle import close_trial, create_trial, mark_simulated, open_trial, pause_trial
from humantrials.studies.verification import verify
from tests.factories import make_clip, make_item, make_pack
from tests.humantrials.fixtures import consented, newcomer, physics_item, physics_pack, running_trial

pytestmark = pytest.mark.django_db


def make(pack, **values) -> Trial:
    return create_trial(**{"slug": "made", "protocol": "grasp-plausibility", "pack": pack, "seed": 3, **values})


def test_a_trial_has_k_slots_for_every_item_of_its_pool():
    trial = make(physics_pack(tests=16, clips=1))
    assert (trial.sheets.count(), trial.slots.count()) == (6, 16 * 2 * 3)
    assert {sheet.slots.count() for sheet in trial.sheets.all()} == {16}


def test_the_pool_is_the_split_shown_to_people():
    pack = physics_pack(tests=2, origin=Origin.OFFICIAL)
    outside = physics_item(pack, "Gravity", is_plausible=True, split=("all",))
    trial = make(pack)
    assert not Slot.objects.filter(item=outside).exists()
    assert trial.practice == outside


def test_practice_takes_a_grounding_clip_where_every_physics_clip_is_in_the_pool():
    pack = physics_pack(tests=1, origin=Origin.OFFICIAL)
    make_item(pack, clip=make_clip(pack), facets={"test": ("Color",)})
    moving = make_item(pack, clip=make_clip(pack), facets={"test": ("Movement",)})
    assert make(pack).practice == moving


def test_a_trial_without_another_clip_has_no_practice():
    trial = make(physics_pack(tests=1, origin=Origin.OFFICIAL))
    assert (trial.practice, trial.has_practice) == (None, False)


def test_beside_a_pack_made_here_practice_takes_the_sites_own_clip_which_is_no_item():
    pack = physics_pack(tests=2)
    physics_item(pack, "Gravity", is_plausible=True, split=("all",))
    trial = make(pack)
    assert (trial.practice, trial.has_practice) == (None, True)
    shown = practice_of(trial)
    assert (shown.pk, shown.expected) == (None, "no")
    assert practice_sentence(find_protocol(trial.protocol), shown).endswith("final position of the top cube plausible?")
    assert make(pack, slug="moments", protocol="grasp-moment").has_own_practice is False


def test_a_smaller_pool_is_taken_evenly():
    trial = make(physics_pack(tests=2, clips=3), settings={"per_test": "2", "replicates": "1"})
    expected = Item.objects.filter(slots__trial=trial).values_list("expected", flat=True)
    assert sorted(expected) == ["no", "no", "yes", "yes"]


@pytest.mark.parametrize(
    ("wished", "what"),
    [
        ({"colour": "red"}, "no setting 'colour'"),
        ({"replicates": "many"}, "a number from 1"),
        ({"replicates": "0"}, "a number from 1"),
        ({"seal": "perhaps"}, "true or false"),
        ({"completion_url": "javascript:alert(1)"}, "an https:// address"),
    ],
)
def test_a_wrong_setting_is_named(wished, what):
    with pytest.raises(BadSetting, match=what):
        make(physics_pack(tests=1), settings=wished)
    assert not Trial.objects.exists()


def test_a_pack_without_questions_for_people_is_refused():
    with pytest.raises(EmptyPool, match="no plausibility items"):
        make(make_pack())


def test_a_taken_name_is_refused_and_nothing_is_written():
    pack = physics_pack(tests=1)
    make(pack)
    with pytest.raises(BadSetting, match="already"):
        make(pack, seed=4)
    assert Sheet.objects.count() == 6


def test_an_open_trial_seals_its_items_until_it_closes():
    trial = make(physics_pack(tests=2))
    assert not ItemSeal.objects.exists()
    open_trial(trial=trial)
    assert set(ItemSeal.objects.values_list("by", flat=True)) == {"trial:made"}
    assert not Item.objects.filter(slots__trial=trial).unsealed().exists()
    close_trial(trial=trial)
    assert not ItemSeal.objects.exists()


def test_a_trial_may_leave_its_items_in_sight():
    running_trial(seal="false")
    assert not ItemSeal.objects.exists()


@pytest.mark.parametrize(
    ("state", "move", "allowed"),
    [
        (TrialState.DRAFT, pause_trial, False),
        (TrialState.DRAFT, close_trial, False),
        (TrialState.OPEN, pause_trial, True),
        (TrialState.PAUSED, open_trial, True),
        (TrialState.CLOSED, open_trial, True),
        (TrialState.ARCHIVED, open_trial, False),
        (TrialState.OPEN, open_trial, True),
    ],
)
def test_a_trial_moves_only_where_it_can(state, move, allowed):
    trial = make(physics_pack(tests=1))
    Trial.objects.update(state=state)
    trial.refresh_from_db()
    if allowed:
        move(trial=trial)
    else:
        with pytest.raises(WrongState, match=state):
            move(trial=trial)


def test_one_simulated_request_marks_a_trial_for_ever():
    trial = running_trial()
    newcomer(trial)  # a visitor who did not consent
    mark_simulated(trial=trial)
    mark_simulated(trial=trial)
    assert (trial.is_simulated, trial.answers_version) == (True, 1)


def test_a_trial_in_which_people_took_part_can_not_become_a_simulation():
    trial = running_trial()
    consented(trial)
    with pytest.raises(WrongState, match="people have taken part"):
        mark_simulated(trial=trial)
    trial.refresh_from_db()
    assert not trial.is_simulated


def laid_out(trial) -> list[tuple]:
    columns = ("sheet__order", "position", "item", "replicate")
    return sorted(Slot.objects.filter(trial=trial).values_list(*columns))


def test_who_knows_the_seed_can_not_lay_out_the_sheets(monkeypatch):
    """Otherwise a participant could compute the sheets for each official clip that the visible one might be."""
    pack = physics_pack(tests=4, clips=4)
    first, again = make(pack), make(pack, slug="again")
    assert laid_out(first) == laid_out(again)
    monkeypatch.setattr("humantrials.models.trials.token_hex", lambda size: "a5" * size)
    other = make(pack, slug="other")
    assert laid_out(other) != laid_out(first)
    assert other.salt != first.salt
    assert all(verify(trial).facts["design_ok"] for trial in (first, again, other))


def test_a_study_from_before_there_were_salts_is_laid_out_by_its_seed(monkeypatch):
    pack = physics_pack(tests=4, clips=4)
    monkeypatch.setattr("humantrials.models.trials.token_hex", lambda size: "")
    plain = make(pack)
    assert plain.draw_seed == plain.seed == 3
    assert verify(plain).facts["design_ok"]
    Trial.objects.filter(pk=plain.pk).update(salt="a5")
    assert not verify(Trial.objects.get(pk=plain.pk)).facts["design_ok"]
