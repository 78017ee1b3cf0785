"""A concept across benchmarks: figures from the boards, rows joined by answerer, people and best models."""

from dataclasses import replace

import pytest

from benchmarks.definitions.concepts import CONCEPTS
from benchmarks.models import Pack
from evaluation.runs.add_model import ensure_heuristics
from leaderboard.board.board_row import BoardRow
from leaderboard.board.column_blocks import lines_of
from leaderboard.board.overviews.concept_board import boards_of, concept_board, concept_rows, lines_of_concept
from leaderboard.board.overviews.model_profile import lines_of_concepts
from leaderboard.models import Standing
from leaderboard.row_kinds import RowKind
from leaderboard.standings.refresh import refresh
from tests.factories import make_clip, make_item, make_model, make_pack, make_run
from tests.leaderboard.conftest import CELL, answer_all, answered, make_people, make_row

pytestmark = pytest.mark.django_db


def board_on(slug):
    return concept_board(CONCEPTS[slug], boards_of([CONCEPTS[slug]]))


def lines_on(slug):
    return lines_of_concept(CONCEPTS[slug], board_on(slug))


def figures_of(slug):
    """Column -> names and scores of people and best model."""
    named = {}
    for line in lines_on(slug):
        known = (line.people, line.here or line.reported)
        named[line.column.title] = tuple(one and (one.row.name, one.row.kind, one.cell.text) for one in known)
    return named


@pytest.fixture
def materials():
    """One model on PACS-material and Tapped-material, another only on Tapped-material."""
    both, one = make_model(name="Both", kind="scripted"), make_model(name="One", kind="scripted")
    for slug, models in (("pacs", [both]), ("tapped", [both, one])):
        pack = make_pack(benchmark=slug, name=slug)
        for number in range(4):
            item = {"kind": "material", "options": ["object 1", "object 2"], "expected": "object 1", "variant": ""}
            clip = make_clip(pack, key=f"{slug}{number}")
            make_item(pack, clip=clip, key=clip.key, facets={"level": ("2",), "channel": ("both",)}, **item)
        for model in models:
            run = make_run(pack, model=model, strategy="material", condition="audio" if slug == "pacs" else "video")
            answer_all(run, lambda item: "object 1" if item.pk % 4 else "object 2")
    refresh()


def test_reported_figures_baselines_and_columns_without_results():
    found = figures_of("causality")
    assert found["Cause"] == (("Human", "published", "83.00"), ("MAC-V", "published", "54.73"))
    assert all(best[0] not in ("Random", "AT-Random", "MFA", "AT-MFA") for _, best in found.values())
    # reported baselines alone leave no best model
    board = board_on("causality")
    guessers = tuple(row for row in board.published if row.is_baseline)
    assert {row.name for row in guessers} == {"Random", "AT-Random", "MFA", "AT-MFA"}
    lines = lines_of_concept(CONCEPTS["causality"], replace(board, published=guessers))
    assert [(line.here, line.reported) for line in lines] == [(None, None)] * 4
    # a concept without results has columns and no rows
    board = board_on("gravity")
    assert board.rows == ()
    assert board.columns[0].title == "Gravity"
    assert [column.number for column in board.columns][1:] == [9, 10, 11, 13, 15]
    assert figures_of("gravity") == {"Gravity": (None, None)}


def test_the_figures_of_a_model_are_a_papers_or_of_this_site(physics):
    def found(slug):
        lines = lines_of_concepts(slug)
        return {one.small: (one.people and one.people.row.kind.is_ours, one.model.row.kind.is_ours) for one in lines}

    assert found("mac-v")["CRAFT, Cause"] == (False, False)
    figures = {"concept": {"gravity": CELL}, "test": {"Gravity": CELL}}
    run = make_run(physics, model=make_model(slug="seer"), strategy="plausibility")
    make_row(run, {"level": {"2": CELL}} | figures)
    assert set(found("seer").values()) == {(None, True)}
    people = make_people(physics, level="2", strategy="plausibility")
    people.cells |= figures
    people.save()
    assert set(found("seer").values()) == {(True, True)}


def test_figures_are_those_of_the_board(visitor, physics, study):
    answered(physics, "yes", model=make_model(name="Yes", kind="scripted"))
    refresh()
    own = visitor.get("/leaderboard/grasp/?level=2&group=concept&format=json").json()["rows"]
    expected = {row["kind"]: row["cells"]["gravity"]["score"] for row in own if row["kind"] in ("run", "human")}
    board = board_on("gravity")
    key = board.columns[0].key
    assert {row.kind: row.cells[key].score for row in board.rows if key in row.cells} == expected
    assert figures_of("gravity")["Gravity"] == (("People", "human", "100"), ("Yes", "run", "50"))
    assert {line.people.tied for line in lines_on("gravity") if line.people} == {0}


def test_people_are_the_largest_study_and_a_guesser_is_not_the_best_model(physics):
    guesser = next(model for model in ensure_heuristics() if model.kind == "always-yes")
    answered(physics, "yes", model=guesser)
    refresh()
    assert [row.name for row in board_on("gravity").ranked] == ["Always yes"]
    assert figures_of("gravity")["Gravity"] == (None, None)
    # people are the largest study and never simulated
    for score, n, is_simulated in ((1.0, 10, False), (0.6, 40, False), (0.9, 80, True)):
        standing = make_people(physics, simulated=is_simulated, level="2", strategy="plausibility")
        cell = CELL | {"score": score, "n": n}
        standing.cells = {"level": {"2": cell}, "concept": {"gravity": cell}}
        standing.save()
    assert figures_of("gravity")["Gravity"] == (("People", "human", "60"), None)
    assert [row.kind for row in board_on("gravity").pinned] == ["human", "human", "simulated"]


def test_a_model_has_one_row_over_benchmarks_and_people_share_a_line(materials):
    board = board_on("material")
    rows = {row.name: row for row in board.ranked}
    assert sorted(rows) == ["Both", "One"]
    assert len(rows["Both"].cells.keys() & {column.key for column in board.columns}) == 2
    links = [mark.href.partition("items/")[0] for mark in concept_rows(board, [rows["Both"]])[0].cells]
    assert links == ["/leaderboard/pacs/", "/leaderboard/tapped/"]
    assert [mark.missing for mark in concept_rows(board, [rows["One"]])[0].cells] == ["–", ""]
    # people of two benchmarks share a line and two studies of one do not
    for slug, condition in (("pacs", "audio"), ("tapped", "video"), ("tapped", "video")):
        standing = make_people(Pack.objects.get(name=slug), level="2", strategy="material")
        Standing.objects.filter(pk=standing.pk).update(condition=condition)
    assert [len(row.keys) for row in board_on("material").pinned] == [2, 1]


def part(name, *rows):
    """A block with a row for each (answerer, frame sampler)."""
    made = [
        BoardRow(f"{name}-{at}", who, RowKind.RUN, {}, None, answerer=who, sampler=how)
        for at, (who, how) in enumerate(rows)
    ]
    return name, made


def test_an_answerer_stands_in_one_line_and_frames_sampled_otherwise_in_another():
    parts = [part("a", ("Both", "uniform-16"), ("One", "")), part("b", ("Both", "uniform-4"), ("One", "uniform-4"))]
    lines = [{block: row.key for block, row in line.rows.items()} for line in lines_of(parts)]
    assert lines == [{"a": "a-0"}, {"b": "b-0"}, {"a": "a-1", "b": "b-1"}]
