"""Parses stored replies again: it adds rows, overwrites nothing, and can show the changes in advance."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q

from benchmarks.disclosure import SCORER, open_answers
from evaluation.errors import RunMisused
from evaluation.models import Cell, ModelResponse, Reading, Run, RunKind, Score
from evaluation.parsing import PARSERS, Parser
from evaluation.queue.shards import count_again
from evaluation.referees.parse import PARSER, UNSCORED, VERSION, RefereeScores, verdict_of
from evaluation.referees.rubric_selection import rubric_of
from evaluation.runs.answer_roles import role_of_answers
from evaluation.runs.spec import known
from evaluation.workers.recording import parsed_by, read
from evaluation.workers.refereeing import points_line, reading_of, responses_of, scores_of, why_unscored
from measures.scores.scoring import exact_match


@dataclass(frozen=True)
class RereadReply:
    """A reply that another parser reads differently: both answers, or problems in brackets."""

    item: str
    seed: int
    reply: str
    before: str
    after: str
    moves_score: bool


def _reread(response: ModelResponse, before: str, after: str, *, moves_score: bool) -> RereadReply:
    cell = response.cell
    return RereadReply(cell.item.public_id, cell.seed, response.raw[:200], before, after, moves_score)


def find_parser(run: Run, name: str | None) -> Parser:
    """The named parser, or the current version of the run's own."""
    return PARSERS[known("parser", name or run.parser, PARSERS)]


def changes(run: Run, parser: Parser) -> Iterator[RereadReply]:
    """The replies that this parser reads differently from the readings that count now."""
    for response, expected in _with_answers(run):
        parsed = parsed_by(parser, response, expected)
        before, after = response.reading_for(run), _answer_text(parsed.answer or "", parsed.problem)
        if before is None or _answer_text(before.answer, before.problem) == after:
            continue
        now = exact_match(parsed.answer, expected)
        scores = {score.value for score in before.scores.all()}
        moves = not run.referee and scores not in ({now}, set())
        yield _reread(response, _answer_text(before.answer, before.problem), after, moves_score=moves)


@transaction.atomic
def read_again(*, run: Run, parser: Parser) -> None:
    """Add this parser's readings and make them count; the earlier ones stay."""
    for response, expected in _with_answers(run):
        read(response=response, parser=parser, expected=expected, referee=run.referee)
    Run.objects.filter(pk=run.pk).change_answers(parser=parser.name, parser_version=parser.version)
    run.refresh_from_db()
    count_again(run)
    if run.kind == RunKind.UPLOADED:
        run.role = role_of_answers(run)
        run.save(update_fields=["role"])
    if "parser" in run.card:
        run.card["parser"] = f"{parser.name} {parser.version}"
        run.save(update_fields=["card"])


def read_by_present_parser(run: Run) -> None:
    """Before a run continues, parse again what an earlier version of its parser read, so that one version reads all."""
    parser = PARSERS[run.parser]
    if run.parser_version != parser.version:
        read_again(run=run, parser=parser)


def _with_answers(run: Run) -> Iterator[tuple[ModelResponse, str | None]]:
    """Every stored reply with the right answer."""
    known = open_answers(run.pack.items.values_list("pk", flat=True), to=SCORER)
    return ((response, known[response.cell.item_id].expected) for response in _responses(run))


def _responses(run: Run) -> Iterator[ModelResponse]:
    responses = ModelResponse.objects.filter(cell__run=run).order_by("cell__item__public_id", "cell__seed")
    full = responses.select_related("cell__item__pack").prefetch_related("cell__item__facets", "readings__scores")
    yield from full.iterator(chunk_size=500)


def _answer_text(answer: str, problem: str) -> str:
    return answer or f"({problem})"


def check_parser(name: str | None) -> None:
    """Raise RunMisused unless this is the only parser for refereeings."""
    if name not in (None, PARSER):
        raise RunMisused(f"refereeings are read by {PARSER} alone, not by {name!r}")


def verdict_changes(stage: Run) -> Iterator[RereadReply]:
    """The replies whose current parsing differs from the readings that count now."""
    for response, verdict in _verdicts(stage):
        before = response.reading_for(stage)
        earlier = before.answer if before else ""
        if earlier != (now := points_line(verdict)):
            was, becomes = (one or f"({UNSCORED})" for one in (earlier, now))
            yield _reread(response, was, becomes, moves_score=True)


@transaction.atomic
def read_verdicts_again(*, stage: Run) -> None:
    """Add the current parser's readings and make their points count; the earlier readings stay."""
    judged = responses_of(stage, stage.cells.values("item"))
    for response, verdict in _verdicts(stage):
        Reading.objects.get_or_create(response=response, parser=PARSER, version=VERSION, defaults=reading_of(verdict))
        tries = response.turns[0].get("try", 1) if response.turns else 1
        Cell.objects.filter(pk=response.cell_id).update(reason=why_unscored(verdict, tries=tries))
        scored = judged[response.cell.item_id, response.cell.seed]
        Score.objects.filter(reading__response=scored, referee=stage.model.slug).delete()
        Score.objects.bulk_create(scores_of(scored, verdict, referee=stage.model.slug))
    changed = Run.objects.filter(Q(pk=stage.pk) | Q(refereeings=stage))
    changed.change_answers()
    Run.objects.filter(pk=stage.pk).update(parser_version=VERSION)
    stage.refresh_from_db()
    count_again(stage)


def _verdicts(stage: Run) -> Iterator[tuple[ModelResponse, RefereeScores]]:
    """Every stored reply of the referee with what the current parser reads in it."""
    for response in _responses(stage):
        yield response, verdict_of(response.raw, rubric_of(response.cell.item, stage.rubric))
