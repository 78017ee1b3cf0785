"""Fixtures for boards: a small pack that two models answered, and rows of each kind."""

import re

import pytest
from django.core.cache import cache

from benchmarks.models import Pack
from humantrials.models import Judgment, Participant, Sheet, Slot, TrialState
from humantrials.results import release
from leaderboard.board.cache import forget_versions
from leaderboard.models import RowKind, Standing
from leaderboard.standings.refresh import refresh
from tests.factories import (
    answer_to,
    make_answers,
    make_clip,
    make_item,
    make_model,
    make_pack,
    make_participant,
    make_run,
    make_trial,
)


@pytest.fixture(autouse=True)
def empty_cache():
    cache.clear()
    forget_versions()


@pytest.fixture(autouse=True)
def one_person_is_enough(monkeypatch):
    """Figures are checked by hand on studies of few people; test_release.py in humantrials has the rule itself."""
    monkeypatch.setattr(release, "MIN_PEOPLE", 1)


@pytest.fixture
def pack(db):
    """Eight clips of two tests, each with a true and a false statement."""
    pack = make_pack(name="small", title="Small")
    for number in range(8):
        clip = make_clip(pack, key=f"clip{number}")
        test = ("Shape",) if number < 4 else ("TwoObjectOrdering", "Ordering")
        for variant, expected, polarity in (("true", "yes", "positive"), ("false", "no", "negative")):
            facets: dict[str, tuple[str, ...]] = {"test": test, "polarity": (polarity,)}
            make_item(pack, clip=clip, key=clip.key, variant=variant, expected=expected, facets=facets)
    return pack


def answer_all(run, answer):
    """Answer every item of the run's pack by this text, or by `answer(item)`; returns the run."""
    make_answers(run, {item: answer(item) if callable(answer) else answer for item in run.pack.items.all()})
    return run


def answered(pack, answer, name="", **values):
    """A run on the pack, of a model of this name, which is asked as the first question wants and answers all alike."""
    asked = {"strategy": pack.items.values_list("kind", flat=True).order_by("pk").first() or "binary"}
    model = {"model": make_model(name=name)} if name else {}
    return answer_all(make_run(pack, **asked | model | values), answer)


@pytest.fixture
def runs(pack):
    """Two runs: one that always says yes, and one that is always right."""
    models = [make_model(name=name, slug=name.lower()) for name in ("Yes", "Right")]
    return answered(pack, "yes", model=models[0]), answered(pack, answer_to, model=models[1])


@pytest.fixture
def board(runs):
    """The same runs, with standings computed."""
    refresh()
    return runs


def text_of(page):
    """The text of a page without its tags, with single spaces."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode()))


CELL = {"score": 0.8, "n": 40, "low": 0.6, "high": 0.9, "unread": 0.0, "people": 6, "judgments": 120, "ties": 0}


def make_people(pack, *, simulated=False, score=0.8, level="1", test="Shape", strategy="binary"):
    """The standing of a finished trial."""
    trial = make_trial(pack, is_simulated=simulated)
    cell = CELL | {"score": score}
    return Standing.objects.create(
        pack=pack,
        trial=trial,
        kind=RowKind.SIMULATED if simulated else RowKind.HUMAN,
        name="Simulated people" if simulated else "People",
        split="all",
        strategy=strategy,
        condition="video",
        identity=f"trial:{trial.slug}",
        overall=cell | {"of": 40},
        cells={"level": {level: cell}, "test": {test: cell}},
        source_version=0,
    )


def make_row(run, cells, *, kind=RowKind.RUN, overall=CELL):
    """The standing of a run of Level 2 with these cells."""
    place = {"split": "all", "strategy": run.strategy, "condition": "video", "source_version": 0}
    own = {"kind": kind, "name": run.model.name, "identity": str(run.pk), "overall": overall, "cells": cells}
    return Standing.objects.create(pack=run.pack, run=run, **own, **place)


def vote(trial, item, answers):
    """Store one counted judgment per person on an item; votes on further items come from the same people."""
    for number, answer in enumerate(answers):
        code = f"{trial.slug}-{number}"
        person = Participant.objects.filter(code=code).first() or make_participant(trial, code=code, token=f"t-{code}")
        sheet, _ = Sheet.objects.get_or_create(trial=trial, order=number)
        slot = Slot.objects.create(trial=trial, sheet=sheet, item=item, replicate=number, position=item.pk)
        given = {"participant": person, "epoch": 0, "answer": answer, "counts": True}
        Judgment.objects.create(trial=trial, slot=slot, item=item, **given)


@pytest.fixture
def physics(db):
    """Six clips of two Level-2 tests, half plausible."""
    pack = make_pack(name="physics", title="Physics")
    for number in range(6):
        expected = "yes" if number % 2 else "no"
        facets: dict[str, tuple[str, ...]] = {
            "level": ("2",),
            "test": ("Gravity" if number < 4 else "Collision",),
            "concept": ("gravity" if number < 4 else "collision",),
            "polarity": ("plausible" if expected == "yes" else "implausible",),
        }
        clip = make_clip(pack, key=f"clip{number}")
        make_item(pack, clip=clip, key=clip.key, kind="plausibility", variant="", expected=expected, facets=facets)
    return pack


@pytest.fixture
def study(physics):
    """A closed study of three people: two are right on every item but the last, where nobody is."""
    trial = make_trial(physics, slug="study", state=TrialState.CLOSED, answers_version=1)
    for item in physics.items.order_by("pk"):
        wrong = {"yes": "no", "no": "yes"}[answer_to(item)]
        is_last = item.key == "clip5"
        vote(trial, item, [wrong, wrong, wrong] if is_last else [answer_to(item), answer_to(item), wrong])
    return trial


def pack_of_two_tests(clips: int) -> Pack:
    """As many questions of intuitive physics about one clip each, half of each test and of each answer."""
    pack = make_pack(name="large", title="Large")
    for number in range(clips):
        test = "Gravity" if number % 2 else "Collision"
        facets: dict[str, tuple[str, ...]] = {"level": ("2",), "test": (test,), "concept": ("gravity",)}
        clip = make_clip(pack, key=f"clip{number}")
        expected = "yes" if number % 4 > 1 else "no"
        make_item(pack, clip=clip, key=clip.key, kind="plausibility", variant="", expected=expected, facets=facets)
    return pack
