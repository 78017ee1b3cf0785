"""The places where a reader other than a scorer is told answers, found in the source, and one of them standing open."""

import ast
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest
from django.db.models import Q

from benchmarks import disclosure
from benchmarks.disclosure import SCORER, Fact
from tests.programs import ROOT

APPS = ("accounts", "benchmarks", "benchsite", "evaluation", "extensions", "humantrials", "leaderboard")
ASK = {"open_answers", "expected_of", "with_expected", "open_facts", "tells_secret"}  # and `open_to` for an answer

# Each was opened by itself, and none of these readers saw a label: another guard stands behind it, a sum over balanced
# answers hides the label, or what it guards is read by others than a visitor, an author and a sender. Their own tests
# or attacks guard them. A new place is drawn until it is named here.
UNSEEN_ALONE = {
    "benchmarks.gallery.browse",
    "benchmarks.gallery.distributions",
    "benchmarks.gallery.views",
    "benchmarks.packs.export",
    "evaluation.models.responses",
    "evaluation.prompting.requests",
    "evaluation.runs.exchange",
    "evaluation.runs.official",
    "evaluation.runs.pages.rows",
    "evaluation.runs.progress",
    "evaluation.runs.results",
    "evaluation.submissions.files.native.grasp",
    "evaluation.submissions.listing.lifecycle",
    "extensions.harnesses.tasks",
    "extensions.training.pacs.examples",
    "humantrials.desk.people_views",
    "humantrials.participation.steps",
    "humantrials.results.analysis_table",
    "humantrials.results.exports",
    "humantrials.results.moments",
    "humantrials.results.release",
    "humantrials.judging.answer_flags",
    "humantrials.judging.attention_checks",
    "humantrials.assignment.item_pool",
    "humantrials.running.lifecycle",
    "humantrials.participation.progress",
    "humantrials.judging.pilot_exclusions",
    "humantrials.planning.sample_size",
    "humantrials.planning.second_round",
    "leaderboard.analyses.effort",
    "leaderboard.analyses.same_eyes",
    "leaderboard.api.serializers",
    "leaderboard.audits.blind",
    "leaderboard.audits.item_health",
    "leaderboard.board.hidden_figures",
    "leaderboard.items.item_detail",
    "leaderboard.items.item_media",
    "leaderboard.items.outcomes",
    "leaderboard.items.replies",
    "leaderboard.items.sample_questions",
    "leaderboard.publications.snapshot",
}


def places() -> Iterator[str]:
    """The modules that ask the gate so."""
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            text = "" if "disclosure" in path.parts else path.read_text()
            if "benchmarks.disclosure" in text and any(map(_asks, ast.walk(ast.parse(text)))):
                yield ".".join(path.relative_to(ROOT).with_suffix("").parts)


def _asks(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    passed = {ast.unparse(one) for one in (*node.args, *(keyword.value for keyword in node.keywords))}
    name = node.func.id
    return "SCORER" not in passed and (name in ASK or (name == "open_to" and "Fact.ANSWER" in passed))


def stand_open(patch: pytest.MonkeyPatch, place: str) -> None:
    """Let the gate tell everybody everything, wherever this module asks it."""
    module = import_module(place)
    opened: dict[str, Callable[..., Any]] = {
        "open_to": lambda reader, fact, item="": Q(**{f"{item or 'pk'}__isnull": False}),
        "open_facts": lambda item, to: frozenset(Fact),
        "tells_secret": lambda item="": Q(**{f"{item or 'pk'}__isnull": True}),
        "open_answers": lambda items, to: disclosure.open_answers(items, to=SCORER),
        "expected_of": lambda item, to: disclosure.expected_of(item, to=SCORER),
        "with_expected": lambda rows, to, item="": disclosure.with_expected(rows, to=SCORER, item=item),
    }
    for name, function in opened.items():
        if hasattr(module, name):
            patch.setattr(module, name, function)
