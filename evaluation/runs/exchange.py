"""A run's result in formats of other sites: Every Eval Ever 0.3.0, and Hugging Face's evaluation files.

Questions whose answers are withheld or sealed are left out of samples and scores.
"""

import hashlib
import json
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings
from django.utils.text import slugify

from benchmarks.definitions.registry import find_benchmark
from benchmarks.disclosure import PUBLIC, Fact, open_answers, open_to
from benchmarks.models import ItemFacet, Pack
from benchmarks.packs.export import write_lines
from evaluation.errors import RunMisused
from evaluation.models import Cell, ModelResponse, Reading, Run, RunKind, openness
from evaluation.replies import REPLY
from evaluation.runs.official import answered_cells, kind_of
from evaluation.runs.results import outcome_of
from measures.figures import Interval

SCHEMA = "0.3.0"
INTERVAL = "Wilson, by clip or group (Korn and Graubard 1998)"


@dataclass(frozen=True)
class Scored:
    """The mean score over public questions, with its interval and the number of scores."""

    score: float
    interval: Interval
    n: int


def write_every_eval_ever(run: Run, folder: Path) -> int:
    """Write data/BENCHMARK/DEVELOPER/MODEL/UUID.json and UUID_samples.jsonl; return the number of samples."""
    place = folder / "data" / run.pack.benchmark / _developer(run) / run.model.slug
    place.mkdir(parents=True, exist_ok=True)
    name = _name(run)
    file = place / f"{name}_samples.jsonl"
    count = write_lines(file, samples(run))
    detailed = {"format": "jsonl", "file_path": str(file.relative_to(folder)), "total_rows": count}
    whole = evaluation(run, scored(run)) | {"detailed_evaluation_results": detailed}
    (place / f"{name}.json").write_text(json.dumps(whole, indent=2, ensure_ascii=False), encoding="utf-8")
    return count


def evaluation(run: Run, found: Scored) -> dict[str, Any]:
    """The aggregate record."""
    return {
        "schema_version": SCHEMA,
        "evaluation_id": _evaluation_id(run),
        "retrieved_timestamp": str(int(_ended(run).timestamp())),
        "evaluation_timestamp": str(int(_ended(run).timestamp())),
        "source_metadata": {
            "source_name": settings.SITE_URL,
            "source_type": "evaluation_run",
            "source_organization_name": "benchsite",
            "evaluator_relationship": "other" if run.kind == RunKind.UPLOADED else "third_party",
        },
        "eval_library": {"name": "benchsite", "version": settings.VERSION},
        "model_info": _model(run),
        "evaluation_results": [_result(run, found), *(_result(run, *one) for one in _by_group(run))],
    }


def _by_group(run: Run) -> list[tuple[Scored, str]]:
    """The score of the run's groups of questions, with the name for a group; empty without groups."""
    rule, found = find_benchmark(run.pack.benchmark).groups, outcome_of(run).groups
    if not rule or not found or found.accuracy is None or found.interval is None:
        return []
    return [(Scored(found.accuracy, found.interval, found.n), rule.title)]


METRIC: dict[str, Any] = {
    "metric_unit": "proportion",
    "lower_is_better": False,
    "score_type": "continuous",
    "min_score": 0.0,
    "max_score": 1.0,
}


def _result(run: Run, found: Scored, group: str = "") -> dict[str, Any]:
    """The score with its interval, and what was asked; `group` is the name for a group of questions."""
    benchmark = find_benchmark(run.pack.benchmark)
    by_group = f" by {group}" if group else ""
    uncertainty = {
        "confidence_interval": {
            "lower": found.interval.low,
            "upper": found.interval.high,
            "confidence_level": 0.95,
            "method": INTERVAL,
        },
        "num_samples": found.n,
    }
    details = {"pack": run.pack.name, "strategy": run.strategy, "condition": run.condition, "split": run.split}
    return {
        "evaluation_name": f"{benchmark.title}{by_group}",
        "source_data": {
            "dataset_name": f"{benchmark.title}, {run.pack.title}",
            "source_type": "url",
            "url": [f"{settings.SITE_URL}/benchmarks/{benchmark.slug}/?pack={run.pack.name}"],
        },
        "metric_config": {"metric_name": f"{'score' if run.referee else 'accuracy'}{by_group}", **METRIC},
        "score_details": {"score": found.score, "uncertainty": uncertainty, "details": details},
        "generation_config": {"generation_args": _generation(run)},
    }


def samples(run: Run) -> Iterator[dict[str, Any]]:
    """One record for each scored reply to a question with a public answer, ordered by id and seed."""
    kind, known = kind_of(run), open_answers(run.pack.items.values_list("pk", flat=True), to=PUBLIC)
    head = {
        "schema_version": SCHEMA,
        "evaluation_id": _evaluation_id(run),
        "model_id": _model(run)["id"],
        "evaluation_name": find_benchmark(run.pack.benchmark).title,
    }
    public = run.pack.items.filter(open_to(PUBLIC, Fact.ANSWER)).order_by().values("pk")
    for cell in answered_cells(run).filter(item__in=public).iterator(chunk_size=2000):
        reading = cell.response.reading_for(run)
        if reading and (points := reading.points(run.referee)) is not None:
            metadata = {"seed": str(cell.seed)} | ({"ended": cell.response.ended} if cell.response.ended else {})
            metadata |= {"kind": kind} if kind != REPLY else {}
            yield head | _sample(run, cell, reading, known[cell.item_id].expected, points) | {"metadata": metadata}


