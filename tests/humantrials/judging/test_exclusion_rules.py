"""Exclusion of people from results: three ways, selected by the URL."""

import json
import re

import pytest

from benchmarks.disclosure import hide, show
from benchmarks.disclosure.readers import WITHHELD
from humantrials.errors import TrialError
from humantrials.judging.answer_flags import AnswerFlag, flags_of, is_beyond, people_by_flag
from humantrials.judging.exclusion_rules import digest, left_out, people_out, registered_rules, rules_of
from humantrials.judging.pilot_exclusions import what_pilots_say
from humantrials.models import Judgment, PilotAnswer, Trial
from humantrials.planning.preregistration import as_markdown, preregistration_of
from humantrials.protocols.rule_limits import LIMITS, read_rules, rules_as_text
from humantrials.results import judgments
from humantrials.results.exports import codebook, write_export
from humantrials.running.lifecycle import close_trial, create_trial, open_trial, pause_trial
from tests.factories import answer_to, make_participant
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.planning.test_sample_size import owned
from tests.humantrials.results.test_judgments import closed_trial, everybody_answers, full_trial, right, turned
from tests.markup import compact

pytestmark = pytest.mark.django_db


def test_a_rule_without_a_limit_takes_every_flag():
    (most, least) = (next(name for name, one in LIMITS.items() if one.is_most is each) for each in (True, False))
    for name, figures in ((most, [True, False, False]), (least, [False, False, True])):
        flags = [AnswerFlag(name, "", figure) for figure in (1.0, 2.0, 3.0)]
        assert [is_beyond(flag, 2.0) for flag in flags] == figures
        assert all(is_beyond(flag, None) for flag in flags)


@pytest.fixture
def study():
    """Two clips with three answers each, all watched except one wrong answer after half of the clip."""
    trial = closed_trial(pack=physics_pack(tests=1))
    Judgment.objects.update(watched=1.0)
    hasty = trial.judgments.select_related("slot__item").order_by("pk").first()
    Judgment.objects.filter(pk=hasty.pk).update(watched=0.5, answer=turned(hasty.slot))
    return trial


def page_of(visitor, trial, query=""):
    return visitor.get(f"{trial.get_absolute_url()}{query}")


@pytest.mark.parametrize(("exclusion", "answers"), [("primary", 6), ("none", 6), ("strict", 5)])
def test_the_figures_follow_the_choice(study, visitor, exclusion, answers):
    assert sum(vote.n for vote in judgments.votes(study, exclusion=exclusion)) == answers
    page = page_of(visitor, study, f"?exclude={exclusion}").content.decode()
    assert f"{answers} judgments by {answers} participants count" in page
    assert f"{answers} by {answers}" in page
    assert f'<a href="?exclude={exclusion}#votes" aria-current="true">' in page


def test_each_way_is_said_in_words_and_so_is_how_many_it_leaves_out(study, visitor):
    plain, strict = (page_of(visitor, study, query).content.decode() for query in ("", "?exclude=strict"))
    for words in (
        "nobody excluded: the protocol names no rule",
        "people who answered more than a fifth without one full watch",
    ):
        assert words in plain
        assert words in strict
    assert "Nobody whose sheet counts is left out (exclusion: primary)." in plain
    assert "(exclusion: strict), 1 in all: 1 who answered more than a fifth without one full watch." in strict


def test_a_study_that_names_all_rules_opens_and_shows_them_as_they_were_typed(staff, visitor):
    """In a text of 300 letters there is no room for them, and a database may change the order of an object's keys."""
    names = list(reversed(LIMITS))
    trial = running_trial(physics_pack(tests=1), slug="ruled", rules=" ".join(names))
    pause_trial(trial=trial)
    open_trial(trial=trial)
    assert [rule.name for rule in registered_rules(Trial.objects.get(pk=trial.pk))] == names
    shown = " ".join(f"{name}={LIMITS[name].usual:g}" if LIMITS[name].usual is not None else name for name in names)
    assert shown in staff.get("/trials/ruled/settings/").content.decode()
    everybody_answers(trial, right)
    close_trial(trial=trial)
    page = visitor.get("/trials/ruled/").content.decode()
    assert shown in page
    assert f"SHA-256 {digest(shown)}" in page
    plan = as_markdown(preregistration_of(trial))
    assert shown.replace(" ", ", ") in plan
    exclusions = plan.partition("## Exclusions")[2].partition("## Analysis")[0]
    assert re.findall(r"^- ([a-z-]+):", exclusions, re.MULTILINE) == names


