"""Validates a referee: it scores answers known to be right and answers known to be irrelevant.

The samples are stored as two runs, *positive* and *random*, which the referee judges like any others; they never
become rows of a board. A benchmark's boards list only runs whose referee has judged both.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction

from benchmarks.models import Item, Pack
from evaluation.adapters.base import REPLY, Request, Turn
from evaluation.errors import RunMisused
from evaluation.models import (
    REFERENCES,
    Cell,
    CellState,
    Listing,
    Model,
    ModelResponse,
    ModelRole,
    Reading,
    Run,
    RunKind,
    RunState,
)
from evaluation.parsing import PARSERS
from evaluation.referees import validation_samples as made
from evaluation.referees.rubric_selection import brief_from_items, known_facts, rubric_of
from evaluation.referees.scoring_runs import referee_run
from evaluation.referees.validation_samples import POSITIVE, RANDOM, SETS, ReferenceItem, Reword, Sample
from evaluation.runs.lifecycle import resume_run
from evaluation.workers.loop import warm_model

CONTROL = "a control, no model"  # on the cards
REFERENCE = "reference"  # the strategy of both runs, whose answers come from no model
BY_RULE = "by rule"
SLUGS = dict(zip((POSITIVE, RANDOM), REFERENCES, strict=True))
TITLES = {POSITIVE: "Positive (reference)", RANDOM: "Random (reference)"}
IN_OTHER_WORDS = (
    "Say the following in other words, keep its meaning, and write nothing else:\n{text}"  # our own prompt, version 1
)


def prepare(*, pack: Pack, share: float, seed: int, paraphraser: Model | None = None) -> tuple[list[Run], list[str]]:
    """The pack's two runs of samples, and messages about what is left out."""
    if not 0 < share <= 1:
        raise RunMisused(f"share {share:g}: above 0 and at most 1")
    known, problems = known_of(pack)
    runs = reference_runs(pack, known, share=share, seed=seed, paraphraser=paraphraser)
    left_out = sorted({each.dataset for each in known} - set(runs[0].card["validation"]["datasets"]))
    return runs, [*problems, *(f"{dataset}: too few items to draw other answers from" for dataset in left_out)]


def validate(*, referee: Model, runs: Iterable[Run]) -> list[Run]:
    """Have the referee judge the samples, and continue if it failed or was stopped; return the refereeings."""
    stages = [referee_run(run=run, referee=referee) for run in runs]
    for stage in stages:
        if stage.state in (RunState.FAILED, RunState.CANCELLED):
            resume_run(run=stage)
    return stages


def missing_in(stages: Iterable[Run]) -> int:
    """The number of samples that the referee has not judged yet or failed to judge."""
    return Cell.objects.filter(run__in=list(stages)).exclude(state=CellState.ANSWERED).count()


def known_of(pack: Pack) -> tuple[list[ReferenceItem], list[str]]:
    """Each official item once with its gold answer, and messages about unusable items."""
    found: dict[str, ReferenceItem] = {}
    lacking: dict[str, int] = {}
    brief_from_items(pack.items.filter(answer_kind="free"))
    items = pack.items.filter(answer_kind="free").prefetch_related("facets").select_related("briefing", "pack")
    for item in items.order_by("key", "draw_key"):
        rubric, facts = rubric_of(item, ""), known_facts(item)
        dataset = next(name for name in item.facet_values("test") if name in rubric.datasets)
        gold = made.gold_of(rubric, facts)
        if not gold or any(not facts.get(fact) for fact in rubric.facts):
            lacking[dataset] = lacking.get(dataset, 0) + 1
        else:
            found.setdefault(item.key, ReferenceItem(item.draw_key, dataset, rubric, gold))
    if not found:
        raise RunMisused(
            f"{pack} has no item that a referee can be told the answer of; see import_benchmark --briefings"
        )
    problems = [f"{dataset}: nothing is known of {count} items" for dataset, count in sorted(lacking.items())]
    return list(found.values()), problems


def reference_runs(
    pack: Pack, known: Sequence[ReferenceItem], *, share: float, seed: int, paraphraser: Model | None
) -> list[Run]:
    """The two runs with these samples, created once so that every referee judges the same samples."""
    how = {"share": share, "seed": seed, "paraphraser": paraphraser.slug if paraphraser else BY_RULE}
    standing = Run.objects.filter(pack=pack, strategy=REFERENCE).order_by("pk")
    same = [run for run in standing if {name: run.card["validation"][name] for name in how} == how]
    if same:
        return same
    chosen = made.random_samples(known, share=share, seed=seed)
    if not chosen:
        raise RunMisused(f"{pack} has too few items to draw other answers from")
    reword = _reworded_by(paraphraser) if paraphraser else made.reworded_by_rule
    samples = list(made.samples_of(chosen, known, seed=seed, reword=reword))
    how["datasets"] = {dataset: len(items) for dataset, items in chosen.items()}
    return _store(pack, samples, how)


@transaction.atomic
def _store(pack: Pack, samples: Sequence[Sample], how: dict[str, Any]) -> list[Run]:
    return [_store_one(pack, kind, [each for each in samples if each.kind == kind], how) for kind in SLUGS]


def _store_one(pack: Pack, kind: str, samples: Sequence[Sample], how: dict[str, Any]) -> Run:
    parser = PARSERS["enumerated"]
    model, _ = Model.objects.get_or_create(
        slug=SLUGS[kind],
        defaults={"name": TITLES[kind], "kind": "uploaded", "role": ModelRole.CONTROL, "card": {"what": CONTROL}},
    )
    run = Run.objects.create(
        model=model,
        kind=RunKind.UPLOADED,
        pack=pack,
        strategy=REFERENCE,
        condition="text",
        sampling={},
        seeds=list(range(SETS)),
        parser=parser.name,
        parser_version=parser.version,
        state=RunState.FINISHED,
        listing=Listing.PRIVATE,
        limit=len({each.draw_key for each in samples}),
        card={"validation": how},
    )
    items = dict(Item.objects.filter(draw_key__in={each.draw_key for each in samples}).values_list("draw_key", "pk"))
    for each in samples:
        cell = Cell.objects.create(run=run, item_id=items[each.draw_key], seed=each.seed, state=CellState.ANSWERED)
        turns = [{"role": "model", "text": each.text, "place": each.place}]
        response = ModelResponse.objects.create(cell=cell, raw=each.text, turns=turns)
        Reading.objects.create(response=response, parser=parser.name, version=parser.version, answer=each.text[:200])
    return run


def _reworded_by(model: Model) -> Reword:
    """A function that rewords texts with this model; an empty reply is an error, not a sample."""

    def reword(texts: Sequence[str]) -> list[str]:
        adapter = warm_model(model)[0]
        prompts = [
            Request((Turn(IN_OTHER_WORDS.format(text=text)), REPLY), seed=place, max_new_tokens=256)
            for place, text in enumerate(texts)
        ]
        return list(_reply_texts(model, adapter.answer(prompts)))

    return reword


def _reply_texts(model: Model, replies: Iterable[Any]) -> Iterable[str]:
    for reply in replies:
        if reply.error or not reply.text.strip():
            raise RunMisused(f"{model.slug} did not put a label in other words: {reply.error or 'it said nothing'}")
        yield reply.text.strip()
