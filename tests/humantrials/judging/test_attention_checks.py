"""Attention items among the clips of a sheet: drawn and stored separately, flagged, never a rejection."""

import re
from collections import Counter
from dataclasses import replace

import pytest
from django.test import Client

from benchmarks.disclosure import hide, show
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models import Item
from benchmarks.storage.access import withdraw
from humantrials.errors import BadSetting
from humantrials.judging.answer_flags import flags_of
from humantrials.judging.attention_checks import (
    _draw,
    attention_items,
    attention_records,
    missed,
    places_of,
    questions_of_sheet,
)
from humantrials.judging.exclusion_rules import left_out
from humantrials.models import AttentionAnswer, Judgment, Participant, Slot, Trial
from humantrials.protocols import PROTOCOLS
from humantrials.protocols.catalogue.grasp_plausibility import GRASP_PLAUSIBILITY
from humantrials.protocols.protocol import Analysis
from humantrials.results import judgments
from humantrials.results.exports import judgment_rows
from humantrials.results.figures import figures_of
from humantrials.running.lifecycle import close_trial, create_trial, open_trial, pause_trial
from humantrials.running.monitoring import watch
from humantrials.running.verification import verify
from tests.factories import answer_to, make_clip, make_item, make_pack, sealed
from tests.humantrials.fixtures import TESTS, altered, consented, physics_item, physics_pack, running_trial, twin_pack
from tests.humantrials.plain_client import Walker
from tests.humantrials.running.test_transitions import NEW, fields, piloting
from tests.markup import compact

pytestmark = pytest.mark.django_db

ONE = {"attention_items": "1", "replicates": 1}
ONE_OF_CLEAR = ONE | {"attention": "clear"}
TURNED = {"yes": "no", "no": "yes"}


@pytest.fixture
def attentive(monkeypatch):
    """A protocol by whose rule people who miss an attention item are left out."""
    player, analysis = replace(GRASP_PLAUSIBILITY.player, swaps=False), Analysis(excludes=("missed-attention",))
    changed = replace(GRASP_PLAUSIBILITY, player=player, analysis=analysis)
    monkeypatch.setitem(PROTOCOLS, "grasp-plausibility", changed)
    return changed


@pytest.fixture
def trial(attentive):
    """Two sheets of two clips, with three clips to draw an attention item from."""
    pack, clear = physics_pack(tests=2), make_pack(name="clear")
    for _ in range(3):
        physics_item(clear, "Gravity", is_plausible=False)
    physics_item(pack, "Gravity", is_plausible=True, split=("all",))
    return running_trial(pack, **ONE_OF_CLEAR)


def items_on(trial, sheet) -> list[Item]:
    """The attention items of the sheet, drawn anew as in another process."""
    _draw.cache_clear()
    return [Item.objects.get(pk=item) for item in attention_items(trial, sheet.order)]


def finish(walker: Walker, attention: str) -> Walker:
    """Answer everything, with this answer to the attention item."""
    for _ in range(3):
        walker.answer(attention if walker.reader.positions[0] == 1 else "yes")
    return walker


def test_records_are_those_of_this_studys_people(trial, client):
    others = running_trial(trial.pack, slug="others", **ONE_OF_CLEAR)
    walkers = [finish(Walker(Client(), study).reach_trials(), "no") for study in (trial, others)]
    assert [*attention_records(trial, None)] == [walkers[0].person.pk]


def test_each_sheet_has_its_own_at_a_drawn_place_after_the_first_clip(trial):
    person = consented(trial)
    for sheet in trial.sheets.all():
        person.sheet = sheet
        asked = questions_of_sheet(person)
        assert sorted(one.position for one in asked) == [0, 1, 2]
        assert asked[0].position == 0
        assert asked == questions_of_sheet(person)
        (item,) = items_on(trial, sheet)
        assert not trial.slots.filter(item=item).exists()
        assert answer_to(item) == "no"
    assert verify(trial).broken == []


