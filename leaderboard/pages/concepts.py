"""Pages of concepts such as gravity and causality: the results of each benchmark on them."""

from collections.abc import Iterable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from benchmarks.definitions.concepts import CONCEPTS, WHOLE, Concept, ConceptTest, find_concept
from benchmarks.definitions.definition import title_among
from benchmarks.errors import UnknownConcept
from benchmarks.gallery.browse import ItemCard, examples_of
from benchmarks.gallery.page_cache import cached_body, cached_value
from benchmarks.gallery.query import NoSuchPlace
from benchmarks.words import condition_words
from leaderboard.board.cache import version_of
from leaderboard.board.overviews.concept_board import (
    boards_of,
    concept_board,
    concept_rows,
    lines_of_concept,
    place_of,
    view_at,
)
from leaderboard.board.overviews.people_and_models import answer_to, skills_of_concepts
from leaderboard.board.query import View
from leaderboard.pages.boards import MANY, RowBlock, turned

EXAMPLES = 2


def concepts(request: HttpRequest) -> HttpResponse:
    """Page that lists every concept with people, best model and chance."""
    parts = cached_value("concepts", version=_version(CONCEPTS.values()), make=_list)
    return render(request, "leaderboard/concepts.html", {"section": "concepts", **parts})


def concept(request: HttpRequest, slug: str) -> HttpResponse:
    """Page of one concept: models × benchmarks, and example clips."""
    found = _concept_or_404(slug)
    body = cached_body(request.path, version=_version([found]), make=lambda: _table(found))
    context = {"section": "concepts", "concept": found, "concepts": CONCEPTS.values(), "body": body}
    return render(request, "leaderboard/concept.html", context | {"examples": _examples(found)})


def _concept_or_404(slug: str) -> Concept:
    try:
        return find_concept(slug)
    except UnknownConcept as mistake:
        raise NoSuchPlace(str(mistake)) from mistake


def _version(concepts: Iterable[Concept]) -> str:
    """Changes with every change to a board of these concepts' benchmarks; one short query per benchmark."""
    slugs = sorted({test.benchmark for one in concepts for test in one.tests})
    return " ".join(version_of(slug) for slug in slugs)


def _list() -> dict[str, str]:
    boards = boards_of(CONCEPTS.values(), with_parts=False)
    lines = [line for one in CONCEPTS.values() for line in lines_of_concept(one, concept_board(one, boards))]
    body = render_to_string("leaderboard/parts/concept_list.html", {"lines": lines})
    return {"answer": answer_to(skills_of_concepts(lines)), "body": body}


def _table(found: Concept) -> str:
    board = concept_board(found, boards_of([found]))
    people = [row for row in board.published if row.of_people]
    models = [row for row in board.published if not row.of_people]
    evaluated = [row for row in board.ranked if row.kind.is_evaluated]
    uploaded = [row for row in board.ranked if row.kind.is_uploaded]
    blocks = [
        RowBlock("", "", "", concept_rows(board, (*people, *board.pinned))),
        RowBlock("measured", "Measured here", "", concept_rows(board, evaluated)),
        RowBlock("uploaded", "Uploaded", "", concept_rows(board, uploaded)),
        RowBlock("reported", "Reported in papers", "", concept_rows(board, models)),
    ]
    context = {
        "concept": found,
        "board": board,
        "view": board.view,
        "has_rows": bool(board.rows),
        "lines": lines_of_concept(found, board),
        "blocks": blocks,
        "chances": board.columns,
        "turned": turned(blocks, [column.title for column in board.columns]),
        "views": [(block, _view_label(block.view)) for block in board.blocks],
        "width": len(board.columns) + 1,
        "is_many": len(board.columns) > MANY,
    }
    return render_to_string("leaderboard/parts/concept_table.html", context)


def _view_label(view: View) -> str:
    """Label of the figures: prompting, condition, clips and split."""
    split = title_among(view.benchmark.facet("split").values, view.split)
    words = (view.strategy.title, condition_words(view.condition), view.pack.title if view.pack else "", split)
    return ", ".join(filter(None, words))


def _examples(found: Concept) -> list[ItemCard]:
    """One or two example clips from the packs on the concept's boards, never sealed ones."""
    examples: list[ItemCard] = []
    for test in found.tests:
        if len(examples) < EXAMPLES and not test.is_part:
            examples += _examples_on(test)
    return examples[:EXAMPLES]


def _examples_on(test: ConceptTest) -> list[ItemCard]:
    view, value = view_at(place_of(test)), test.values[0]
    facet = "" if value == WHOLE else test.group
    key = value if facet else ""
    return examples_of(view.benchmark, view.pack, view.strategy, facet, [key], most=EXAMPLES)[key]
