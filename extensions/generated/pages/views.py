"""Pages of boards of generators and of judges."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from benchmarks.gallery.page_cache import cached_value
from extensions.generated import exports
from extensions.generated.judging.audit import BIAS, JudgeAudit, audits_of
from extensions.generated.models import Judge, PromptPack, VoteFile
from extensions.generated.pages.figures import BoardAddress, ends_of, number, placed, places_of, shapes_of
from extensions.generated.pages.sentences import (
    CHOSEN,
    check_lines,
    counts_of,
    defect,
    first_place,
    headline_of_pairs,
    signed,
    verdict_of,
)
from extensions.generated.pairs.board import PairsBoard, StrengthRow
from extensions.generated.pairs.vote_files import VoteTable
from extensions.generated.scores.board import AnswerCounts
from extensions.generated.scores.columns import ScoreColumn
from leaderboard.labels import FORMATS

SECTION = {"section": "boards"}
NARROWEST = 0.6  # of the scale of biases, each way


def boards(request: HttpRequest) -> HttpResponse:
    packs = PromptPack.objects.prefetch_related("prompts", "judges", "reported_rows", "rounds")
    return render(request, "generated/boards.html", {**SECTION, "packs": packs})


def board(request: HttpRequest, slug: str) -> HttpResponse:
    """One column of a board, or with `format` its file."""
    address = address_of(request, slug)
    pack, columns = address.pack, address.columns
    if not columns and not pack.reported_rows.exists():
        return redirect("generated-pairs", slug)
    column = chosen_column(columns, request.GET.get("dimension", "")) if columns else None
    facts = address.board(column) if column else {}
    reported = exports.reported_table(pack) if not pack.judges.exists() else None
    if wanted := request.GET.get("format"):
        table = exports.board_table(address, column, facts) if column and facts["ranked"] else reported
        return exports.answered(request, table, wanted, pack)
    facts |= {"pack": pack, "round": address.round, "rounds": pack.rounds.all(), "columns": columns, "column": column}
    facts |= {"address": address}
    facts |= {"reported": reported, "source": pack.reported_rows.first(), "formats": FORMATS.items()}
    return render(request, "generated/board.html", SECTION | facts)


def address_of(request: HttpRequest, slug: str) -> BoardAddress:
    """The pack with the round of ?round=, else with its newest one; an unknown name is no page."""
    pack = get_object_or_404(PromptPack.objects.prefetch_related("rounds"), slug=slug)
    name = request.GET.get("round", "")
    named = [each for each in pack.rounds.all() if not name or each.slug == name]
    if name and not named:
        raise Http404("no such round")
    return BoardAddress(pack, named[0] if named else None)


def chosen_column(columns: tuple[ScoreColumn, ...], name: str) -> ScoreColumn:
    """The column of this name, else the first one; an unknown name is no page."""
    named = [column for column in columns if column.name == name]
    if name and not named:
        raise Http404("no such dimension")
    return named[0] if named else columns[0]


def pairs(request: HttpRequest, slug: str) -> HttpResponse:
    """The votes of a round's people, or the newest file of votes."""
    address = address_of(request, slug)
    pack = address.pack
    facts = address.cached("pairs", lambda: _votes_of_round(address)) if address.round else None
    file = None if facts else pack.vote_files.defer("votes").first()
    if file:
        facts = cached_value(f"generated pairs {file.pk}", version=file.sha256, make=lambda: _figures_of_votes(file.pk))
    if not facts:
        raise Http404("no votes")
    if wanted := request.GET.get("format"):
        return exports.answered(request, exports.pairs_table(pack, facts), wanted, pack)
    facts |= {"pack": pack, "file": file, "address": address, "columns": address.columns, "formats": FORMATS.items()}
    return render(request, "generated/pairs.html", SECTION | facts)


def _votes_of_round(address: BoardAddress) -> dict[str, Any]:
    people = address.answers().people
    ballots = people.answers.ballots if people else None
    if people is None or ballots is None or not len(ballots.table.votes):
        return {}
    counts = AnswerCounts(len(ballots.table.votes), ballots.cant_tell, ballots.unread, missing=0)
    facts = _figures_of_table(ballots.table) | {"left_out": counts.left_out, "is_simulated": people.is_simulated}
    if address.round and address.round.after:
        facts["defects"].append(CHOSEN.format(earlier=address.round.after))
    return facts


