"""Reads neighbouring benchmarks' prompts from a copy of their repositories: their licences forbid shipping them."""

import ast
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from benchmarks.definitions.files.compile import BenchmarkText
from benchmarks.definitions.files.contradictions import read_text
from benchmarks.definitions.files.table_text import text_of
from benchmarks.definitions.release_bounds import file_within
from benchmarks.errors import BadRelease

Prompt = dict[str, Any]  # a table of `prompts`
INTPHYS2, TASKS = "IntPhys2_transformers.py", {"mvp": "tasks/mvp", "causalvqa": "tasks"}
# What the tasks put before and after a question with its options.
BEFORE, AFTER = {"mvp": "Question: ", "causalvqa": "Question:"}, {"mvp": "", "causalvqa": "\n"}


def with_official_prompts(own: BenchmarkText, root: Path, earlier: str = "") -> BenchmarkText:
    """The definition with the prompts of the repository in this folder, else with those of an earlier import.

    Raises BadRelease for a program without its prompts.
    """
    read = READERS.get(own.slug)
    if read is None or own.layout != own.slug:
        return own
    prompts = read(root) or [one for one in _prompts_in(earlier) if one["name"].startswith(_name(own.slug))]
    return read_text(own.text + "".join(map(_as_toml, prompts))) if prompts else own


def _prompts_in(text: str) -> list[Prompt]:
    return list(read_text(text).data["prompts"]) if text else []


def _name(slug: str, number: int | str = "") -> str:
    return f"{slug}-prompt{number}"


def _as_toml(prompt: Prompt) -> str:
    lines = (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in prompt.items())
    return "\n".join(("\n[[prompts]]", *lines, ""))


def _of_intphys2(root: Path) -> list[Prompt]:
    """Each `promptN`, which two of its three programs send as system prompt, with the words before the video."""
    path = file_within(INTPHYS2, root)
    if path is None:
        return []
    try:
        code = ast.parse(text_of(path))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadRelease(f"{INTPHYS2}: is no Python ({error})") from None
    texts = dict(filter(None, map(_assigned, ast.walk(code))))
    before = next(filter(None, map(_text_part, ast.walk(code))), "")
    prompts = [text for number in (1, 2, 3) if (text := texts.get(f"prompt{number}", ""))]
    if len(prompts) < 3 or not before:
        raise BadRelease(f"{INTPHYS2}: lacks prompt1, prompt2, prompt3 or the words before the video")
    return [
        {
            "name": _name("intphys2", number),
            "title": f"official prompt {number}",
            "paper": f"prompt {number}",
            "system": text,
            "clip_names": [before],
            "parser": "intphys2-digits" if number == 2 else "intphys2-official",
        }
        for number, text in enumerate(prompts, 1)
    ]


def _assigned(node: ast.AST) -> tuple[str, str] | None:
    """The name and the text of `name = "text"`."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))):
            return name, text
    return None


def _text_part(node: ast.AST) -> str:
    """The text of `{"type": "text", "text": "…"}`."""
    match node:
        case ast.Dict(
            keys=[ast.Constant(value="type"), ast.Constant(value="text")], values=[_, ast.Constant(value=str(t))]
        ):
            return t
    return ""


class _Tasks(yaml.SafeLoader):
    """Reads a task of lmms-eval; the functions that it names are not looked up."""


_Tasks.add_constructor("!function", lambda loader, node: None)


def _of_task(slug: str) -> Callable[[Path], list[Prompt]]:
    """Its task asks the question with its options and then `post_prompt`; it never sends its `pre_prompt`."""

    def read(root: Path) -> list[Prompt]:
        name = f"{TASKS[slug]}/_default_template_yaml"
        path = file_within(name, root)
        if path is None:
            return []
        try:
            after = yaml.load(text_of(path), _Tasks)["lmms_eval_specific_kwargs"]["default"]["post_prompt"]  # noqa: S506 # nosec B506
        except (yaml.YAMLError, KeyError, TypeError, RecursionError):
            after = None
        if not isinstance(after, str) or not after.strip():
            raise BadRelease(f"{name}: lacks lmms_eval_specific_kwargs.default.post_prompt")
        facts = {"name": _name(slug), "title": "official prompt", "paper": f"lmms-eval task {slug}"}
        return [facts | {"text": BEFORE[slug] + "{question}" + AFTER[slug] + after, "parser": f"{slug}-official"}]

    return read


READERS: Mapping[str, Callable[[Path], list[Prompt]]] = {
    "intphys2": _of_intphys2,
    "mvp": _of_task("mvp"),
    "causalvqa": _of_task("causalvqa"),
}
