"""Parses the stored replies of a refereeing again and replaces its points by those of the current parser."""

from collections.abc import Iterator

from django.db import transaction
from django.db.models import F, Q

from evaluation.errors import RunMisused
from evaluation.models import Cell, ModelResponse, Reading, Run, Score
from evaluation.queue.shard_counts import count_again
from evaluation.referees.parse import PARSER, UNSCORED, VERSION, RefereeScores, verdict_of
from evaluation.referees.rubric_selection import rubric_of
from evaluation.workers.refereeing import points_line, responses_of, scores_of, why_unscored
from evaluation.workers.rereading import RereadReply, counting_reading


def check_parser(name: str | None) -> None:
    """Raise RunMisused unless this is the only parser for refereeings."""
    if name not in (None, PARSER):
        raise RunMisused(f"refereeings are read by {PARSER} alone, not by {name!r}")


def verdict_changes(stage: Run) -> Iterator[RereadReply]:
    """The replies whose current parsing differs from the readings that count now."""
    for response, verdict in _verdicts(stage):
        before = counting_reading(stage, response)
        earlier = before.answer if before else ""
        if earlier != (now := points_line(verdict)):
            was, becomes = (one or f"({UNSCORED})" for one in (earlier, now))
            item = response.cell.item.public_id
            yield RereadReply(item, response.cell.seed, response.raw[:200], was, becomes, moves_score=True)


@transaction.atomic
def read_verdicts_again(*, stage: Run) -> None:
    """Add the current parser's readings and make their points count; the earlier readings stay."""
    judged = responses_of(stage, stage.cells.values("item"))
    for response, verdict in _verdicts(stage):
        Reading.objects.get_or_create(
            response=response,
            parser=PARSER,
            version=VERSION,
            defaults={"answer": points_line(verdict), "problem": UNSCORED if verdict.problem else ""},
        )
        tries = response.turns[0].get("try", 1) if response.turns else 1
        Cell.objects.filter(pk=response.cell_id).update(reason=why_unscored(verdict, tries=tries))
        scored = judged[response.cell.item_id, response.cell.seed]
        Score.objects.filter(reading__response=scored, referee=stage.model.slug).delete()
        Score.objects.bulk_create(scores_of(scored, verdict, referee=stage.model.slug))
    changed = Run.objects.filter(Q(pk=stage.pk) | Q(refereeings=stage))
    changed.update(answers_version=F("answers_version") + 1)
    Run.objects.filter(pk=stage.pk).update(parser_version=VERSION)
    stage.refresh_from_db()
    count_again(stage)


def _verdicts(stage: Run) -> Iterator[tuple[ModelResponse, RefereeScores]]:
    """Every stored reply of the referee with what the current parser reads in it."""
    responses = ModelResponse.objects.filter(cell__run=stage).order_by("cell__item__public_id", "cell__seed")
    full = responses.select_related("cell__item__pack").prefetch_related("cell__item__facets", "readings__scores")
    for response in full.iterator(chunk_size=500):
        yield response, verdict_of(response.raw, rubric_of(response.cell.item, stage.rubric))
