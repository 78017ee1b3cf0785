"""CRAFT's human study: five parts, each question's own answers, "not clear", and inclusion."""

import json
from collections import Counter

import pytest
from django.core.management import call_command

from benchmarks.definitions.definition import ItemRow
from benchmarks.definitions.papers.craft import OPTIONS, prompt
from benchmarks.packs.import_release import _store_items
from humantrials.assignment.claims import claim_sheet, record_judgment
from humantrials.errors import BadAnswer
from humantrials.judging.exclusion_rules import RULES
from humantrials.protocols.catalogue.craft_five_part import CRAFT_FIVE_PART, NOT_CLEAR
from humantrials.protocols.designs.balanced import PoolItem
from humantrials.protocols.designs.dealt import draw_at_random, parts_of, sheets_of_parts
from humantrials.results import judgments
from humantrials.results.exports import write_export
from humantrials.results.figures import ConditionSummary, figures_of
from humantrials.results.methods_section import methods_of
from humantrials.running.lifecycle import close_trial
from humantrials.running.verification import verify
from leaderboard.publications.snapshot_verification import differences_in
from leaderboard.standings.human_rows import rows_of_trial
from leaderboard.standings.refresh import refresh
from tests.factories import make_clip, make_pack
from tests.humantrials.fixtures import consented, running_trial, whole_sheet
from tests.humantrials.plain_client import Walker
from tests.humantrials.results.test_judgments import everybody_answers, right

OFFICIAL = [PoolItem(f"q{number:03}", group=f"type-{number % 5 if number < 300 else 0}") for number in range(600)]


def test_481_questions_make_five_parts_of_96_or_97_with_every_type_in_its_share():
    kept = draw_at_random(OFFICIAL, 481, seed=1)
    pool = [one for one in OFFICIAL if one.item in kept]
    parts, types = parts_of(pool, seed=1), {one.item: one.group for one in pool}
    assert sorted(map(len, parts)) == [96, 96, 96, 96, 97]
    shares = [Counter(types[item] for item in part) for part in parts]
    assert all(max(each[name] for each in shares) - min(each[name] for each in shares) <= 1 for name in shares[0])


def test_parts_come_in_turn_and_each_sheet_has_an_order_of_its_own():
    sheets = sheets_of_parts(OFFICIAL[:50], 3, seed=2)
    assert len(sheets) == 15
    first, again = ({slot.item for slot in sheets[number]} for number in (0, 5))
    assert first == again
    assert [slot.item for slot in sheets[0]] != [slot.item for slot in sheets[5]]
    assert not first & {slot.item for slot in sheets[1]}
    assert sheets == sheets_of_parts(OFFICIAL[:50], 3, seed=2)


def test_fewer_questions_than_parts_make_no_empty_sheet():
    assert [len(sheet) for sheet in sheets_of_parts(OFFICIAL[:3], 1, seed=1)] == [1, 1, 1]


@pytest.fixture
def pack(db):
    """Twenty questions in each of two types, one of them true or false, as `save_rows` stores them."""
    pack = make_pack(benchmark="craft")
    clip = make_clip(pack, key="sid_1/1")
    rows = []
    for number in range(40):
        name, kind = ("Descriptive", "Count") if number < 20 else ("Cause", "Boolean")
        answers = {"answer_kind": "label", "options": OPTIONS[kind], "expected": OPTIONS[kind][1]}
        facets = {"level": ("1",), "test": (name,), "answer": (kind,)}
        place = {"key": f"sid_1/1/{number}", "kind": "question", "clip": "sid_1/1", "splits": ("all",)}
        rows.append(ItemRow(text=prompt(f"Is it so? {number}", kind), facets=facets, **place, **answers))
    _store_items(pack, rows, {"sid_1/1": clip})
    return pack


@pytest.fixture
def trial(pack):
    return running_trial(pack, protocol="craft-five-part", replicates=2)


def test_each_part_has_its_share_and_the_promises_hold(trial):
    assert [sheet.slots.count() for sheet in trial.sheets.all()] == [8] * 10
    assert verify(trial).broken == []