def _sample(run: Run, cell: Cell, reading: Reading, expected: str | None, points: float) -> dict[str, Any]:
    response, item = cell.response, cell.item
    prompts = [turn.get("text", "") for turn in response.turns if turn.get("role") == "user"]
    return {
        "sample_id": item.public_id,
        "interaction_type": "single_turn",
        "input": {
            "raw": item.text,
            "formatted": "\n\n".join(prompts) or None,
            "reference": [expected] if expected is not None else [],
            "choices": [str(option) for option in item.options] or None,
        },
        "output": {"raw": [response.raw], "reasoning_trace": [response.thoughts] if response.thoughts else None},
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": reading.answer,
                "extraction_method": f"{run.parser} {run.parser_version}",
                "is_terminal": True,
            }
        ],
        "evaluation": {"score": points, "is_correct": points == 1.0},
        **_token_usage(response),
    }


def _token_usage(response: ModelResponse) -> dict[str, Any]:
    """Tokens of all turns, thoughts included; {} if they were not counted."""
    read, written = response.tokens_in, response.tokens_out
    if read is None or written is None:
        return {}
    return {"token_usage": {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}}


def write_hugging_face(run: Run, folder: Path) -> int:
    """Write `eval.yaml` of the data set and one file per score in the model's `.eval_results/`; return their number."""
    count = write_results(run, folder)
    (folder / "eval.yaml").write_text(eval_yaml(run.pack), encoding="utf-8")
    return count


def write_results(run: Run, folder: Path) -> int:
    """Write one file per score in the model's `.eval_results/`; return their number."""
    benchmark, results = find_benchmark(run.pack.benchmark), [(scored(run), ""), *_by_group(run)]
    variant = "-".join([benchmark.slug, run.pack.name, run.strategy, run.condition, run.split])
    (folder / ".eval_results").mkdir(parents=True, exist_ok=True)
    for found, group in results:
        name = f"{variant}-by-{slugify(group)}" if group else variant
        (folder / ".eval_results" / f"{name}.yaml").write_text(_yaml([_value(run, found, group)]), encoding="utf-8")
    return len(results)


def eval_yaml(pack: Pack) -> str:
    """What the hub reads of the data set: a task for each strategy, in its first split that the pack has."""
    benchmark, facets = find_benchmark(pack.benchmark), ItemFacet.objects.filter(item__pack=pack, name="split")
    there = set(facets.order_by().values_list("value", flat=True).distinct())
    splits = {one.name: next(filter(there.__contains__, one.splits), "") for one in benchmark.strategies}
    metadata = {
        "name": f"{benchmark.title}, {pack.title}",
        "description": benchmark.about or benchmark.question,
        "evaluation_framework": "benchsite",
        "tasks": [
            {"id": name, "config": "default", "split": hub_split(split)} for name, split in splits.items() if split
        ],
    }
    return _yaml(metadata)


def hub_id(pack: Pack) -> str:
    """The name of the pack's data set on the hub."""
    return f"benchsite/{pack.benchmark}-{pack.name}"


def hub_split(name: str) -> str:
    """The split's name on the hub, where it has no hyphen, and `all` is the union of all splits."""
    return "all_items" if name == "all" else re.sub(r"\W", "_", name)


def _value(run: Run, found: Scored, group: str) -> dict[str, Any]:
    """One value of the model; its interval is in the notes."""
    low, high = (f"{100 * end:.1f}" for end in (found.interval.low, found.interval.high))
    what = f"{run.strategy}, {run.condition}, split {run.split}{f', by {group}' if group else ''}"
    return {
        "dataset": {"id": hub_id(run.pack), "task_id": run.strategy},
        "value": round(100 * found.score, 4),
        "date": f"{_ended(run):%Y-%m-%d}",
        "source": {"url": f"{settings.SITE_URL}{run.get_absolute_url()}", "name": "benchsite"},
        "notes": f"{what}; 95 % interval {low} to {high}, n={found.n}",
    }


def scored(run: Run) -> Scored:
    """Score and interval over public questions; RunMisused if there is none."""
    found = outcome_of(run).overall
    if found.accuracy is None or found.interval is None:
        raise RunMisused(f"run {run.pk} has no score on a question with a public answer")
    return Scored(found.accuracy, found.interval, found.n)


def _model(run: Run) -> dict[str, Any]:
    card = run.model.card
    known = {"open": "open_weights", "closed": "closed_weights"}.get(openness(str(card.get("weights", ""))), "unknown")
    return {
        "name": run.model.name,
        "id": f"{_developer(run)}/{run.model.slug}",
        "developer": str(card.get("organisation", "") or "unknown"),
        "additional_details": {
            "deployment_type": "unknown" if run.kind == RunKind.UPLOADED else "self_deployed",
            "model_availability": known,
            "revision": run.revision,
        },
    }


def _developer(run: Run) -> str:
    organisation = str(run.model.card.get("organisation", "")).casefold()
    return "".join(letter if letter.isalnum() else "-" for letter in organisation).strip("-") or "unknown"


def _generation(run: Run) -> dict[str, Any]:
    known = {"temperature": run.sampling.get("temperature"), "max_tokens": run.sampling.get("max_new_tokens")}
    return {name: value for name, value in known.items() if value is not None}


def _name(run: Run) -> str:
    """A UUID of version 4, as the format requires, but always the same for one run."""
    digest = hashlib.sha256(f"{settings.SITE_URL}{run.get_absolute_url()}".encode()).digest()
    return str(uuid.UUID(bytes=digest[:16], version=4))


def _evaluation_id(run: Run) -> str:
    return f"{run.pack.benchmark}/{_model(run)['id']}/{run.pk}"


def _ended(run: Run) -> Any:
    return run.finished_at or run.created_at


def _yaml(content: Any) -> str:
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
