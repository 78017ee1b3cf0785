"""The folder of a tool: questions, labels, the files of the tool, this site's scorer, and a README."""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from django.conf import settings

from benchmarks.definitions.definition import Benchmark, StrategyName
from benchmarks.definitions.registry import find_benchmark
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
LMMS_EVAL = Tool("lmms-eval", takes_turns=False, sampler=CLIP)
INSPECT = Tool("inspect", takes_turns=True, sampler="")

README = """\
# {title}: {pack}, for {tool}

Made by {site} (definition {version}, pack hash {manifest}). Run it as it is, with {tool} {tried} or later:

    {run}

{how}
Prompts, turns and clips are those of a run on the site. Labels lie in `labels/`, apart from the questions, and are
read only after a reply. `scorer/` holds the site's own modules, which read and score the replies, so that the figure
here is the one there. **Keep labels and clips from what you train on.** {media}

| task | strategy | shown | questions | scored here |
|---|---|---|---|---|
{table}
{left_out}
## Coming back

Send what the tool wrote on {site}/submit/, or where the site is installed:

{submit}

Licence of the benchmark's code and prompts: {licence}.
"""
RUN_LMMS_EVAL = (
    "python -m lmms_eval --include_path FOLDER --tasks {task} --model … --model_args … --log_samples --output_path OUT"
)
RUN_INSPECT = "inspect eval FOLDER/tasks.py@{task} --model … --no-log-images"
HOW_LMMS_EVAL = """\
Replies have at most {tokens} tokens, as in a run there: `--gen_kwargs max_new_tokens=1024` for models that think first.
Models of lmms-eval's older kind ("simple") are told clips first, then text; tasks with words between clips refuse them.
"""
HOW_INSPECT = """\
Replies have at most {tokens} tokens, as in a run there: `--max-tokens 1024` for models that think first. A log with
pictures in it is too large to send, hence `--no-log-images`.
"""
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

    def write(self, folder: Path, run: str, how: str, tried: str) -> dict[str, Any]:
        """Write everything but clips and the tool's own files; returns the facts for the command."""
        for task in self.tasks:
            rows = (json.dumps(_flat(task, row), ensure_ascii=False) + "\n" for row in task.rows)
            _put(folder / "items" / f"{task.name}.jsonl", "".join(rows))
            _put(folder / "labels" / f"{task.name}.json", json.dumps(task.labels, ensure_ascii=False, indent=0))
        _put(folder / "tasks.json", json.dumps({task.name: task.facts for task in self.tasks}, indent=1))
        for name, content in _scorer():
            _put(folder / name, content)
        _put(folder / "README.md", self._readme(run, how, tried))
        names = [task.name for task in self.tasks]
        count = sum(len(task.rows) for task in self.tasks)
        facts = {"tasks": names, "items": count, "left_out": dict(self.left_out)}
        return facts | {"written": f"{len(names)} tasks with {count} questions"}

    def _readme(self, run: str, how: str, tried: str) -> str:
        left = "".join(f"* `{name}` {why}\n" for name, why in self.left_out.items())
        return README.format(
            title=self.benchmark.title,
            pack=self.pack.title,
            tool=self.tool.name,
            site=settings.SITE_URL,
            version=self.pack.definition_version,
            manifest=self.pack.manifest_hash,
            tried=tried,
            run=run.format(task=self.tasks[0].name),
            how=how.format(tokens=self.tasks[0].sampling["max_new_tokens"]),
            media="" if policy_of(self.pack) == "public" else "The clips belong to others and may not be passed on.",
            table="\n".join(map(_table_line, self.tasks)),
            left_out=f"\nLeft out:\n\n{left}" if left else "",
            submit="\n".join(f"    {_submit(task)}" for task in self.tasks),
            licence=self.benchmark.licence,
        )


def write_lmms_eval(benchmark: Benchmark, pack: Pack, folder: Path, choice: FormatChoice) -> dict[str, Any]:
    """Write a folder for lmms-eval: a YAML a task and `utils.py`."""
    made = _folder_of(benchmark, pack, folder, choice, LMMS_EVAL)
    for task in made.tasks:
        _put(folder / f"{task.name}.yaml", lmms_eval_yaml(task))
    _ship(folder, {"utils.py": "lmms_eval_utils.py"})
    return made.write(folder, RUN_LMMS_EVAL, HOW_LMMS_EVAL, "0.7.3")


def write_inspect(benchmark: Benchmark, pack: Pack, folder: Path, choice: FormatChoice) -> dict[str, Any]:
    """Write a folder for inspect: `tasks.py`, with a function a task."""
    made = _folder_of(benchmark, pack, folder, choice, INSPECT)
    functions = "".join(
        f'\n\n@task\ndef {one.name}():\n    return exported("{one.name}", HERE)\n' for one in made.tasks
    )
    _ship(folder, {"benchsite_inspect.py": "benchsite_inspect.py"})
    _put(folder / "tasks.py", (SHIPPED / "inspect_tasks.py").read_text(encoding="utf-8") + functions)
    return made.write(folder, RUN_INSPECT, HOW_INSPECT, "0.3.285")


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
        raise BenchmarkError("; ".join(f"{name} {why}" for name, why in left_out.items()))
    _ship(folder, {"benchsite_rules.py": "benchsite_rules.py"})
    return TaskFolder(benchmark, pack, tool, tuple(tasks), left_out)


def _strategies(benchmark: Benchmark, choice: FormatChoice) -> list[StrategyName]:
    names = [strategy.name for strategy in benchmark.strategies]
    if choice.strategy and choice.strategy not in names:
        raise BenchmarkError(f"there is no strategy {choice.strategy!r}; there is: {', '.join(names)}")
    return [find_benchmark(benchmark.slug).strategy(name) for name in names if choice.strategy in ("", name)]


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


def _table_line(task: ExportedTask) -> str:
    hidden = len(task.rows) - len(task.labels)
    scored = (
        "all" if not hidden else f"{len(task.labels)}; the others only there" if task.labels else "none: only there"
    )
    target = task.target
    return f"| `{task.name}` | {target.strategy.title} | {target.condition} | {len(task.rows)} | {scored} |"


def _submit(task: ExportedTask) -> str:
    header = {**task.target.facts, "model": "NAME"}
    return " ".join(["benchsite submit FILE", *(f"--{name} {shlex.quote(value)}" for name, value in header.items())])


def _ship(folder: Path, files: Mapping[str, str]) -> None:
    for name, source in files.items():
        _put(folder / name, (SHIPPED / source).read_bytes())


def _put(place: Path, content: str | bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content.encode() if isinstance(content, str) else content)
