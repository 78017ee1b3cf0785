"""Exclusion of people from results: three ways, selected by the URL."""

import json

import pytest

from humantrials.errors import UnknownExclusion
from humantrials.models import Judgment
from humantrials.results import judgments
from humantrials.results.exports import codebook, write_export
from humantrials.studies.exclusion_rules import left_out, people_out, registered_rules, rules_of
from humantrials.studies.lifecycle import close_trial
from humantrials.studies.preregistration import as_markdown, preregistration_of
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.results.test_judgments import everybody_answers, right
from tests.kept import kept
from tests.markup import compact

pytestmark = pytest.mark.django_db


@pytest.fixture
@kept
def study():
    """Two clips with three answers each, all watched except one wrong answer after half of the clip."""
    trial = running_trial(physics_pack(tests=1))
    everybody_answers(trial, right)
    close_trial(trial=trial)
    Judgment.objects.update(watched=1.0)
    hasty = trial.judgments.order_by("pk").first()
    wrong = "no" if hasty.answer == "yes" else "yes"
    Judgment.objects.filter(pk=hasty.pk).update(watched=0.5, answer=wrong)
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
    for words in ("nobody: the protocol names no rule", "people who answered more than a fifth without one full watch"):
        assert words in plain
        assert words in strict
    assert "Nobody whose sheet counts is left out (exclusion: primary)." in plain
    assert "(exclusion: strict): 1 who answered more than a fifth without one full watch." in strict


def test_a_rule_with_an_authors_limit_is_said_in_words_that_fit_any_number_of_people():
    trial = running_trial(physics_pack(tests=1), rules="below-chance=0.001")
    (rule, _seen) = registered_rules(trial)
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
    with pytest.raises(UnknownExclusion, match="primary, none, strict"):
        people_out(study, "lenient")


def test_the_export_says_of_each_judgment_whether_it_is_in(study, tmp_path):
    write_export(study, "jsonl", tmp_path / "rows.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert [sum(row[name] for row in rows) for name in ("counts", "in_primary", "in_strict")] == [6, 6, 5]
    book = codebook(study)
    assert "| in_primary | 1 = counts, and the exclusion primary leaves the answer in; left out: nobody |" in book
    assert "left out: people who answered more than a fifth without one full watch |" in book
