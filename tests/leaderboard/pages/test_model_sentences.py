"""The sentences on pages of models claim only what an interval, a corrected p or a paper's own figures allow."""

from dataclasses import replace

import pytest

from leaderboard.board.board_row import BoardCell, BoardRow
from leaderboard.board.claims import Lead, claim_of
from leaderboard.board.overviews.model_profile import ProfileLine, sentence_of, with_corrected_p
from leaderboard.board.overviews.model_table import ModelGap
from leaderboard.board.overviews.model_table import sentence_of as sentence_of_all
from leaderboard.board.overviews.people_and_models import Side
from leaderboard.row_kinds import RowKind

FAR = BoardCell(0.9, n=40, low=0.8, high=0.96, p=0.0001)
NEAR = BoardCell(0.55, n=40, low=0.4, high=0.69, p=0.6)


def line(title, cell, *, small="", chance=0.5, kind=RowKind.RUN):
    model = Side(BoardRow("", "", kind, {}, cell), cell)
    return ProfileLine(title, small, href="", model=model, people=None, chance=chance)


@pytest.mark.parametrize(
    ("cell", "chance", "p", "words"),
    [
        (FAR, 0.5, 0.001, "above chance"),
        (replace(FAR, score=0.1, low=0.04, high=0.2), 0.5, 0.001, "below chance"),
        (NEAR, 0.5, 1.0, "no different from chance"),
        (FAR, 0.5, 0.2, "above chance by itself, not once corrected for all cells"),
        (FAR, 0.5, None, "above chance"),  # without a test, by the interval
        (NEAR, 0.5, None, "no different from chance"),
        (FAR, None, 0.001, ""),
        (replace(FAR, score=None), 0.5, 0.001, ""),
        (replace(FAR, facts={"step": 0.1}), 0.5, 0.001, ""),  # rounded
        (replace(FAR, n=8), 0.5, 0.001, "too few clips to tell from chance"),
    ],
)
def test_a_figure_claims_what_its_p_or_its_interval_allows(cell, chance, p, words):
    assert claim_of(cell, chance, p) == words


def test_a_models_sentence_has_its_main_figure_and_what_stands_of_its_concepts():
    whole = [line("GRASP: Intuitive physics", FAR)]
    concepts = [line("Gravity", FAR), line("Solidity", NEAR)]
    first, then = sentence_of(with_corrected_p(whole), with_corrected_p(concepts))
    assert first == "90.0 % (80–96) of 40 questions right on GRASP: Intuitive physics, above chance;"
    assert then == "above chance on gravity, no different from chance on solidity."
    # the largest run is the main one
    more = line("CRAFT", replace(NEAR, n=400))
    assert sentence_of([*whole, more], [])[0].startswith("55.0 % (40–69) of 400 questions right on CRAFT")
    # few clips, ties and what is all alike say nothing of concepts
    assert sentence_of(whole, [line("Gravity", replace(FAR, n=6))])[1] == ""
    assert sentence_of(whole, [line("Gravity", NEAR), line("Solidity", NEAR)])[1] == ""
    assert (
        sentence_of(whole, with_corrected_p([line("Gravity", FAR), line("Solidity", FAR)]))[1]
        == "above chance on gravity."
    )
    assert sentence_of([], []) == ("", "")


def test_a_reported_model_is_compared_with_the_papers_people_alone():
    printed = BoardCell(0.53, published_text="53.0")
    reported = line("CRAFT", printed, small="Easy setting, test, reported", kind=RowKind.PUBLISHED, chance=None)
    assert sentence_of([reported], [])[0] == "53.0 % on CRAFT, Easy setting, test, reported."
    behind = replace(reported, behind=0.274)
    assert sentence_of([behind], [])[0] == "53.0 % on CRAFT, Easy setting, test, reported, 27 points behind people."
    ahead = replace(reported, behind=-0.1)
    assert sentence_of([ahead], [])[0].endswith("10 points ahead of people.")


@pytest.mark.parametrize(("kind", "far"), [(RowKind.RUN, 0.35), (RowKind.UPLOADED, 0.35), (RowKind.PUBLISHED, None)])
def test_a_papers_figure_and_people_of_this_site_have_no_gap(kind, far):
    found = replace(line("GRASP", NEAR, kind=kind), people=Side(BoardRow("", "", RowKind.HUMAN, {}, FAR), FAR))
    assert found.gap == (far and pytest.approx(far))
    rounded = replace(FAR, facts={"step": 0.1})
    assert replace(found, model=replace(found.model, cell=rounded)).gap is None


def gap(name, value, *, stands=True):
    return ModelGap(name, "PACS", Lead(value, stands))


@pytest.mark.parametrize(
    ("gaps", "sentence"),
    [
        ([], "No benchmark has scores of people and of a model on the same questions yet."),
        (
            [gap("Far", 0.4), gap("Near", 0.262)],
            "No model here reaches people on any benchmark that asked both. "
            "The closest is Near on PACS, 26 points behind.",
        ),
        (
            [gap("One", 0.01), gap("Two", 0.01)],
            "No model here reaches people on any benchmark that asked both. "
            "The closest is One on PACS, with 1 more, 1 point behind.",
        ),
        ([gap("Unclear", 0.02, stands=False), gap("Far", 0.4)], "Unclear is no different from people on PACS."),
        ([gap("Unclear", -0.02, stands=False)], "Unclear is no different from people on PACS."),
        ([gap("Ahead", -0.1), gap("Far", 0.4)], "Ahead on PACS is ahead of people by 10 points."),
    ],
)
def test_the_sentence_of_all_models_follows_their_gaps(gaps, sentence):
    assert sentence_of_all(gaps) == sentence