def test_the_buttons_are_the_answers_of_the_question_and_not_clear(trial, client):
    walker = Walker(client, trial).agree().press(step="instructions").look()
    page, choices = walker.text, walker.reader.choices
    assert "Answer with one" not in page
    assert {len(values) for values in choices.values()} == {3, 12}
    assert all(values[-1] == NOT_CLEAR for values in choices.values())
    assert walker.answer(NOT_CLEAR).person.judgments.get().answer == NOT_CLEAR


def test_an_answer_of_another_question_is_refused(trial):
    person = consented(trial)
    sheet = claim_sheet(participant=person)
    slot = sheet.slots.filter(item__options=list(OPTIONS["Boolean"])).first()
    with pytest.raises(BadAnswer, match="not one of the answers"):
        record_judgment(participant=person, position=slot.position, answer="7", records={})


def test_not_clear_is_no_answer_and_whoever_says_it_too_often_is_left_out(trial):
    # 5 of 8 answered: below 75 %
    hesitant = whole_sheet(trial, lambda slot: NOT_CLEAR if slot.position < 3 else slot.item.options[0])
    everybody_answers(trial, lambda slot: NOT_CLEAR if slot.position < 2 else right(slot))
    assert RULES["answered-too-few"].people(trial) == [hesitant.pk]  # at its usual limit
    (row,) = rows_of_trial(trial)
    assert (row.kind, row.strategy, row.condition) == ("human", "craft", "video")
    assert row.overall["score"] == 1.0
    assert row.overall["judgments"] == 9 * 6
    assert row.overall["people"] == 9


def test_the_row_is_the_mean_over_answers_not_the_majority(trial):
    everybody_answers(trial, lambda slot: right(slot) if slot.replicate == 0 else slot.item.options[0])
    close_trial(trial=trial)
    (row,) = rows_of_trial(trial)
    assert row.overall["score"] == 0.5
    assert row.overall["low"] < 0.5 < row.overall["high"]
    assert figures_of(trial, judgments.answers(trial)).whole.score == 0.5


def test_a_snapshot_of_a_mean_follows_from_its_votes(trial, tmp_path):
    everybody_answers(trial, lambda slot: right(slot) if slot.pk % 3 else slot.item.options[0])
    close_trial(trial=trial)
    refresh()
    call_command("snapshot", "make", "craft", out=tmp_path / "board.json", verbosity=0)
    content = json.loads((tmp_path / "board.json").read_text())
    (row,) = (row for row in content["rows"] if row["kind"] == "human")
    assert 0.5 < row["overall"]["score"] < 1
    assert differences_in(content) == []
    row["overall"]["low"] += 0.01
    assert any("low is stored as" in one for one in differences_in(content))


def test_digits_press_their_numbers(trial):
    item = trial.pack.items.filter(options=list(OPTIONS["Count"])).first()
    keys = {option.value: option.key for option in CRAFT_FIVE_PART.player.options_for(item)}
    assert (keys["0"], keys["9"], keys["10"], keys[NOT_CLEAR]) == ("0", "9", "", "")


def test_the_paragraph_on_methods_says_mean_and_who_was_left_out(trial):
    everybody_answers(trial, right)
    close_trial(trial=trial)
    told = methods_of(trial, [ConditionSummary(trial, "", judgments.answers(trial))])
    assert "one of five parts dealt by question type" in told.procedure
    assert "those that the question allows and “The question is not clear enough to understand”" in told.procedure
    assert "On average 100.0 % of the answers were right" in told.results
    assert "(exclusion: primary), 0 in all: 0 who found too many questions not clear enough to answer." in told.results


def test_not_clear_stands_in_a_column_of_its_own_on_the_page_and_in_the_export(trial, visitor, tmp_path):
    everybody_answers(trial, lambda slot: NOT_CLEAR if slot.position < 2 else right(slot))
    close_trial(trial=trial)
    assert sum(judgments.abstentions(trial).values()) == 20
    assert sum(group.abstained for group in judgments.by_group(trial, judgments.answers(trial))) == 20
    page = visitor.get(f"/trials/{trial.slug}/").content.decode()
    for words in ("Not clear", "Share of right answers", "Questions judged", "one of five parts"):
        assert words in page, words
    for words in ("majority of the answers got right", "Ties", "one video of every test"):
        assert words not in page, words
    write_export(trial, "jsonl", tmp_path / "rows.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert Counter((row["abstained"], row["correct"]) for row in rows) == {(1, None): 20, (0, 1): 60}
