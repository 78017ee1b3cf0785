"""Pages of boards of generators and of judges."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Max
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from benchmarks.gallery.page_cache import cached_value
from extensions.generated.board import GeneratedBoard, RatedColumn, agreement_columns, columns_of
from extensions.generated.judging.audit import BIAS, JudgeAgreement
from extensions.generated.models import Judge, JudgeReading, PromptPack, VoteFile
from extensions.generated.pages.sentences import (
    check_lines,
    counts_of,
    defect,
    first_place,
    headline,
    headline_of_pairs,
    signed,
    verdict_of,
)
from extensions.generated.pairs.board import PairsBoard
from extensions.generated.pairs.vote_files import VoteTable

SECTION = {"section": "boards"}
NARROWEST = 0.6  # of the scale of biases, each way


def boards(request: HttpRequest) -> HttpResponse:
    packs = PromptPack.objects.prefetch_related("prompts", "judges", "reported_rows")
    return render(request, "generated/boards.html", {**SECTION, "packs": packs})


def board(request: HttpRequest, slug: str) -> HttpResponse:
    pack = get_object_or_404(PromptPack, slug=slug)
    columns = columns_of(pack)
    if not columns:
        return redirect("generated-pairs", slug)
    column = _chosen(columns, request.GET.get("dimension", ""))

    def figures() -> dict[str, Any]:
        ratings = GeneratedBoard(pack, column)
        overall = ratings if column == columns[0] else GeneratedBoard(pack, columns[0])
        judges = [(judge, overall.audits[judge.pk].may_rank) for judge in ratings.judges]
        return {"rows": ratings.rows, "judges": judges, "headline": headline(overall)}

    facts = cached_value(f"generated board {pack.pk} {column.name}", version=_version(pack), make=figures)
    facts |= {"pack": pack, "columns": columns, "column": column, "prompts": pack.prompts.count()}
    return render(request, "generated/board.html", SECTION | facts)


def _version(pack: PromptPack) -> str:
    """A value that changes with every score of the pack."""
    readings = JudgeReading.objects.filter(judge__pack=pack).aggregate(Count("pk"), Max("pk"))
    rows = pack.reported_rows.aggregate(Count("pk"), Max("pk"))
    return "|".join(map(str, (*readings.values(), *rows.values())))


def _chosen(columns: tuple[RatedColumn, ...], name: str) -> RatedColumn:
    """The column of this name, else the first one; an unknown name is no page."""
    named = [column for column in columns if column.name == name]
    if name and not named:
        raise Http404("no such dimension")
    return named[0] if named else columns[0]


def pairs(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest votes of the pack."""
    pack = get_object_or_404(PromptPack, slug=slug)
    file = pack.vote_files.defer("votes").first()
    if file is None:
        raise Http404("no votes")
    facts = cached_value(f"generated pairs {file.pk}", version=file.sha256, make=lambda: _figures_of_votes(file.pk))
    return render(request, "generated/pairs.html", SECTION | facts | {"pack": pack, "file": file})


def _figures_of_votes(file_id: int) -> dict[str, Any]:
    pairs_board = PairsBoard(VoteTable.unpacked(VoteFile.objects.get(pk=file_id).votes))
    votes = pairs_board.table.votes
    return {
        "headline": headline_of_pairs(pairs_board),
        "defects": [defect(finding) for finding in pairs_board.findings],
        "first_place": first_place(pairs_board),
        "is_ridged": pairs_board.fit is not None and pairs_board.fit.is_ridged,
        "rows": pairs_board.rows,
        "matrix": list(pairs_board.cells()),
        "votes": len(votes),
        "people": len(set(votes.people.tolist())),
        "prompts": len(set(votes.prompts.tolist())),
    }


def judge(request: HttpRequest, slug: str, judge: str) -> HttpResponse:
    pack = get_object_or_404(PromptPack, slug=slug)
    rated_by = get_object_or_404(Judge, pack=pack, slug=judge)
    what = f"generated judge {rated_by.pk}"
    facts = cached_value(what, version=_version(pack), make=lambda: _figures_of_judge(pack, rated_by))
    return render(request, "generated/judge.html", SECTION | facts | {"pack": pack, "judge": rated_by})


def _figures_of_judge(pack: PromptPack, rated_by: Judge) -> dict[str, Any]:
    overall = GeneratedBoard(pack, columns_of(pack)[0])
    audit = overall.audits[rated_by.pk]
    verdict, why = verdict_of(audit)
    others = [(other, _agreements(overall, rated_by, other)) for other in overall.judges if other != rated_by]
    return {
        "may_rank": audit.may_rank,
        "verdict": verdict,
        "why": why,
        "checks": check_lines(audit),
        "counts": counts_of(audit),
        "bias": _bias_lines(overall, rated_by),
        "limit": BIAS,
        "limits": [_placed(side * BIAS, _reach(audit.bias.values())) for side in (-1, 1)],
        "others": [(other, lines) for other, lines in others if lines],
        "readings": [
            (reading.generator.title, reading.stamp, reading.frames_a_second, reading.file)
            for reading in overall.readings.get(rated_by.pk, [])
        ],
    }


def _bias_lines(board: GeneratedBoard, judge: Judge) -> list[dict[str, Any]]:
    """Generators that people and the judge rated, each with the place of its bias on a scale around 0, in per cent."""
    column, biases = board.judges.index(judge), board.audits[judge.pk].bias
    reach = _reach(biases.values())
    return [
        {"row": row, "cell": row.cells[column], "bias": signed(bias), "place": _placed(bias, reach)}
        for row in board.rows
        if (bias := biases.get(row.generator.slug)) is not None
    ]


def _placed(bias: float, reach: float) -> str:
    """The place across the scale, in per cent."""
    return f"{50 + 50 * bias / reach:.1f}"


def _reach(biases: Iterable[float]) -> float:
    """How far the scale of biases goes each way."""
    return max([NARROWEST, *(abs(bias) for bias in biases)])


def _agreements(board: GeneratedBoard, judge: Judge, second: Judge) -> list[tuple[str, JudgeAgreement]]:
    """By dimension, where they rated the same clips."""
    columns = agreement_columns(board.pack)
    agreements = [(column.title, board.agreement(judge, second, column.dimensions)) for column in columns]
    return [(title, agreement) for title, agreement in agreements if agreement.n]
