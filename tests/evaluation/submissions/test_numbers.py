"""Uploads of numbers: margins and log-probabilities are stored with their answers; invalid ones are refused by line."""

import pytest

from evaluation.errors import RunMisused
from evaluation.models import ModelResponse, Score
from evaluation.runs.lifecycle import start_run
from evaluation.submissions.lint.check import lint
from evaluation.submissions.store.submit import submit
from evaluation.workers.loop import work_on
from tests.evaluation.submissions.uploads import header, items_of, json_lines, upload
from tests.factories import make_model

pytestmark = pytest.mark.django_db
LIKELIHOOD = {"strategy": "binary-likelihood"}


def rows(pack, *values, kind="margin"):
    return [{"item": item.public_id, kind: value} for item, value in zip(items_of(pack), values, strict=True)]


def linted(pack, *values, kind="margin", strategy="binary-likelihood"):
    return lint(upload(json_lines(header(pack, strategy=strategy), *rows(pack, *values, kind=kind))))


def table(pack, margin):
    """The report on a table in which every item has this margin."""
    content = "item,margin\n" + "".join(f"{item.public_id},{margin}\n" for item in items_of(pack))
    return lint(upload(content.encode()), header(pack, **LIKELIHOOD))


def test_margins_are_stored_read_and_scored(pack, user):
    content = json_lines(header(pack, **LIKELIHOOD), *rows(pack, 1.5, 0.5, -2, 0))
    run = submit(file=upload(content), user=user)
    responses = ModelResponse.objects.filter(cell__run=run).order_by("cell__item__public_id")
    assert [one.margin for one in responses] == pytest.approx([1.5, 0.5, -2, 0], abs=1e-5)
    assert [one.readings.get().answer for one in responses] == ["yes", "yes", "no", ""]
    assert responses[3].readings.get().problem == "ambiguous"
    assert [score.value for score in Score.objects.of_run(run).order_by("pk")] == [1, 0, 0, 0]
    assert run.parser == "likelihood"


def test_log_probabilities_and_tables_of_margins_are_taken(pack):
    report = linted(pack, *[{"yes": -0.1, "no": -2.5}] * 4, kind="log_probs")
    assert (report.ok, report.score, report.kind) == (True, 0.5, "log_probs")
    assert table(pack, 0.5).ok


def test_nonsense_is_refused_by_line(pack):
    for value, kind, what in (
        ("1.5", "margin", "`margin` is '1.5', not a finite number"),
        (None, "margin", "`margin` is 'None', not a finite number"),
        ({"yes": -1}, "log_probs", "no log-probability of 'no'"),
        ({"yes": 0.5, "no": -1}, "log_probs", "the log-probability of 'yes' is 0.5: at most 0"),
        ({"yes": -1, "no": -1, "so": -1}, "log_probs", "'so' is none of the options yes, no"),
        ([-1, -2], "log_probs", "no JSON object of log-probabilities"),
    ):
        good = 1.5 if kind == "margin" else {"yes": -0.1, "no": -2.5}
        report = linted(pack, good, value, good, good, kind=kind)
        assert [(one.line, one.what) for one in report.problems] == [(3, what)]


def test_numbers_that_json_does_not_know_are_refused_by_line(pack):
    content = json_lines(header(pack, **LIKELIHOOD), *rows(pack, 1, 2, 3, 4))
    for number in (b"NaN", b"Infinity", b"1e999"):
        assert lint(upload(content.replace(b'"margin": 2', b'"margin": ' + number))).problems[0].line == 3
        assert [one.code for one in table(pack, number.decode()).problems] == ["number"] * 4


def test_numbers_and_words_are_of_different_strategies(pack):
    numbers = linted(pack, *[1.5] * 4, strategy="binary").problems[0].what
    words = linted(pack, *["yes"] * 4, kind="answer").problems[0].what
    assert "`margin` is for a strategy by likelihood, and binary takes replies" in numbers
    assert "binary-likelihood takes numbers, `log_probs` or `margin`" in words


def test_a_run_keeps_the_margin_beside_its_reply_and_models_without_probabilities_are_refused(pack):
    model = make_model(kind="scripted", options={"default": '{"yes": -0.25, "no": -1.5}'})
    run = start_run(model=model, pack=pack, strategy="binary-likelihood", condition="question-only")
    work_on(run.pk)
    margins = ModelResponse.objects.filter(cell__run=run).values_list("margin", "readings__answer")
    assert list(margins) == [(1.25, "yes")] * 4
    with pytest.raises(RunMisused, match="models of kind always-yes give none; transformers, openai"):
        start_run(model=make_model(), pack=pack, strategy="binary-likelihood")
