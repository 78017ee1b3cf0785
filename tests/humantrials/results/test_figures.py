"""The figures of a trial, which are cached for the same answers."""

import pytest

from humantrials.results import figures, judgments
from humantrials.results.figures import summaries
from tests.factories import answer_to
from tests.humantrials.results.test_judgments import closed_trial

pytestmark = pytest.mark.django_db


def test_the_same_answers_are_counted_once_and_others_at_once(monkeypatch):
    trial = closed_trial()
    first = summaries(trial)[0].figures
    assert (first.whole.score, len(first.groups), first.agreed.judgments) == (1.0, 2, 12)
    with monkeypatch.context() as patch:
        patch.setattr(figures, "by_group", None)
        assert summaries(trial)[0].figures == first
    item = trial.judgments.first().item
    trial.judgments.filter(item=item).update(answer={"yes": "no", "no": "yes"}[answer_to(item)])
    second = summaries(trial)[0].figures
    assert second.whole.score == 0.75
    assert second.groups == judgments.by_group(trial, judgments.answers(trial))
    trial.judgments.filter(pk=trial.judgments.first().pk).update(counts=False)  # counts no more
    assert summaries(trial)[0].figures.agreed.judgments == 11
