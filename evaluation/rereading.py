"""Reading kept replies again: new rows, nothing overwritten, and what it would change is known beforehand."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F

from evaluation.choosing import known
from evaluation.counting import count_again
from evaluation.models import ModelResponse, Reading, Run
from evaluation.parsing import PARSERS, Parser
from evaluation.recording import parsed_by, read
from measures.scoring import exact_match


@dataclass(frozen=True)
class Change:
    """One reply that is read differently; an answer, or the problem in brackets."""

    item: str
    seed: int
    reply: str
    before: str
    after: str
    moves_score: bool


def find_parser(run: Run, name: str | None) -> Parser:
    """The named parser, or the run's own in its present version."""
    return PARSERS[known("parser", name or run.parser, PARSERS)]


def changes(run: Run, parser: Parser) -> Iterator[Change]:
    """What this parser reads differently from the readings that count now."""
    for response in _responses(run):
        before, after = counting_reading(run, response), _as_shown(*_parsed(parser, response))
        if before is None or _as_shown(before.answer, before.problem) == after:
            continue
        now = exact_match(parsed_by(parser, response).answer, response.cell.item.expected)
        scores = {score.value for score in before.scores.all()}
        moves = not run.referee and scores not in ({now}, set())
        yield Change(response.cell.item.public_id, response.cell.seed, response.raw[:200],
                     _as_shown(before.answer, before.problem), after, moves)  # fmt: skip


@transaction.atomic
def read_again(*, run: Run, parser: Parser) -> None:
    """Add the readings of this parser and let them count from now on; the earlier ones stay."""
    for response in _responses(run):
        read(response=response, parser=parser, referee=run.referee)
    Run.objects.filter(pk=run.pk).update(
        parser=parser.name, parser_version=parser.version, answers_version=F("answers_version") + 1
    )
    run.refresh_from_db()
    count_again(run)
    if "parser" in run.card:
        run.card["parser"] = f"{parser.name} {parser.version}"
        run.save(update_fields=["card"])


def _responses(run: Run) -> Iterator[ModelResponse]:
    responses = ModelResponse.objects.filter(cell__run=run).order_by("cell__item__public_id", "cell__seed")
    full = responses.select_related("cell__item").prefetch_related("cell__item__facets", "readings__scores")
    yield from full.iterator(chunk_size=500)


def counting_reading(run: Run, response: ModelResponse) -> Reading | None:
    """What the run's own parser and version read in the reply; reads the prefetched readings."""
    wanted = (run.parser, run.parser_version)
    return next((row for row in response.readings.all() if (row.parser, row.version) == wanted), None)


def _parsed(parser: Parser, response: ModelResponse) -> tuple[str, str]:
    parsed = parsed_by(parser, response)
    return parsed.answer or "", parsed.problem


def _as_shown(answer: str, problem: str) -> str:
    return answer or f"({problem})"
