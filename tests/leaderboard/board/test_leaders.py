"""One module says who leads: the same leaders with the same words on every page."""

import numpy as np
import pytest

from benchmarks.definitions.concepts import CONCEPTS
from benchmarks.definitions.registry import find_benchmark
from evaluation.models import ModelRole
from leaderboard.board.board_row import BoardCell, BoardRow, leaders, may_lead, people_of
from leaderboard.board.overviews.concept_board import boards_of, concept_board, lines_of_concept
from leaderboard.board.overviews.level_results import all_levels
from leaderboard.board.query import view_of
from leaderboard.board.rows import board_of
from leaderboard.charts.gap_chart import gap_chart
from leaderboard.models import Comparison, PublishedResult
from leaderboard.row_kinds import RowKind
from tests.factories import make_model, make_run
from tests.leaderboard.conftest import CELL, make_people, make_row

GRASP = find_benchmark("grasp")
SHARES = (0.3, 0.5, 0.7, 0.7)  # ties occur


def row(name, kind, score, **facts):
    return BoardRow(name, name, RowKind(kind), {}, BoardCell(score=score, n=facts.pop("n", 40)), **facts)


def test_papers_guessers_people_and_equal_figures():
    rows = [row("Paper", "published", 0.9), row("Guess", "run", 0.8, is_baseline=True), row("P", "human", 1.0)]
    found = leaders([*rows, row("Reported people", "published", 1.0, of_people=True), row("Sim", "simulated", 1.0)])
    assert found.here is None
    assert (found.reported.row.name, found.reported.words) == ("Paper", "only model reported")
    assert [may_lead(one) for one in rows] == [True, False, False]
    # equal figures are named and those of this site come first
    rows = [row("A", "uploaded", 0.7), row("C", "run", 0.7), row("B", "run", 0.7), row("D", "run", 0.6)]
    found = leaders(rows).here
    assert (found.row.name, [one.name for one in found.tied_with]) == ("B", ["C", "A"])
    assert found.sentence == "best model evaluated here: B, with 2 more"
    # people are the largest study and never simulated
    small, large = row("S", "human", 1.0, n=10), row("L", "human", 0.6, n=40)
    papers = row("R", "published", 0.8, of_people=True)
    found = people_of([small, row("Sim", "simulated", 0.9, n=80), large, papers])
    assert (found.here.name, found.reported.name, found.row.name) == ("L", "R", "L")
    assert people_of([papers]).row.name == "R"
    uncounted, later = row("A", "human", 1.0, n=None), row("B", "human", 0.6, n=1)
    assert people_of([uncounted, later]).here.name == "B"
    assert people_of([row("A", "human", 0.6, n=10), row("B", "human", 0.6, n=40)]).here.name == "B"


@pytest.mark.parametrize(("kind", "words"), [("run", "best model evaluated here"), ("uploaded", "best model uploaded")])
def test_words_say_how_the_figure_came_about(kind, words):
    found = leaders([row("A", kind, 0.7), row("B", "run", 0.6)]).here
    assert (found.row.name, found.words, found.tied_with) == ("A", words, ())


def random_board(rng, pack):
    """Runs and uploads, some of them baselines, with figures that may be equal, and a paper's model."""
    people = make_people(pack, level="2", strategy="plausibility", score=0.9)
    people.cells |= {"concept": {"gravity": CELL | {"score": 0.9}}, "test": {"Gravity": CELL | {"score": 0.9}}}
    people.save()
    for number in range(int(rng.integers(1, 6))):
        share = SHARES[int(rng.integers(len(SHARES)))]
        role = ModelRole.MODEL if rng.random() < 0.6 else ModelRole.COUNTER
        kind = RowKind.UPLOADED if rng.random() < 0.4 else RowKind.RUN
        model = make_model(name=f"M{rng.integers(10**6)}", slug=f"m{number}", kind="scripted", role=role)
        run = make_run(pack, model=model, kind=kind, strategy="plausibility")
        figure = CELL | {"score": share, "low": share - 0.05, "high": share + 0.05, "chance": 0.5}
        cells = {"level": {"2": figure}, "concept": {"gravity": figure}, "test": {"Gravity": figure}}
        own = make_row(run, cells, kind=kind, overall=figure)
        Comparison.objects.create(first=people, second=own, n=40, difference=0.9 - share, low=0.0, high=0.4, test="t")
    if rng.random() < 0.5:
        of_paper = {"benchmark": "grasp", "level": "2", "strategy": "plausibility", "row": "Newer", "checked_by": "R"}
        PublishedResult.objects.create(**of_paper, figure="61.5", source="A paper")
        PublishedResult.objects.create(**of_paper, figure="61.5", source="A paper", cell="Gravity")


def named(leader):
    return leader.row.key, leader.words, [row.key for row in leader.tied_with]


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(8))
def test_every_page_names_the_same_leaders_with_the_same_words(seed, physics, visitor):
    random_board(np.random.default_rng(seed), physics)
    [level] = [one for one in all_levels() if (one.benchmark.slug, one.view.level.number) == ("grasp", "2")]
    board = board_of(view_of(GRASP, {"level": "2"}))
    api = visitor.get("/leaderboard/grasp/?level=2&format=json").json()
    page = " ".join(visitor.get("/leaderboard/grasp/?level=2").content.decode().split())
    concept = CONCEPTS["gravity"]
    gravity = lines_of_concept(concept, concept_board(concept, boards_of([concept])))
    for name in ("here", "reported"):
        leader = getattr(level.leaders, name)
        if leader is None:
            assert api["leaders"][name] is None
            continue
        assert named(leader) == named(getattr(leaders(board.rows), name))
        assert (api["leaders"][name]["row"], api["leaders"][name]["words"]) == (leader.row.key, leader.words)
        told = {f"the {leader.words}, {leader.row.title}", f"{leader.words[1:]}: {leader.row.title}"}
        assert any(words in page for words in told) or (name == "reported" and level.leaders.here)
        if name == "here":
            figure = gravity[0].here
            tied = len(leader.tied_with)
            assert (figure.row.title, figure.words, figure.tied) == (leader.row.title, leader.words, tied)
            assert leader.sentence[1:] in gap_chart(board).note
