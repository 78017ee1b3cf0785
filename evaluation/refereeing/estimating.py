"""What a refereeing will take, before it begins: questions, tokens, time, money. What was not measured is not guessed.

Tokens of a prompt are counted as a quarter of its letters, which is a rule of thumb; where this referee has judged over
a server that counts, its own mean stands. Time and money come from this referee's finished work alone.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.errors import RunMisused
from evaluation.models import Model, ModelResponse, Run, RunKind, RunState
from evaluation.refereeing.choosing import facts_of, rubric_of
from evaluation.refereeing.rubrics import ANSWER
from evaluation.refereeing.stage import SAMPLING

LETTERS_A_TOKEN = 4
LOOKED_AT = 200  # prompts that are filled to be measured
ENDED = (RunState.FINISHED,)


@dataclass(frozen=True)
class Estimate:
    """`seconds` and `cost` (in the currency of the referee's prices) are None where nothing was measured."""

    replies: int
    tokens_in: int
    tokens_out: int
    is_counted: bool  # tokens by the referee's own count, else by letters
    seconds: float | None
    cost: float | None

    @property
    def words(self) -> str:
        how = (
            "as counted before"
            if self.is_counted
            else f"a token for {LETTERS_A_TOKEN} letters; replies at their longest"
        )
        seconds = "not measured" if self.seconds is None else f"about {self.seconds:.0f} s"
        cost = "not measured" if self.cost is None else f"{self.cost:.4g}"
        tokens = f"about {self.tokens_in} tokens in, {self.tokens_out} out ({how})"
        return f"{self.replies} replies to score; {tokens}; time: {seconds}; cost: {cost}"


def estimate(*, judged: Run, referee: Model, rubric: str = "") -> Estimate:
    """Of what this referee would be asked now about the run's answers."""
    stage = judged.refereeings.filter(model=referee).first()
    responses = ModelResponse.objects.filter(cell__run=judged)
    if stage:
        done = stage.cells.values_list("item_id", "seed")
        responses = responses.exclude(cell__item__in=[item for item, _ in done]) if done else responses
    count = responses.count()
    before = _work_of(referee)
    requests = sum(usage.get("requests", 0) for usage, _ in before)
    told = _each(before, "tokens_in", requests)
    answered = _each(before, "tokens_out", requests)
    letters = _letters(responses.order_by("pk")[:LOOKED_AT], rubric or judged.rubric) if told is None else 0
    each_in = letters / LETTERS_A_TOKEN if told is None else told
    each_out = float(SAMPLING["max_new_tokens"]) if answered is None else answered
    cost, pace = _each(before, "cost", requests), next((pace for _, pace in before if pace), None)
    return Estimate(
        count, round(count * each_in), round(count * each_out), told is not None,
        seconds=60 * count / pace if pace else None, cost=None if cost is None else count * cost,
    )  # fmt: skip


def _work_of(referee: Model) -> list[tuple[Mapping[str, Any], float | None]]:
    """Usage and pace of its finished refereeings, the latest first."""
    stages = Run.objects.filter(kind=RunKind.REFEREE, model=referee, state__in=ENDED).order_by("-finished_at")
    cards = stages.values_list("card", flat=True)[:5]
    return [(card.get("usage", {}), card.get("items_a_minute")) for card in cards]


def _each(before: Iterable[tuple[Mapping[str, Any], float | None]], name: str, requests: float) -> float | None:
    """The mean a request; None where nothing was counted."""
    counted = [usage[name] for usage, _ in before if name in usage]
    return sum(counted) / requests if counted and requests else None


def _letters(responses: Iterable[ModelResponse], rubric: str) -> float:
    """The mean length of the prompts that can be filled."""
    lengths = []
    for response in responses:
        try:
            chosen = rubric_of(response.cell.item, rubric)
            lengths.append(len(chosen.fill(facts_of(response.cell.item, chosen) | {ANSWER: response.raw})))
        except RunMisused:
            continue
    return sum(lengths) / len(lengths) if lengths else 0.0
