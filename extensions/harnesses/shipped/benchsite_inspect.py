"""Tasks for inspect: the conversation of each question, and the site's own reading of the replies."""

import sys
from base64 import b64encode
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Content,
    ContentAudio,
    ContentImage,
    ContentText,
    ContentVideo,
    GenerateConfig,
)
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "scorer")]

from benchsite_rules import TaskRules  # noqa: E402

from evaluation.replies import reply_of  # noqa: E402
from evaluation.submissions.files.native.harness_samples import HarnessSample, inspect_log  # noqa: E402

Part = dict[str, str]
RULES: dict[str, TaskRules] = {}  # of every folder that is run in this process


def exported(name: str, folder: Path = HERE) -> Task:
    """The task of this name in the folder's tasks.json."""
    rules = RULES[name] = TaskRules(folder, name)
    return Task(
        name=name,
        dataset=MemoryDataset([_sample(rules, row) for row in rules.items()], name=name),
        solver=ask_turns(name),
        scorer=as_on_the_site(name) if rules.labels else None,
        config=GenerateConfig(temperature=rules.facts["temperature"], max_tokens=rules.facts["max_new_tokens"]),
        metadata=rules.facts,
    )


def _rules(name: str) -> TaskRules:
    return RULES.get(name) or TaskRules(HERE, name)


def _sample(rules: TaskRules, row: dict[str, Any]) -> Sample:
    label, (first, *later) = rules.labels.get(row["item"]), row["turns"]
    system = [ChatMessageSystem(content=row["system"])] if row["system"] else []
    target = (label.expected or "") if label else ""
    return Sample(
        id=row["item"], input=[*system, _message(rules, first)], target=target, metadata={"later_turns": later}
    )


def _message(rules: TaskRules, turn: list[Part], *, inline: bool = False) -> ChatMessageUser:
    """A turn as a message; inspect reads files itself only for the first one, so that later ones hold their clips."""
    parts = [(kind, value) for part in turn for kind, value in part.items()]
    of_file = _as_data if inline else str
    return ChatMessageUser(
        content=[
            ContentText(text=value) if kind == "text" else _content(kind, of_file(rules.folder / value))
            for kind, value in parts
        ]
    )


def _content(kind: str, place: str) -> Content:
    if kind == "image":
        return ContentImage(image=place)
    return ContentVideo(video=place, format="mp4") if kind == "video" else ContentAudio(audio=place, format="wav")


def _as_data(path: Path) -> str:
    return f"data:{guess_type(path.name)[0]};base64,{b64encode(path.read_bytes()).decode('ascii')}"


def _read(state: TaskState) -> HarnessSample:
    return inspect_log({"id": state.sample_id, "output": state.output.model_dump(mode="json")})


@solver
def ask_turns(name: str) -> Solver:
    """Ask turn after turn; what was said before is told again without its thoughts, as on the site."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state = await generate(state)
        for turn in state.metadata["later_turns"]:
            found = _read(state).replies
            text = reply_of(found[0]).text if found else ""
            state.messages[-1:] = [ChatMessageAssistant(content=text), _message(_rules(name), turn, inline=True)]
            state = await generate(state)
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()])
def as_on_the_site(name: str) -> Scorer:
    """The site's parser and score; questions without a label here have none."""

    async def score(state: TaskState, target: Target) -> Score | None:
        answer, value = _rules(name).score(str(state.sample_id), _read(state))
        return None if value is None else Score(value=value, answer=answer)

    return score
