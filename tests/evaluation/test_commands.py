"""Commands print one line or one object, and a clear sentence for a mistake of the caller."""

import json
import os
import sys
import warnings
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db.models.functions import Now

from benchmarks.commands import CallerMistake
from evaluation.models import Model, Reading, Run
from evaluation.runs.lifecycle import start_run
from evaluation.workers import run_command
from evaluation.workers.failures import back_off, fail_run
from evaluation.workers.loop import work_on
from tests.factories import make_item, make_model, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_else_works")]
ASK = {"benchmark": "grasp", "strategy": "binary"}


def call(name: str, *arguments: object, **options: object) -> str:
    out = StringIO()
    call_command(name, *map(str, arguments), stdout=out, **options)
    return out.getvalue()


def say(name: str, *arguments: object, **options: object) -> dict:
    return json.loads(call(name, *arguments, as_json=True, **options))


def test_start_run_waits_and_works_by_itself_where_no_worker_comes(pack, make_filmed, monkeypatch):
    make_filmed(3)
    progress: list[tuple[int, int]] = []
    monkeypatch.setattr(run_command, "progress_bar", lambda *words: lambda *counts: progress.append(counts))
    facts = say("start_run", model="always-yes", wait=True, **ASK)
    low, high = facts.pop("interval")
    assert low < 0.5 < high
    counts = {"cells": 6, "left_out": 0, "answered": 6, "unread": 0, "errors": 0}
    assert facts == {"run": Run.objects.get().pk, "state": "finished", "accuracy": 0.5} | counts
    said = call("start_run", model="always-yes", wait=True, **ASK)
    assert "no worker took it up: answering in this process" in said
    assert f"finished: 50.0 % ({100 * low:.1f} to {100 * high:.1f})" in said
    assert ", 6 answered, 0 unparsed, 0 errors" in said
    assert set(progress) <= {(0, 6), (6, 6)}
    assert progress[-1] == (6, 6)


def test_start_run_says_once_why_a_run_rests(pack, make_filmed, settings, monkeypatch):
    """The command waits for a server that is away, and prints its name and the waiting time."""
    make_filmed(1)
    start_run(model=make_model(), pack=pack, strategy="binary")
    Run.objects.update(busy_since=Now(), reason="another server is away")
    settings.EVALUATION_BUSY_SECONDS = 120
    Model.objects.create(slug="away", name="Away", kind="scripted", options={"busy": "the server is away"})
    tries = iter(range(3))

    def work_here(run):
        back_off(run_id=run.pk, code="model-busy", reason="the server is away")
        if next(tries) == 2:
            fail_run(run_id=run.pk, code="model-busy", reason="for 2 minutes: the server is away")

    monkeypatch.setattr(run_command, "work_here", work_here)
    monkeypatch.setattr(run_command, "PATIENCE", 0.0)
    with pytest.raises(CommandError, match="the server is away"):
        call_command("start_run", model="away", wait=True, stdout=(said := StringIO()), stderr=said, **ASK)
    assert said.getvalue().count("the server is away; it is tried again, for 2 minutes at most") == 1
    assert said.getvalue().count("no worker took it up") == 1
    assert "another server" not in said.getvalue()


def test_start_run_without_waiting_only_queues(pack, make_filmed):
    make_filmed(1)
    facts = say("start_run", model="random", preset="paper", only="polarity=negative", limit=5, **ASK)
    run = Run.objects.get()
    assert facts == {"run": run.pk, "cells": 3, "left_out": 0, "state": "queued"}
    assert (run.seeds, run.limit, run.only) == ([0, 1, 2], 5, {"polarity": ["negative"]})


def test_a_run_that_fails_is_exit_1(pack, make_filmed):
    make_filmed(1)
    Model.objects.create(slug="broken", name="Broken", kind="scripted", options={"path": "/nowhere"})
    with pytest.raises(CommandError, match="failed: broken can't be opened") as error:
        call_command("start_run", model="broken", wait=True, as_json=True, stdout=(out := StringIO()), **ASK)
    assert error.value.returncode == 1
    facts = json.loads(out.getvalue())
    assert (facts["state"], facts["code"]) == ("failed", "model-unusable")
    assert str(error.value).endswith(facts["reason"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"model": "nobody"}, "there is no model nobody; there is: always-no, always-yes, random"),
        ({"benchmark": "graps"}, "there is no benchmark 'graps'; there is: grasp"),
        ({"pack": "large"}, "there is no pack large; there is: small"),
        ({"strategy": "guess"}, "there is no strategy 'guess'"),
        ({"seeds": "one"}, "--seeds 'one': write numbers and commas"),
        ({"only": "Color"}, "--only 'Color': write FACET=VALUE"),
        ({"only": "test="}, "--only 'test=': write FACET=VALUE"),
        ({"preset": "mine"}, "there is no preset 'mine'; there is: paper"),
        ({"referee": "always-no"}, "scored by rule"),
    ],
)
def test_what_there_is_not_is_one_line_and_exit_2(pack, make_filmed, given, message):
    make_filmed(1)
    with pytest.raises(CallerMistake, match=message) as error:
        call("start_run", **{"model": "random", **ASK, **given})
    assert error.value.returncode == 2
    assert not Run.objects.exists()


