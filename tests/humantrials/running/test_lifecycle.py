"""Creating, opening, pausing and closing a trial."""

from collections import Counter

import pytest

from accounts.roles import Role
from benchmarks.disclosure import PUBLIC, Fact, hide, open_to
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models import Item, ItemFacet, Origin
from benchmarks.models.answers import ItemSeal
from humantrials.errors import BadSetting, EmptyPool, WrongState
from humantrials.models import Sheet, Slot, Trial, TrialState
from humantrials.participation.questions import practice_of, practice_sentence
from humantrials.protocols import find_protocol
from humantrials.running.lifecycle import close_trial, create_trial, mark_simulated, open_trial, pause_trial
from humantrials.running.transitions import ACTS
from humantrials.running.verification import verify
from tests.factories import answer_to, make_clip, make_item, make_pack, sealed
from tests.humantrials.fixtures import altered, consented, physics_item, physics_pack, running_trial, twin_pack
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db


def make(pack, **values) -> Trial:
    return create_trial(**{"slug": "made", "protocol": "grasp-plausibility", "pack": pack, "seed": 3, **values})


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
    assert shown.pk is None
    assert practice_sentence(find_protocol(trial.protocol), shown).endswith("final position of the top cube plausible?")
    assert make(pack, slug="moments", protocol="grasp-moment").has_own_practice is False


def test_no_draw_depends_on_a_withheld_answer():
    pack = physics_pack(tests=3, clips=4)
    hide(kept := pack.items.order_by("pk").values_list("pk", flat=True)[::3], by=WITHHELD)
    settings = {"per_test": "4", "replicates": "2", "seal": "false"}
    first = drawn(make(pack, slug="first", settings=settings, salt="0"))
    halves = {"plausible": "implausible", "implausible": "plausible"}
    for facet in ItemFacet.objects.filter(item__in=kept, name="polarity"):
        ItemFacet.objects.filter(pk=facet.pk).update(value=halves[facet.value])
    second = make(pack, slug="second", settings=settings, salt="0")
    assert drawn(second) == first
    assert all(one.holds for one in verify(second).invariants)


def drawn(trial: Trial) -> list[tuple[int, ...]]:
    """Sheet, position and item of each slot."""
    return list(trial.slots.order_by("sheet", "position").values_list("sheet__order", "position", "item"))


def test_what_the_study_of_another_author_hides_is_in_no_draft(django_user_model):
    pack = physics_pack(tests=3, clips=4)
    closed = set(pack.items.order_by("pk")[:6].values_list("pk", flat=True))
    hide(closed, by="trial:other")
    author = django_user_model.objects.create_user("author", role=Role.AUTHOR)
    asked = set(make(pack, slug="own", author=author).slots.values_list("item", flat=True))
    assert asked == set(pack.items.values_list("pk", flat=True)) - set(
        Item.objects.filter(sealed()).values_list("pk", flat=True)
    )
    assert closed <= set(make(pack, slug="of-staff").slots.values_list("item", flat=True))
    hide(pack.items.values_list("pk", flat=True), by="trial:other")
    with pytest.raises(EmptyPool, match="asked in a study that is open now"):
        make(pack, slug="none", author=author)


@pytest.mark.parametrize("protocol", ["grasp-plausibility", "grasp-frames", "grasp-moment", "grasp-twins"])
def test_a_smaller_pool_is_of_whole_pairs_so_that_hiding_twins_hides_no_more(protocol):
    pack = twin_pack(tests=16, pairs=2)
    trial = make(pack, protocol=protocol, settings={"per_test": "2", "replicates": "1", "split": "all"})
    asked = set(trial.slots.values_list("item_id", flat=True))
    assert (len(asked), pack.items.count()) == (32, 64)
    draws = Counter(key.replace("IP_", "P_") for key in Item.objects.filter(pk__in=asked).values_list("key", flat=True))
    assert set(draws.values()) == {2}
    assert all(one.holds for one in verify(trial).invariants)
    open_trial(trial=trial)
    assert set(Item.objects.filter(sealed()).values_list("pk", flat=True)) == asked
    close_trial(trial=trial)
    assert not ItemSeal.objects.exists()


@pytest.mark.parametrize("profile", ["corrected", "faithful"])
def test_the_twin_of_an_odd_clip_is_hidden_without_being_asked_about_and_authors_are_told(profile):
    settings = {"per_test": "3", "replicates": "1", "split": "all"}
    trial = make(twin_pack(tests=2, pairs=3, profile=profile), settings=settings)
    assert trial.slots.count() == 6
    told = " ".join(ACTS["open"].will(trial))
    assert "Of these, 2 items would tell" in told
    assert "Results are hidden until then" in told
    open_trial(trial=trial)
    assert Item.objects.filter(sealed()).count() == 8
    assert {answer_to(item) for item in Item.objects.filter(sealed()).exclude(slots__trial=trial)} == {"yes", "no"}