def test_rules_that_were_stored_can_be_sent_again():
    rules = read_rules(" ".join(LIMITS))
    assert read_rules(rules_as_text(rules)) == rules  # a third is shown with six digits


def test_a_rule_with_an_authors_limit_is_said_in_words_that_fit_any_number_of_people():
    trial = running_trial(physics_pack(tests=1), rules="below-chance=0.001")
    (_seen, rule) = registered_rules(trial)
    said = "fell under the rule below-chance (p of so few right answers by guessing, at least 0.001)"
    assert rule.says == said
    plan = as_markdown(preregistration_of(trial))
    assert f"- below-chance: people who {said}" in plan
    assert "- setting rules: below-chance=0.001\n" in plan


@pytest.mark.parametrize("name", ["lenient", "STRICT", "<b>"])
def test_a_choice_that_does_not_exist_is_told_what_does(study, visitor, name):
    page = page_of(visitor, study, f"?exclude={name}")
    assert page.status_code == 404
    assert "there is: primary, none, strict" in page.content.decode()
    assert "<b>" not in page.content.decode()


def test_nothing_counts_any_more_where_a_rule_leaves_everybody_out(study, visitor):
    Judgment.objects.update(watched=None)
    page = page_of(visitor, study, "?exclude=strict").content.decode()
    assert "0 / 2" in page
    assert '<td class="n">–</td><td></td>' in compact(page)  # of all videos
    assert "No answer is left." in page


def test_strict_knows_attention_items_only_where_there_are_some(study):
    assert [rule.name for rule in rules_of(study, "strict")] == ["watched-too-little"]
    assert left_out(study, "strict") == {"watched-too-little": 1}
    assert people_out(study, "none") == set()
    with pytest.raises(TrialError, match="primary, none, strict"):
        people_out(study, "lenient")


def test_the_export_says_of_each_judgment_whether_it_is_in(study, tmp_path):
    write_export(study, "jsonl", tmp_path / "rows.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [sum(row[name] for row in rows) for name in ("counts", "in_primary", "in_strict")] == [6, 6, 5]
    book = codebook(study)
    assert "| in_primary | 1 = counts, and the exclusion primary leaves the answer in; left out: nobody |" in book
    assert "left out: people who answered more than a fifth without one full watch |" in book


@pytest.mark.parametrize("by", ["trial:other", WITHHELD])
def test_flags_and_rules_tell_nothing_of_secret_answers(by):
    trial = full_trial(turned, physics_pack(tests=8), replicates=1, rules="below-chance=0.01")
    owned(trial)
    people = set(trial.participants.filter(judgments__isnull=False).values_list("pk", flat=True))
    assert {flag.name for own in flags_of(trial).values() for flag in own} >= {"below-chance"}
    out = people_out(trial)
    assert out == people
    hide([item.pk for item in trial.pack.items.all()], by=by)
    assert "below-chance" not in dict(people_by_flag(trial))
    assert people_out(trial) == set()  # results are public
    show(by=by)
    assert people_out(trial) == out


@pytest.mark.parametrize("by", ["trial:other", WITHHELD])
def test_rules_tried_on_pilots_tell_nothing_of_secret_answers(by):
    draft = create_trial(slug="draft", protocol="grasp-plausibility", pack=physics_pack(tests=8))
    owned(draft)
    pilot = make_participant(draft, kind="pilot", state="finished")
    easy = physics_pack(tests=1).items.first()
    for position, item in enumerate([*draft.pack.items.order_by("pk"), easy]):
        wrong = {"yes": "no", "no": "yes"}[answer_to(item)]
        PilotAnswer.objects.create(participant=pilot, item=item, position=position, answer=wrong)
    rules = ({"below-chance": 0.01}, {"missed-attention": 0})
    assert all(what_pilots_say(draft, rule) for rule in rules)
    hide([item.pk for item in (*draft.pack.items.all(), easy)], by=by)
    assert not any(what_pilots_say(draft, rule) for rule in rules)
