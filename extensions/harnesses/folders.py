"""The folder of a tool: questions, labels, the files of the tool, this site's scorer, and a README."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings
from django.template.loader import render_to_string

from benchmarks.definitions.definition import Benchmark, StrategyName
from benchmarks.disclosure.doors import policy_of
from benchmarks.errors import BenchmarkError
from benchmarks.models import Pack
from benchmarks.packs.export import FormatChoice
from evaluation.errors import ClipUnreadable, RunMisused
from evaluation.submissions.files.native import harness_samples
from extensions.harnesses.media import TaskMedia
from extensions.harnesses.tasks import CLIP, ExportedTask, Tool, composed
from leaderboard.publications.pack_archive import ROOT, scorer_modules

SHIPPED = Path(__file__).parent / "shipped"
LMMS_EVAL = Tool("lmms-eval", "0.7.3", takes_turns=False, sampler=CLIP)
INSPECT = Tool("inspect", "0.3.285", takes_turns=True, sampler="")

FUNCTIONS = ("doc_to_messages", "doc_to_visual", "doc_to_text", "doc_to_target", "process_results")


class FunctionName(str):
    """A function that lmms-eval imports: `!function utils.NAME`."""


class FunctionDumper(yaml.SafeDumper):
    """Writes names of functions with their tag."""


FunctionDumper.add_representer(FunctionName, lambda dumper, name: dumper.represent_scalar("!function", name))


@dataclass(frozen=True)
class TaskFolder:
    """The tasks of a pack for one tool, and the strategies that it can't ask, with reasons."""

    benchmark: Benchmark
    pack: Pack
    tool: Tool
    tasks: tuple[ExportedTask, ...]
    left_out: Mapping[str, str]

    def write(self, folder: Path) -> dict[str, Any]:
        """Write everything but clips and the tool's own files; returns the facts for the command."""
        for task in self.tasks:
            rows = (json.dumps(_flat(task, row), ensure_ascii=False) + "\n" for row in task.rows)
            _put(folder / "items" / f"{task.name}.jsonl", "".join(rows))
            _put(folder / "labels" / f"{task.name}.json", json.dumps(task.labels, ensure_ascii=False, indent=0))
        _put(folder / "tasks.json", json.dumps({task.name: task.facts for task in self.tasks}, indent=1))
        for name, content in _scorer():
            _put(folder / name, content)
        known = {"site": settings.SITE_URL, "are_clips_public": policy_of(self.pack) == "public"}
        _put(folder / "README.md", render_to_string("harnesses/folder.md", vars(self) | known))
        names, count = [task.name for task in self.tasks], sum(len(task.rows) for task in self.tasks)
        facts = {"tasks": names, "items": count, "left_out": dict(self.left_out)}
        return facts | {"written": f"{len(names)} tasks with {count} questions"}


def write_lmms_eval(benchmark: Benchmark, pack: Pack, folder: Path, choice: FormatChoice) -> dict[str, Any]:
    """Write a folder for lmms-eval: a YAML a task and `utils.py`."""
    made = _folder_of(benchmark, pack, folder, choice, LMMS_EVAL)
    for task in made.tasks:
        _put(folder / f"{task.name}.yaml", lmms_eval_yaml(task))
    _put(folder / "utils.py", (SHIPPED / "lmms_eval_utils.py").read_bytes())
    return made.write(folder)


def write_inspect(benchmark: Benchmark, pack: Pack, folder: Path, choice: FormatChoice) -> dict[str, Any]:
    """Write a folder for inspect: `tasks.py`, with a function a task."""
    made = _folder_of(benchmark, pack, folder, choice, INSPECT)
    functions = "".join(
        f'\n\n@task\ndef {one.name}():\n    return exported("{one.name}", HERE)\n' for one in made.tasks
    )
    _put(folder / "benchsite_inspect.py", (SHIPPED / "benchsite_inspect.py").read_bytes())
    _put(folder / "tasks.py", (SHIPPED / "inspect_tasks.py").read_text(encoding="utf-8") + functions)
    return made.write(folder)


def lmms_eval_yaml(task: ExportedTask) -> str:
    """The configuration of a task; replies end where the model ends them."""
    content: dict[str, Any] = {
        "task": task.name,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": f"items/{task.name}.jsonl"}},
        "test_split": "test",
        "output_type": "generate_until",
        **{name: FunctionName(f"utils.{name}") for name in FUNCTIONS},
        "generation_kwargs": {**task.sampling, "do_sample": task.sampling["temperature"] > 0, "until": []},
        "metric_list": [
            {
                "metric": "accuracy" if task.labels else "replies",
                "aggregation": FunctionName("utils.mean_score" if task.labels else "utils.count"),
                "higher_is_better": True,
            }
        ],
        "metadata": {"benchsite": task.facts},
    }
    return yaml.dump(content, Dumper=FunctionDumper, sort_keys=False, allow_unicode=True)


def _folder_of(benchmark: Benchmark, pack: Pack, folder: Path, choice: FormatChoice, tool: Tool) -> TaskFolder:
    """Compose the tasks, with their clips in the folder; BenchmarkError if none can be, or not the chosen one."""
    media, tasks, left_out = TaskMedia(folder), [], {}
    for strategy in _strategies(benchmark, choice):
        try:
            tasks.append(composed(pack, strategy, choice, tool, media))
        except (RunMisused, ClipUnreadable) as error:
            left_out[strategy.name] = str(error)
    if not tasks:
        raise BenchmarkError("; ".join(f"{name}: {why}" for name, why in left_out.items()))
    _put(folder / "benchsite_rules.py", (SHIPPED / "benchsite_rules.py").read_bytes())
    return TaskFolder(benchmark, pack, tool, tuple(tasks), left_out)


def _strategies(benchmark: Benchmark, choice: FormatChoice) -> list[StrategyName]:
    if found := [strategy for strategy in benchmark.strategies if choice.strategy in ("", strategy.name)]:
        return found
    there = ", ".join(strategy.name for strategy in benchmark.strategies)
    raise BenchmarkError(f"there is no strategy {choice.strategy!r}; there is: {there}")


def _scorer() -> Iterator[tuple[str, bytes]]:
    """The site's own modules: those of a pack's archive, and the reader of other tools' samples."""
    yield from scorer_modules()
    path = Path(harness_samples.__file__ or "")
    for parent in (folder for folder in path.parents if folder.is_relative_to(ROOT / "evaluation" / "submissions")):
        yield f"scorer/{parent.relative_to(ROOT).as_posix()}/__init__.py", b""
    yield f"scorer/{path.relative_to(ROOT).as_posix()}", path.read_bytes()


def _flat(task: ExportedTask, row: dict[str, Any]) -> dict[str, str]:
    """The row as texts alone, whose types no tool guesses."""
    return {"item": row["item"], "task": task.name, "system": row["system"], "turns": json.dumps(row["turns"])}


def _put(place: Path, content: str | bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content.encode() if isinstance(content, str) else content)