def test_what_the_referee_will_take_is_said_before_the_run_starts(pack, make_filmed):
    make_filmed(2)
    how = {"model": "always-yes", "referee": "always-no", "rubric": "expected-match", "seeds": "0,1", **ASK}
    said = call("start_run", estimate=True, **how)
    assert "for the referee, with answers at their longest: 8 replies to score; about" in said
    assert "time: not measured; cost: not measured" in said
    facts = say("start_run", estimate=True, **how)
    assert (facts["replies"], facts["cost"], facts["is_counted"]) == (8, None, False)
    shorter = say("start_run", estimate=True, max_new_tokens=4, **how)
    assert shorter["tokens_in"] == facts["tokens_in"] - 8 * 60  # 64 tokens by default
    assert not Run.objects.exists()
    assert "8 replies to score" in call("start_run", **how)
    assert Run.objects.get().cells.count() == 8


def test_resume_and_cancel_name_the_runs_there_are(pack, make_filmed):
    make_filmed(1)
    run = start_run(model=make_model(), pack=pack, strategy="binary")
    for action in ("resume", "cancel", "reread"):
        with pytest.raises(CallerMistake, match=f"there is no run 99999; there is: {run.pk}"):
            call("change_run", action, 99999)
    assert say("change_run", "cancel", run.pk)["state"] == "cancelled"
    assert say("change_run", "resume", run.pk, wait=True)["state"] == "finished"


def test_cancel_stops_all_runs_of_a_user_or_of_everybody(pack, make_filmed, django_user_model):
    make_filmed(1)
    owner = django_user_model.objects.create_user("lab")
    mine, other = (start_run(model=make_model(), pack=pack, strategy="binary", owner=whose) for whose in (owner, None))
    with pytest.raises(CallerMistake, match="--of nobody: there is no such user"):
        call("change_run", "cancel", "--of", "nobody")
    assert say("change_run", "cancel", "--of", "lab") == {"stopped": [mine.pk]}
    assert f"change_run resume {other.pk}\nstopped: 1" in call("change_run", "cancel", "--all")
    assert say("change_run", "cancel", "--all") == {"stopped": []}


def test_list_models_names_the_heuristics():
    assert [row["slug"] for row in say("list", "models")["models"]] == ["always-no", "always-yes", "random"]
    assert "Always no" in call("list", "models")


@pytest.fixture
def open_run(pack):
    """A run with replies that the two GRASP parsers read differently."""
    said = {"square": "cube", "left": "ball", "a round thing": "ball", "": "ball", "a square": "ball"}
    replies = {}
    values = {"kind": "open", "variant": "", "options": ["ball", "cube"], "facets": {"test": ("Shape",)}}
    for number, (reply, expected) in enumerate(said.items()):
        item = make_item(pack, expected=expected, public_id=f"shape{number:07}", **values)
        replies[item.public_id] = reply
    model = make_model(kind="scripted", options={"replies": replies})
    run = start_run(model=model, pack=pack, strategy="open", condition="question-only")
    work_on(run.pk)
    run.refresh_from_db()
    return run


@pytest.mark.requirement("M13")
def test_rereading_shows_the_difference_and_overwrites_nothing(open_run):
    before, other = list(Reading.objects.order_by("pk").values()), make_run(open_run.pack)
    how, change = {"reader": "grasp-official"}, {"seed": 0, "before": "(unread)", "after": "cube"}
    shown = say("change_run", "reread", open_run.pk, **how)
    assert shown["changes"] == [
        {"item": "shape0000000", "reply": "square", "moves_score": True} | change,
        {"item": "shape0000004", "reply": "a square", "moves_score": False} | change,  # wrong now, no answer before
    ]
    assert list(Reading.objects.order_by("pk").values()) == before

    version = open_run.answers_version
    assert "grasp-official 3 counts now" in call("change_run", "reread", open_run.pk, apply=True, **how)
    open_run.refresh_from_db(), other.refresh_from_db()
    assert list(Reading.objects.order_by("pk").values())[: len(before)] == before
    assert (open_run.parser, open_run.answers_version) == ("grasp-official", version + 1)
    assert (open_run.card["parser"], other.parser, other.answers_version) == ("grasp-official 3", "grasp-paper", 0)
    assert open_run.shards.get().problems == {"empty": 1, "unread": 1}
    assert say("change_run", "reread", open_run.pk)["changes"] == []


def test_an_export_holds_every_question_and_an_unknown_layout_is_refused(open_run, tmp_path):
    out = tmp_path / "items.jsonl"
    assert say("export_run", open_run.pk, layout="items", out=out)["rows"] == 5
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert rows[0] == {"item": "shape0000000", "seed": 0, "reply": "square", "problem": "unread", "score": 0.0}
    assert rows[2]["score"] == 1.0
    with pytest.raises(CallerMistake, match="no layout 'excel'; there is: items, official"):
        call("export_run", open_run.pk, layout="excel", out=tmp_path / "x")


@pytest.mark.parametrize(("option", "count"), [([], 0), (["always"], 1)])
def test_libraries_write_nothing_between_the_lines_of_a_command(pack, make_filmed, monkeypatch, option, count):
    make_filmed(1)
    run, found = start_run(model=make_model(), pack=pack, strategy="binary"), []
    monkeypatch.setenv("TRANSFORMERS_VERBOSITY", "")  # so that it is put back
    monkeypatch.delenv("TRANSFORMERS_VERBOSITY")
    monkeypatch.setattr(sys, "warnoptions", option)

    def noisily(pk):
        found.append(os.environ["TRANSFORMERS_VERBOSITY"])
        warnings.warn("use the fast processor", UserWarning, stacklevel=1)

    monkeypatch.setattr(run_command, "work_on", noisily)
    with warnings.catch_warnings(record=True) as written:
        warnings.simplefilter("always")
        run_command.work_here(run)
    assert (found, len(written)) == (["error"], count)