def test_neither_the_source_nor_an_address_tells_which_one_it_is(walker, trial):
    page = walker.reach_trials().text
    questions = re.findall(r"<li data-position.*?</li>", page, re.DOTALL)
    assert walker.reader.positions == [0, 1, 2]
    assert re.findall(r'data-src="[^"]*/m/(\d+)"', page) == ["0", "1", "2"]
    without_words = {re.sub(r"<span>.*?</span>|\d+", "", one, flags=re.DOTALL) for one in questions}
    assert (len(questions), len(without_words)) == (3, 1)


def test_its_answer_lies_apart_from_all_judgments(walker, trial):
    walker.reach_trials()
    assert "Video 1 of 3" in walker.text
    assert "3 short videos" in Walker(Client(), trial, name="other").text
    finish(walker, "no")
    assert walker.person.completion_code in walker.text
    assert Judgment.objects.count() == 2
    assert [row.position for row in AttentionAnswer.objects.all()] == [2]
    assert len(list(judgment_rows(trial))) == 1 + 2
    assert sum(vote.n for vote in judgments.votes(trial)) == 2


def test_no_answer_to_one_is_taken_before_the_practice(walker):
    walker.agree()
    for step in ("instructions", "practice"):
        refused = walker.send("answer/", position="1", answer="no")
        assert (walker.person.step, refused.status_code) == (step, 409)
        walker.press(step="instructions")
    assert not AttentionAnswer.objects.exists()


def test_the_first_answer_stands_and_a_strange_one_is_refused(walker):
    walker.reach_trials()
    for position, answer, status in (("1", "perhaps", 409), ("1", "no", 200), ("1", "yes", 200), ("3", "no", 409)):
        assert walker.send("answer/", position=position, answer=answer).status_code == status
    assert AttentionAnswer.objects.get().answer == "no"


@pytest.mark.requirement("P10")
def test_whoever_misses_one_is_flagged_gets_the_code_and_counts_on_the_sheet(walker, trial, staff):
    finish(walker.reach_trials(), "yes")
    person = Participant.objects.get(pk=walker.person.pk)
    assert (person.state, bool(person.completion_code)) == ("finished", True)
    assert person.judgments.filter(counts=True).count() == 2
    assert watch(trial)["quality"]["attention"] == (1, 1)
    assert "1 of 1 people missed too many" in staff.get(f"/trials/{trial.slug}/watch/").content.decode()
    assert "missed: said “yes”, not “no”" in staff.get(f"/trials/{trial.slug}/people/{person.code}/").content.decode()


def test_a_pilot_meets_them_too_and_a_withdrawal_erases_them(trial):
    walker = finish(piloting(Client(), trial).reach_trials(), "no")
    assert walker.person.pilot_answers.count() == 3
    assert not AttentionAnswer.objects.exists()
    walker = finish(Walker(Client(), trial).reach_trials(), "no")
    assert AttentionAnswer.objects.count() == 1
    walker.press(step="withdraw")
    assert not AttentionAnswer.objects.exists()


def test_whoever_finishes_without_an_answer_to_one_has_missed_it_until_it_arrives(walker, trial, staff):
    walker.reach_trials()
    for position in (0, 2):
        walker.post_answer(position)
    assert Walker(Client(), trial, name="half").reach_trials().post_answer(1, "no") == 200  # who is not finished yet
    person = Participant.objects.get(pk=walker.person.pk)
    assert (person.state, missed(trial)[person.pk]) == ("finished", 1)
    assert left_out(trial)["missed-attention"] == 1
    assert "missed: passed over" in staff.get(f"/trials/{trial.slug}/people/{person.code}/").content.decode()
    assert walker.post_answer(1, "no") == 200
    assert missed(trial)[person.pk] == 0