def test_no_practice_clip_is_the_twin_of_a_clip_in_the_study():
    pack = twin_pack(tests=1, pairs=3)
    trial = make(pack, protocol="grasp-moment", settings={"per_test": "3", "replicates": "1"})
    asked = {key.rpartition("/")[2] for key in trial.slots.values_list("item__key", flat=True)}
    assert trial.practice.key.rpartition("/")[2] not in asked
    assert make(pack, slug="all", protocol="grasp-moment", settings={"per_test": "5"}).practice is None


def test_no_practice_statement_is_the_opposite_of_one_in_the_study():
    pack = make_pack(origin=Origin.OFFICIAL, profile="")
    clip = make_clip(pack)
    for variant, expected in (("true", "yes"), ("false", "no")):
        make_item(pack, clip=clip, key=clip.key, variant=variant, expected=expected)
    assert make(pack, protocol="grasp-grounding", settings={"per_test": "1"}).practice is None


def test_practice_may_ask_something_else_about_a_clip_where_answers_are_not_bound():
    pack = make_pack(benchmark="craft")
    clip = make_clip(pack, key="000001")
    question = {"kind": "question", "answer_kind": "label", "facets": {"test": ("x",)}}
    for number in range(3):
        make_item(pack, clip=clip, key=f"000001/{number}", **question)
    assert make(pack, protocol="craft-five-part", settings={"items": "2"}).practice.clip == clip


@pytest.mark.parametrize("by", ["trial:other", WITHHELD])
def test_no_practice_clip_has_an_answer_that_is_secret(by):
    pack = twin_pack(tests=1, pairs=2)
    assert make(pack, protocol="grasp-moment", settings={"per_test": "2"}).practice.pack == pack
    hide(pack.items.values_list("pk", flat=True), by=by)  # all, since the later study draws with a salt of its own
    assert make(pack, slug="later", protocol="grasp-moment", settings={"per_test": "2"}).practice is None


def test_practice_tells_no_answer_that_was_sealed_since(client):
    """The own seal, which a pack of pairs may place on it, hides nothing from the study's people."""
    pack = physics_pack(tests=2, origin=Origin.OFFICIAL)
    outside = physics_item(pack, "Gravity", is_plausible=True, split=("all",))
    trial = make(pack)
    open_trial(trial=trial)
    walker = Walker(client, trial).agree().press(step="instructions")
    for by, is_told in ((trial.seal_name, True), ("trial:later", False), (WITHHELD, False)):
        hide([outside.pk], by=by)
        page = client.get(walker.road, {"practised": "no"})
        assert ("The answer is" in page.content.decode()) == is_told
        assert bool(page.context["right"]) == is_told
    assert walker.practise().reader.positions


def test_a_pack_or_a_limit_that_does_not_fit_the_protocol_is_refused():
    with pytest.raises(EmptyPool, match="no plausibility items"):
        make(make_pack())
    with pytest.raises(EmptyPool, match="asks about grasp, and craft/other is no pack of it"):
        make(make_pack(benchmark="craft", name="other"))
    with pytest.raises(BadSetting, match="has no setting 'items'; what limits its pool is 'per_test'"):
        make(physics_pack(tests=1), settings={"items": "4"})


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
    assert not Item.objects.filter(open_to(PUBLIC, Fact.ANSWER), slots__trial=trial).exists()
    close_trial(trial=trial)
    running_trial(trial.pack, seal="false")  # an author may leave them in sight
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
    trial = altered(make(physics_pack(tests=1)), state=state)
    if allowed:
        move(trial=trial)
    else:
        with pytest.raises(WrongState, match=state):
            move(trial=trial)


def test_one_simulated_request_marks_a_trial_for_ever_unless_people_have_taken_part():
    trial = running_trial()
    for _ in range(2):
        mark_simulated(trial=trial)
    assert (trial.is_simulated, trial.answers_version) == (True, 1)
    other = running_trial(trial.pack, slug="other")
    consented(other)
    with pytest.raises(WrongState, match="people have taken part"):
        mark_simulated(trial=other)
    other.refresh_from_db()
    assert not other.is_simulated


def laid_out(trial) -> list[tuple]:
    columns = ("sheet__order", "position", "item", "replicate")
    return sorted(Slot.objects.filter(trial=trial).values_list(*columns))


def test_who_knows_the_seed_can_not_lay_out_the_sheets():
    """Otherwise a participant could compute the sheets for each official clip that the visible one might be."""
    pack = physics_pack(tests=4, clips=4)
    first, other = make(pack), make(pack, slug="other")
    assert laid_out(other) != laid_out(first)
    assert other.salt != first.salt
    assert first.salt not in first.source_of_draws
    open_trial(trial=first)
    close_trial(trial=first)
    assert first.salt in first.source_of_draws
    again = make(pack, slug="again", salt=first.published_salt)
    assert (laid_out(again), again.design_hash) == (laid_out(first), first.design_hash)
    assert all(verify(trial).facts["design_ok"] for trial in (first, again, other))


@pytest.mark.parametrize("salt", ["", "salt", "a" * 33, "A5", "a5\n"])
def test_what_can_be_no_salt_is_refused(salt):
    with pytest.raises(BadSetting) as refused:
        make(physics_pack(tests=4, clips=4), salt=salt)
    assert refused.value.name == "salt"
    assert not Trial.objects.exists()
