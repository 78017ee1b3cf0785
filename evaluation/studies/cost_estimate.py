"""Estimates a run or a refereeing in advance: questions, tokens, time and cost. What was not measured is not guessed.

A prompt's tokens are estimated as a quarter of its characters, a rule of thumb. If the model's earlier requests were
counted, their mean is used. Time and cost come only from its finished runs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Avg, Exists, OuterRef

from benchmarks.models import Item, Pack
from evaluation.adapters.base import REPLY
from evaluation.adapters.registry import SPEAKING
from evaluation.errors import RunMisused
from evaluation.models import Cell, Model, ModelResponse, Run, RunKind, RunState
from evaluation.prompting.strategies import Say, conversation_for
from evaluation.referees.rubric_selection import check_referee, facts_of, rubric_of
from evaluation.referees.rubrics import ANSWER
from evaluation.referees.scoring_runs import SAMPLING
from evaluation.runs.spec import RunNames, RunSpec, chosen, selected_items

LETTERS_A_TOKEN = 4
LATEST = 5  # finished runs that an estimate uses
RECENT = 50  # recent runs among which it looks for those with the same settings
ASKED = ("strategy", "condition", "sampler", "sampling")
LOOKED_AT = 200  # prompts that are filled in to measure their length
TOKENS = ("tokens_in", "tokens_out")
Work = tuple[Mapping[str, Any], float | None]  # usage and pace of a run


@dataclass(frozen=True)
class Estimate:
    """The estimate; `seconds` and `cost` (in the currency of the referee's prices) are None if never measured."""

    replies: int
    tokens_in: int
    tokens_out: int
    is_counted: bool  # whether tokens come from the referee's own counts, not from characters
    seconds: float | None
    cost: float | None

    @property
    def words(self) -> str:
        rule = f"a token for {LETTERS_A_TOKEN} letters; replies at their longest"
        how = "as counted before" if self.is_counted else rule
        seconds = "not measured" if self.seconds is None else f"about {self.seconds:.0f} s"
        cost = "not measured" if self.cost is None else f"{self.cost:.4g}"
        tokens = f"about {self.tokens_in} tokens in, {self.tokens_out} out ({how})"
        return f"{self.replies} replies to score; {tokens}; time: {seconds}; cost: {cost}"


def estimate(*, judged: Run, referee: Model, rubric: str = "") -> Estimate:
    """Estimate the referee's remaining work on the run's answers."""
    stages = judged.refereeings.filter(model=referee)
    known = Cell.objects.filter(run__in=stages, item=OuterRef("cell__item"), seed=OuterRef("cell__seed"))
    responses = ModelResponse.objects.filter(~Exists(known), cell__run=judged)
    answers = ((response.cell.item, response.raw) for response in responses.order_by("pk")[:LOOKED_AT])
    return _estimate(referee, responses.count(), lambda: _letters(answers, rubric or judged.rubric))


def estimate_run(*, pack: Pack, referee: Model, rubric: str = "", **planned: Any) -> Estimate:
    """Estimate the refereeing of a planned run, described as for `start_run`; answers count at their maximum length."""
    choice, selected = _planned(pack=pack, **planned)
    items = Item.objects.filter(pk__in=selected)
    check_referee(referee, rubric, pack.benchmark, items)
    longest = "x" * choice.fields["sampling"]["max_new_tokens"] * LETTERS_A_TOKEN
    looked_at = items.select_related("briefing", "pack").prefetch_related("facets").order_by("public_id")[:LOOKED_AT]
    answers = ((item, longest) for item in looked_at)
    return _estimate(referee, items.count() * len(choice.seeds), lambda: _letters(answers, rubric))


def _planned(*, model: Model, pack: Pack, strategy: str, **how: Any) -> tuple[RunSpec, list[int]]:
    """The specification and the items of a planned run, from arguments of `start_run`."""
    names = {name: how[name] for name in RunNames.__annotations__ if name in how}
    choice = chosen(model=model, pack=pack, strategy=strategy, **names)
    return choice, selected_items(pack, choice)


@dataclass(frozen=True)
class RunEstimate:
    """The estimated cost of a run, from the model's finished runs; a value is None if none of them measured it.

    `alike`: whether those runs had the same settings (strategy, condition, frames and sampling). Without runs,
    `text_in` are the tokens of the prompts' text and `most_out` the most that replies can have; None for models that
    count no tokens.
    """

    questions: int
    tokens_in: int | None
    tokens_out: int | None
    seconds: float | None
    cost: float | None
    by: int  # number of finished runs used
    alike: bool = True
    text_in: int | None = None
    most_out: int | None = None

    @property
    def words(self) -> str:
        seconds = "not measured" if self.seconds is None else f"about {self.seconds:.0f} s"
        cost = "" if self.cost is None else f"; cost: {self.cost:.4g}"
        runs = f"by {self.by} finished run{'s' * (self.by != 1)} of this model"
        alike = "alike" if self.alike else "otherwise"
        how = f"{runs}, asked {alike}" if self.by else "no finished run to go by: one with --limit 20 is enough"
        return f"{self.questions} questions{self._tokens}; time: {seconds}{cost} ({how})"

    @property
    def _tokens(self) -> str:
        if self.tokens_in is not None:
            return f"; about {self.tokens_in} tokens in, {self.tokens_out or 0} out"
        if self.most_out is None:
            return ""
        rule = f"a token for {LETTERS_A_TOKEN} letters; clips come on top"
        return f"; about {self.text_in} tokens of text in ({rule}), at most {self.most_out} out"


def estimate_asking(*, model: Model, pack: Pack, strategy: str, **planned: Any) -> RunEstimate:
    """Estimate a run of any kind of model, described as for `start_run`, by its finished runs of the same benchmark.

    It uses runs with the same settings, or, if there are none, the latest runs with other settings.
    """
    choice, items = _planned(model=model, pack=pack, strategy=strategy, **planned)
    count = len(items) * len(choice.seeds)
    finished = Run.objects.filter(state=RunState.FINISHED, kind=RunKind.RUN, model=model)
    recent = list(finished.filter(pack__benchmark=pack.benchmark).order_by("-finished_at")[:RECENT])
    same = [run for run in recent if all(getattr(run, name) == choice.fields[name] for name in ASKED)]
    found = (same or recent)[:LATEST]
    before = [_work_on(run.card) for run in found]
    answers = ModelResponse.objects.filter(cell__run__in=found)
    tokens = answers.aggregate(**{name: Avg(name) for name in TOKENS})
    tokens_in, tokens_out = (None if (one := tokens[name]) is None else round(count * one) for name in TOKENS)
    each = _each(before, "cost", answers.count())
    cost = None if each is None else count * each
    seconds = _seconds(before, count)
    bounds = _bounds(strategy, items, count, choice) if model.kind in SPEAKING and not found else {}
    return RunEstimate(count, tokens_in, tokens_out, seconds, cost, len(found), bool(same), **bounds)


def _bounds(strategy: str, items: Sequence[int], count: int, choice: RunSpec) -> dict[str, int]:
    """Tokens of text in the prompts and the most in replies, for a model that was not asked yet."""
    looked_at = Item.objects.select_related("briefing", "pack").prefetch_related("facets", "media__clip")
    shows_other = choice.strategy.example or choice.strategy.with_twin  # which is taken to be as long as the item
    prompts = [
        conversation_for(strategy, item, item if shows_other else None)
        for item in looked_at.filter(pk__in=items[:LOOKED_AT])
    ]
    texts = [[part.text for part in prompt if isinstance(part, Say)] for prompt in prompts]
    letters = sum(len("".join(text)) for text in texts) / max(1, len(texts))
    turns = sum(prompt.count(REPLY) for prompt in prompts) / max(1, len(prompts))
    most = choice.fields["sampling"]["max_new_tokens"]
    return {"text_in": round(count * letters / LETTERS_A_TOKEN), "most_out": round(count * turns * most)}


def _estimate(referee: Model, count: int, letters: Callable[[], float]) -> Estimate:
    """The estimate for `count` requests; `letters` returns the mean prompt length for lack of counted tokens."""
    stages = Run.objects.filter(kind=RunKind.REFEREE, model=referee, state=RunState.FINISHED).order_by("-finished_at")
    before = [_work_on(card) for card in stages.values_list("card", flat=True)[:LATEST]]
    requests = sum(usage.get("requests", 0) for usage, _ in before)
    tokens_in = _each(before, "tokens_in", requests)
    answered = _each(before, "tokens_out", requests)
    each_in = letters() / LETTERS_A_TOKEN if tokens_in is None else tokens_in
    each_out = float(SAMPLING["max_new_tokens"]) if answered is None else answered
    cost = _each(before, "cost", requests)
    return Estimate(
        count,
        round(count * each_in),
        round(count * each_out),
        tokens_in is not None,
        seconds=_seconds(before, count),
        cost=None if cost is None else count * cost,
    )


def _work_on(card: Mapping[str, Any]) -> Work:
    return card.get("usage", {}), card.get("items_a_minute")


def _seconds(before: Iterable[Work], count: int) -> float | None:
    """The time for so many questions at the pace of the latest run that measured one."""
    pace = next((pace for _, pace in before if pace), None)
    return 60 * count / pace if pace else None


def _each(before: Iterable[Work], name: str, requests: float) -> float | None:
    """The mean per request or answer; None if nothing was counted."""
    counted = [usage[name] for usage, _ in before if name in usage]
    return sum(counted) / requests if counted and requests else None


def _letters(answers: Iterable[tuple[Item, str]], rubric: str) -> float:
    """The mean length of the prompts that can be filled in."""
    lengths = []
    for item, answer in answers:
        try:
            chosen = rubric_of(item, rubric)
            lengths.append(len(chosen.fill(facts_of(item, chosen) | {ANSWER: answer})))
        except RunMisused:
            continue
    return sum(lengths) / len(lengths) if lengths else 0.0