def test_the_rule_that_the_protocol_names_leaves_them_out_of_the_results(trial, monkeypatch, attentive, visitor):
    finish(Walker(Client(), trial, name="careless").reach_trials(), "yes")
    finish(Walker(Client(), trial, name="careful").reach_trials(), "no")
    close_trial(trial=trial)
    assert left_out(trial) == {"missed-attention": 1, "clip-not-seen": 0}
    page = visitor.get(f"/trials/{trial.slug}/").content.decode()
    assert 'people who missed more attention items than may be a slip (<span class="number">1</span>)' in compact(page)
    assert "1 who missed more attention items than may be a slip" in page
    assert sum(vote.n for vote in judgments.votes(trial)) == 2
    monkeypatch.setitem(PROTOCOLS, "grasp-plausibility", replace(attentive, analysis=Analysis()))
    assert left_out(trial) == {"missed-attention": 1, "clip-not-seen": 0}  # what was registered stays
    altered(trial, registered_rules=None)  # nothing is registered yet: the protocol's own rule
    assert left_out(trial) == {"clip-not-seen": 0}
    assert sum(vote.n for vote in judgments.votes(trial)) == 4


@pytest.fixture
def easy(db):
    """A pack with eight clips whose answers are known, and one item of another kind."""
    pack = physics_pack(tests=4, name="easy")
    make_item(pack, clip=make_clip(pack), expected="no", facets={"test": ("Movement",), "split": ("all",)})
    return pack


def test_an_author_takes_them_from_a_pack_and_they_count_for_nothing_else(easy, client):
    trial = running_trial(physics_pack(tests=2), replicates=2, attention="easy", attention_items="1")
    assert {item.pack for sheet in trial.sheets.all() for item in items_on(trial, sheet)} == {easy}
    assert easy.items.filter(sealed()).count() > 0
    walker = finish_named(Walker(client, trial).reach_trials())
    assert walker.person.has_finished
    assert walker.person.attention_answers.count() == 1
    assert walker.person.judgments.count() == 2
    assert watch(trial)["quality"]["attention"][1] == 1
    assert verify(trial).broken == []
    close_trial(trial=trial)
    assert not easy.items.filter(sealed()).exists()
    assert left_out(trial, "strict")["missed-any-attention"] == 1
    assert figures_of(trial, judgments.answers(trial)).whole.score == 1


def finish_named(walker: Walker) -> Walker:
    """Answer everything right except for the attention item."""
    for one in questions_of_sheet(walker.person):
        item = Item.objects.get(pk=one.item_id)
        is_slot = Slot.objects.filter(sheet=walker.person.sheet, item=item).exists()
        expected = str(answer_to(item))
        walker.answer(expected if is_slot else TURNED[expected])
    return walker


@pytest.fixture
def twins(db):
    """A pack made here with the twins of four draws, and one clip without a twin."""
    pack = twin_pack(1, 4, name="twins")
    physics_item(pack, TESTS[0], is_plausible=True, key=f"level2/P_{TESTS[0]}/004")
    return pack


def flagged(client, trial, answer_of, name="w"):
    """The flags of somebody who answers each question by `answer_of(item, how often it came before)`."""
    walker, before = Walker(client, trial, name).reach_trials(), Counter[int]()
    for one in questions_of_sheet(walker.person):
        walker.post_answer(one.number, answer_of(Item.objects.get(pk=one.item_id), before[one.item_id]))
        before[one.item_id] += 1
    assert walker.person.has_finished
    return {flag.name: flag.says for flag in flags_of(trial).get(walker.person.pk, ())}


def test_twins_come_in_pairs_and_who_answers_both_alike_is_flagged(twins, client):
    trial = running_trial(physics_pack(tests=6), replicates=1, attention="twins", attention_items="4")
    for sheet in trial.sheets.all():
        draws = Counter(item.key.rpartition("/")[2] for item in items_on(trial, sheet))
        assert sorted(draws.values()) == [2, 2]
    words = "0 of 2 pairs of twins both right (p = 1 by guessing)"
    assert words in flagged(client, trial, lambda item, before: "yes")["program"]
    assert "twins" not in flagged(Client(), trial, lambda item, before: answer_to(item), "other")["program"]


