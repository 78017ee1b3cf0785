"""Pages of boards of generators and of judges."""

from collections.abc import Iterable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from extensions.generated.board import Column, GeneratedBoard, agreement_columns, columns_of
from extensions.generated.judging.audit import BIAS, Agreement, Verdict
from extensions.generated.models import Judge, PromptPack, VoteFile
from extensions.generated.pages.sentences import check_lines, defect, headline, headline_of_pairs, signed, verdict_of
from extensions.generated.pairs.board import PairsBoard
from extensions.generated.pairs.vote_files import read_votes

SECTION = {"section": "boards"}
NARROWEST = 0.6  # of the scale of biases, each way


def boards(request: HttpRequest) -> HttpResponse:
    packs = PromptPack.objects.prefetch_related("prompts", "judges", "reported_rows")
    return render(request, "generated/boards.html", {**SECTION, "packs": packs})


def board(request: HttpRequest, slug: str) -> HttpResponse:
    pack = get_object_or_404(PromptPack, slug=slug)
    columns = columns_of(pack)
    column = _chosen(columns, request.GET.get("dimension", ""))
    shown = GeneratedBoard(pack, column)
    overall = shown if column == columns[0] else GeneratedBoard(pack, columns[0])
    judges = [(judge, overall.audit_of(judge).may_rank) for judge in shown.judges]
    facts = {"pack": pack, "columns": columns, "column": column, "rows": shown.rows, "judges": judges}
    facts |= {"headline": headline(overall), "prompts": pack.prompts.count()}
    return render(request, "generated/board.html", SECTION | facts)


def _chosen(columns: tuple[Column, ...], name: str) -> Column:
    """The column of this name, else the first one; an unknown name is no page."""
    found = next((column for column in columns if column.name == name), None)
    if name and not found:
        raise Http404("no such dimension")
    return found or columns[0]


def pairs(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest votes, or those of ?votes=."""
    pack = get_object_or_404(PromptPack, slug=slug)
    files = pack.vote_files.defer("text")
    wanted = request.GET.get("votes", "")
    file = files.filter(sha256__startswith=wanted).first() if wanted.isalnum() or not wanted else None
    if file is None:
        raise Http404("no votes")
    shown = PairsBoard(read_votes(VoteFile.objects.get(pk=file.pk).text))
    points, interval = shown.first_place
    facts = {"pack": pack, "file": file, "files": files, "board": shown, "headline": headline_of_pairs(shown)}
    facts |= {"defects": [defect(finding) for finding in shown.findings], "points": points, "interval": interval}
    facts |= {"votes": len(shown.table.votes), "matrix": list(shown.cells())}
    facts["people"] = len(set(shown.table.votes.people.tolist()))
    facts["prompts"] = len(set(shown.table.votes.prompts.tolist()))
    return render(request, "generated/pairs.html", SECTION | facts)


def judge(request: HttpRequest, slug: str, judge: str) -> HttpResponse:
    pack = get_object_or_404(PromptPack, slug=slug)
    shown = get_object_or_404(Judge, pack=pack, slug=judge)
    overall = GeneratedBoard(pack, columns_of(pack)[0])
    audit = overall.audit_of(shown)
    verdict, why = verdict_of(audit)
    facts = {"pack": pack, "judge": shown, "audit": audit, "checks": check_lines(audit), "verdict": verdict, "why": why}
    facts |= {"counts": [(audit.count(each), each) for each in Verdict], "bias": _bias_lines(overall, shown)}
    facts["limits"] = [50 + 50 * side * BIAS / _reach(audit.bias.values()) for side in (-1, 1)]
    others = [(other, _agreements(overall, shown, other)) for other in overall.judges if other != shown]
    facts["others"] = [(other, lines) for other, lines in others if lines]
    facts["readings"] = overall.readings.get(shown.pk, [])
    return render(request, "generated/judge.html", SECTION | facts)


def _bias_lines(board: GeneratedBoard, judge: Judge) -> list[dict[str, Any]]:
    """Generators that people and the judge rated, each with the place of its bias on a scale around 0, in per cent."""
    place = board.judges.index(judge)
    known = [(row, row.people, cell) for row in board.rows if row.people is not None and (cell := row.cells[place])]
    reach = _reach(cell.mean - people for _, people, cell in known)
    return [
        {"row": row, "cell": cell, "bias": signed(cell.mean - people), "place": 50 + 50 * (cell.mean - people) / reach}
        for row, people, cell in known
    ]


def _reach(biases: Iterable[float]) -> float:
    """How far the scale of biases goes each way."""
    return max([NARROWEST, *(abs(bias) for bias in biases)])


def _agreements(board: GeneratedBoard, one: Judge, other: Judge) -> list[tuple[str, Agreement]]:
    """By dimension, where they rated the same clips."""
    found = [(column.title, board.agreement(one, other, column.dimensions)) for column in agreement_columns(board.pack)]
    return [(title, agreement) for title, agreement in found if agreement.n]