def _figures_of_votes(file_id: int) -> dict[str, Any]:
    return _figures_of_table(VoteTable.unpacked(VoteFile.objects.get(pk=file_id).votes))


def _figures_of_table(table: VoteTable) -> dict[str, Any]:
    pairs_board = PairsBoard(table)
    votes = table.votes
    return {
        "headline": headline_of_pairs(pairs_board),
        "defects": [defect(finding) for finding in pairs_board.findings],
        "first_place": first_place(pairs_board),
        "is_ridged": pairs_board.fit is not None and pairs_board.fit.is_ridged,
        **_strengths(pairs_board.rows),
        "matrix": list(pairs_board.cells()),
        "votes": len(votes),
        "people": len(set(votes.people.tolist())),
        "prompts": len(set(votes.prompts.tolist())),
    }


def _strengths(rows: Sequence[StrengthRow]) -> dict[str, Any]:
    """The rows with their places on a scale that has all intervals, in per cent, and what stands below the scale."""
    ends = [end for row in rows for end in ((row.interval.low, row.interval.high) if row.interval else (row.value,))]
    low, high = (min(ends) // 50 * 50, max(ends) // 50 * 50 + 50) if ends else (950, 1050)
    strips = [(row, places_of(row.value, row.interval, (low, high))) for row in rows]
    return {"rows": rows, "strips": strips, "axis": [f"{low + (high - low) * part / 2:.0f}" for part in range(3)]}


def judge(request: HttpRequest, slug: str, judge: str) -> HttpResponse:
    """The audit of a judge of a round, or of one whose scores were published."""
    address = address_of(request, slug)
    pack = address.pack
    if published := Judge.objects.filter(pack=pack, slug=judge).first():
        address = BoardAddress(pack, None)
    elif not address.round:
        raise Http404("no such judge")
    facts = address.cached(f"judge {judge}", lambda: _figures_of_judge(address, judge))
    if not facts:
        raise Http404("no such judge")
    return render(request, "generated/judge.html", SECTION | facts | {"pack": pack, "published": published})


def _figures_of_judge(address: BoardAddress, slug: str) -> dict[str, Any]:
    answers = address.answers()
    audits = audits_of(answers, address.columns[0])
    if slug not in audits:
        return {}
    audit, shapes = audits[slug], shapes_of(answers.answerers, is_published=address.round is None)
    verdict, why = verdict_of(audit)
    people = answers.people
    with_people = list(audit.agreements(people.answers)) if people and audit.people is not None else []
    others = [(other.title, list(audit.agreements(other.answers))) for other in answers.judges if other != audit.judge]
    reach = _reach(end for bias, ends in audit.bias.values() for end in ((ends.low, ends.high) if ends else (bias,)))
    return {
        "judge": audit.judge,
        "shape": shapes[answers.answerers.index(audit.judge)],
        "may_rank": audit.may_rank,
        "verdict": verdict,
        "why": why,
        "checks": check_lines(audit),
        "counts": counts_of(audit),
        "bias": _bias_lines(audit, reach),
        "limit": BIAS,
        "limits": [placed(side * BIAS, (-reach, reach)) for side in (-1, 1)],
        "with_people": with_people,
        "helped": [(title, number(mean), ends_of(ends)) for title, (mean, ends) in audit.helped().items()],
        "others": [(title, lines) for title, lines in others if lines],
        "passes": len(audit.passes),
    }


def _bias_lines(audit: JudgeAudit, reach: float) -> list[dict[str, Any]]:
    """Generators that people and the judge rated, each with the place of its bias on a scale around 0, in per cent."""
    column = audit.board.answers.answerers.index(audit.judge)
    lines = []
    for line in audit.board.ranked:
        people, own, found = line.figures[0], line.figures[column], audit.bias.get(line.row.slug)
        if people and own and found:
            values = {"people": number(people.value), "judge": number(own.value), "bias": signed(found[0])}
            values |= {"title": line.row.title, "ends": ends_of(found[1])} | places_of(*found, (-reach, reach))
            lines.append(values)
    return lines


def _reach(biases: Iterable[float]) -> float:
    """How far the scale of biases goes each way."""
    return max([NARROWEST, *(abs(bias) for bias in biases)])