def test_few_named_items_are_asked_twice_and_who_changes_the_answers_is_flagged(twins, client):
    first, second = twins.items.filter(key__endswith="000")
    named = f"twins:{first.public_id},{second.public_id}"
    trial = running_trial(physics_pack(tests=6), replicates=1, attention=named, attention_items="4")
    assert all(Counter(items_on(trial, sheet)) == {first: 2, second: 2} for sheet in trial.sheets.all())
    flags = flagged(client, trial, lambda item, before: TURNED[answer_to(item)] if before else answer_to(item))
    assert "0 of 2 repeated questions answered the same (p = 1 by guessing)" in flags["program"]
    assert missed(trial) == {Participant.objects.latest("pk").pk: 2}
    with pytest.raises(BadSetting, match="none more often than twice"):
        running_trial(physics_pack(tests=6), slug="more", replicates=1, attention=named, attention_items="5")


def test_each_place_is_used_as_often_as_any_other_but_the_first():
    places = [tuple(places_of(2, 9, order, "seed")) for order in range(4)]
    assert sorted(first for first, _ in places) == [1, 2, 3, 4]
    assert sorted(second for _, second in places) == [5, 6, 7, 8]
    assert places_of(3, 4, 7, "seed") == [1, 2, 3]


@pytest.mark.parametrize(
    ("typed", "field", "said"),
    [
        ({"attention": "nothing"}, "attention", "there is no such pack"),
        ({"attention": "craft"}, "attention", "there is no such pack"),
        ({"attention": "easy:aaaa"}, "attention", "has no item aaaa with a known answer"),
        ({"attention": "easy:"}, "attention", "the name of a pack, or PACK:ITEM"),
        ({"attention": "statements"}, "attention", "has no plausibility items"),
        ({"attention": "withheld"}, "attention", "the answers to its items are not known here"),
        ({"attention": "easy", "attention_items": "3"}, "attention_items", "at most 2 fit"),
        ({"attention": "few", "attention_items": "2"}, "attention", "0 of them are not in the study itself"),
        ({"attention_items": "1"}, "attention_items", "need a source pack"),
    ],
)
def test_a_pack_that_can_be_no_source_is_refused_at_the_field(easy, staff, typed, field, said):
    asked = physics_pack(tests=3, name="few")
    statements = make_pack(name="statements")
    make_item(statements, clip=make_clip(statements), expected="no")
    make_pack(name="craft", benchmark="craft")
    hide(set(physics_pack(tests=1, name="withheld").items.values_list("pk", flat=True)), by="answers")
    assert said in refusals_at(staff, NEW, fields(asked, **typed))[field]
    assert not Trial.objects.exists()
    draft = create_trial(slug="x", protocol="grasp-plausibility", pack=asked)
    assert said in refusals_at(staff, "/trials/x/settings/", typed)[field]
    draft.refresh_from_db()
    assert draft.settings == {}


def refusals_at(client: Client, address: str, typed) -> dict[str, str]:
    """What is said at each field of the form at this address."""
    return {field: said.as_text() for field, said in client.post(address, typed).context["form"].errors.items()}


@pytest.mark.parametrize("by", ["trial:other", WITHHELD])
def test_an_item_whose_answer_is_secret_is_as_unknown_as_a_made_up_one(easy, author, by):
    """At the field of a new study, at the settings of a draft, and when a draft is opened."""
    asked, (secret, other) = physics_pack(tests=3, name="few"), easy.items.filter(kind="plausibility")[:2]
    named = ONE | {"attention": f"easy:{secret.public_id}"}
    draft = create_trial(slug="draft", protocol="grasp-plausibility", pack=asked, settings=named, author=author.user)
    hide([secret.pk], by=by)
    said = set()
    for name in (secret.public_id, "aaaa"):
        found = refusals_at(author, NEW, fields(asked, attention=f"easy:{name}"))["attention"]
        typed = {"attention": f"easy:{other.public_id},{name}"}
        found += refusals_at(author, "/trials/draft/settings/", typed)["attention"]
        said.add(found.replace(name, "ITEM"))
    assert len(said) == 1
    assert Trial.objects.get() == draft
    if by != WITHHELD:  # no sheet draws one that is withheld
        with pytest.raises(BadSetting, match=f"no item {secret.public_id} with a known answer"):
            open_trial(trial=draft)
        assert author.post("/trials/draft/manage/open/").status_code == 302
        assert Trial.objects.get(slug="draft").state == "draft"
        show(by=by)
        open_trial(trial=draft)


