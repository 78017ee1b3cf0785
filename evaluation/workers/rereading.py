"""Parses stored replies again: it adds rows, overwrites nothing, and can show the changes in advance."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F

from benchmarks.disclosure import SCORER, Answer, open_answers
from evaluation.models import ModelResponse, Reading, Run, RunKind
from evaluation.parsing import PARSERS, Parser
from evaluation.queue.shard_counts import count_again
from evaluation.runs.answer_roles import role_of_answers
from evaluation.runs.spec import known
from evaluation.workers.recording import parsed_by, read
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


def find_parser(run: Run, name: str | None) -> Parser:
    """The named parser, or the current version of the run's own."""
    return PARSERS[known("parser", name or run.parser, PARSERS)]


def changes(run: Run, parser: Parser) -> Iterator[RereadReply]:
    """The replies that this parser reads differently from the readings that count now."""
    known = _known(run)
    for response in _responses(run):
        expected = known[response.cell.item_id].expected
        parsed = parsed_by(parser, response, expected)
        before, after = counting_reading(run, response), _answer_text(parsed.answer or "", parsed.problem)
        if before is None or _answer_text(before.answer, before.problem) == after:
            continue
        now = exact_match(parsed.answer, expected)
        scores = {score.value for score in before.scores.all()}
        moves = not run.referee and scores not in ({now}, set())
        yield RereadReply(
            response.cell.item.public_id,
            response.cell.seed,
            response.raw[:200],
            _answer_text(before.answer, before.problem),
            after,
            moves,
        )


@transaction.atomic
def read_again(*, run: Run, parser: Parser) -> None:
    """Add this parser's readings and make them count; the earlier ones stay."""
    known = _known(run)
    for response in _responses(run):
        expected = known[response.cell.item_id].expected
        read(response=response, parser=parser, expected=expected, referee=run.referee)
    Run.objects.filter(pk=run.pk).update(
        parser=parser.name, parser_version=parser.version, answers_version=F("answers_version") + 1
    )
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


def _known(run: Run) -> dict[int, Answer]:
    return open_answers(run.pack.items.values_list("pk", flat=True), to=SCORER)


def _responses(run: Run) -> Iterator[ModelResponse]:
    responses = ModelResponse.objects.filter(cell__run=run).order_by("cell__item__public_id", "cell__seed")
    full = responses.select_related("cell__item").prefetch_related("cell__item__facets", "readings__scores")
    yield from full.iterator(chunk_size=500)


def counting_reading(run: Run, response: ModelResponse) -> Reading | None:
    """The reading by the run's own parser and version, from the prefetched readings."""
    wanted = (run.parser, run.parser_version)
    return next((row for row in response.readings.all() if (row.parser, row.version) == wanted), None)


def _answer_text(answer: str, problem: str) -> str:
    return answer or f"({problem})"
