"""The figures of a trial, which are cached for the same answers."""

import pytest

from humantrials.models import Judgment
from humantrials.results import figures, judgments
from humantrials.results.figures import summaries
from humantrials.running.lifecycle import close_trial
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.results.test_judgments import everybody_answers, right

pytestmark = pytest.mark.django_db


@pytest.fixture
def trial():
    found = running_trial(physics_pack(tests=2))
    everybody_answers(found, right)
    close_trial(trial=found)
    return found


def test_the_same_answers_are_counted_once(trial, monkeypatch):
    (first,) = [one.figures for one in summaries(trial)]
    monkeypatch.setattr(figures, "by_group", None)
    assert [one.figures for one in summaries(trial)] == [first]
    assert (first.whole.score, len(first.groups)) == (1.0, 2)


def test_another_answer_is_counted_at_once(trial):
    before = summaries(trial)[0].figures
    wrong = trial.judgments.filter(item=trial.judgments.first().item)
    wrong.update(answer="no" if wrong[0].answer == "yes" else "yes")
    after = summaries(trial)[0].figures
    assert (before.whole.score, after.whole.score) == (1.0, 0.75)
    assert after.groups == judgments.by_group(trial, judgments.answers(trial))


def test_an_answer_that_counts_no_more_is_left_out_at_once(trial):
    before = summaries(trial)[0].figures.agreed
    Judgment.objects.filter(pk=trial.judgments.first().pk).update(counts=False)
    assert summaries(trial)[0].figures.agreed.judgments == before.judgments - 1