def test_the_seals_of_ones_own_studies_and_that_of_a_later_study_stop_no_study(easy, author):
    name = easy.items.filter(kind="plausibility").first().public_id
    trial = running_trial(author=author.user, **ONE, attention=f"easy:{name}")
    assert running_trial(slug="second", author=author.user, **ONE, attention="easy").state == "open"
    close_trial(trial=trial)
    open_trial(trial=trial)
    pause_trial(trial=trial)
    hide([Item.objects.get(public_id=name).pk], by="trial:later")
    open_trial(trial=trial)
    assert trial.state == "open"


def test_a_whole_pack_of_which_another_study_hides_some_is_refused(easy, author):
    hide([easy.items.filter(kind="plausibility").first().pk], by="trial:other")
    with pytest.raises(BadSetting, match="name others, as easy:ITEM,ITEM"):
        running_trial(author=author.user, **ONE, attention="easy")


def test_an_expected_answer_is_told_only_to_who_may_know_it(easy, author, django_user_model):
    """After another study has sealed the item: to staff, not to the author; after it is withheld: to nobody."""
    secret = easy.items.filter(kind="plausibility").first()
    trial = running_trial(physics_pack(tests=2), author=author.user, **ONE, attention=f"easy:{secret.public_id}")
    walker = finish_named(Walker(Client(), trial).reach_trials())
    staff = Client()
    staff.force_login(django_user_model.objects.create_superuser("staff"))
    address, told = f"/trials/{trial.slug}/people/{walker.person.code}/", f"not “{answer_to(secret)}”"
    assert told in author.get(address).content.decode()
    assert watch(trial)["quality"]["attention"] == (1, 1)
    hide([secret.pk], by="trial:other")
    assert told in staff.get(address).content.decode()
    page = author.get(address).content.decode()
    assert told not in page
    assert "not measured: the answer is withheld" in page
    assert watch(trial)["quality"]["attention"] is None
    assert missed(trial) == {}  # results are public
    hide([secret.pk], by=WITHHELD)
    assert told not in staff.get(address).content.decode()


def test_a_clip_that_is_withdrawn_takes_its_item_along_and_nobody_is_stopped(easy, client):
    one, other = easy.items.filter(kind="plausibility")[:2]
    named = f"easy:{one.public_id},{other.public_id}"
    trial = running_trial(physics_pack(tests=2), replicates=2, attention=named, attention_items="1")
    one.media.get().clip.delete()
    assert Walker(client, trial).reach_trials().page.status_code == 200
    assert all(items_on(trial, sheet) == [other] for sheet in trial.sheets.all())


def test_an_item_withdrawn_in_mid_study_leaves_the_sheets_and_nobody_has_missed_it(trial):
    """Other sheets keep their items; people who answered it get no flag, and others finish without it."""
    sheets = list(trial.sheets.all())
    drawn = [items_on(trial, sheet)[0] for sheet in sheets]
    walker = Walker(Client(), trial).reach_trials()
    finish(walker, "yes")
    assert missed(trial)[walker.person.pk] == 1
    withdraw(clip=items_on(trial, walker.person.sheet)[0].clip, why="faulty")
    assert missed(trial).get(walker.person.pk) is None
    assert [items_on(trial, sheet)[0] for sheet in sheets] == drawn
    late = Walker(Client(), trial, name="late").reach_trials()
    withdraw(clip=items_on(trial, late.person.sheet)[0].clip, why="faulty too")
    assert [late.post_answer(position) for position in (1, 0, 2)] == [200] * 3  # from a page that was open before
    assert "data-code" in late.client.get(late.road).content.decode()
    assert missed(trial) == {}
    assert verify(trial).broken == []
    later = running_trial(trial.pack, slug="later", **ONE_OF_CLEAR)  # draws from what is left
    assert not {item for sheet in later.sheets.all() for item in items_on(later, sheet)} & set(drawn)
    withdraw(clip=late.person.sheet.slots.first().item.clip, why="not shown any more")
    assert len(questions_of_sheet(late.person)) == 2  # its own stay, without a clip
