"""What a strategy asks of each item, composed by the run's own prompting, or why a tool can't ask it so."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.definitions.definition import StrategyName
from benchmarks.definitions.registry import find_benchmark
from benchmarks.disclosure import PUBLIC, Fact, open_answers, open_facts
from benchmarks.models import Clip, Item, Pack
from benchmarks.packs.export import FormatChoice
from evaluation.adapters.base import REPLY
from evaluation.errors import RunMisused
from evaluation.inputs.frames import WITHOUT_FRAMES
from evaluation.models import Cell, Model, Run
from evaluation.parsing import PARSERS
from evaluation.prompting.requests import Asking, parser_context, with_media
from evaluation.prompting.strategies import Conversation, Say, place_of, system_prompt
from evaluation.runs.spec import chosen
from evaluation.submissions.files.rows import Target
from extensions.harnesses.media import Part, TaskMedia

CLIP = "clip"  # in place of a sampler: the file of the clip


@dataclass(frozen=True)
class Tool:
    """What another tool can do: whether it asks several turns, and how it is shown clips by default."""

    name: str
    tried: str  # the version that was tried
    takes_turns: bool
    sampler: str


@dataclass(frozen=True)
class ExportedTask:
    """One strategy's questions: rows of `item`, `system` and `turns`, and the labels that may be told, by item."""

    target: Target
    parser: str
    sampling: dict[str, Any]
    rows: list[dict[str, Any]]
    labels: dict[str, dict[str, Any]]

    @property
    def name(self) -> str:
        """The name in the tool, which has one space of names for all benchmarks."""
        target, own = self.target, self.target.strategy
        parts = [target.benchmark.slug, target.pack.name, own.name]
        parts += [target.condition] if target.condition != own.condition else []
        parts += [target.split] if target.split != own.splits[0] else []
        return re.sub(r"\W+", "_", "_".join(parts))

    @property
    def header(self) -> dict[str, str]:
        """The header of an upload, but for the model."""
        return {name: value for name, value in self.target.facts.items() if name != "model"}

    @property
    def facts(self) -> dict[str, Any]:
        """What the folder says of the task."""
        counts = {"items": len(self.rows), "labels": len(self.labels)}
        version = {"parser": self.parser, "parser_version": PARSERS[self.parser].version}
        return {**self.header, **version, **self.sampling, **counts}


def refusal(strategy: StrategyName, tool: Tool) -> str:
    """Why this tool can't ask by this strategy as the site does; '' if it can."""
    if strategy.by_likelihood:
        return f"weighs the options by their probabilities, which tasks of {tool.name} don't give for chat models"
    if strategy.by_surprise:
        return "takes a number for each window of a clip, and a task of replies has none"
    if strategy.constrained:
        return f"holds the reply to the options, which {tool.name} can't ask of every model"
    if strategy.wordings:
        return f"asks each question in {len(strategy.wordings)} wordings, and a task asks it once"
    if (strategy.first or strategy.example) and not tool.takes_turns:
        return f"asks in two turns: {tool.name} would write the replies of both as repeats; the format inspect has them"
    return ""


@dataclass(frozen=True)
class TaskQuestions:
    """Composes the questions of one strategy for a tool; `run` is never stored."""

    run: Run
    target: Target
    media: TaskMedia
    as_clips: bool

    def task(self) -> ExportedTask:
        """The questions that an upload must answer, ordered by their random ids."""
        items = list(with_media(self.target.items()).order_by("public_id").select_related("briefing"))
        asking, rows = Asking(self.run), []
        for item in items:
            item.pack = self.run.pack
            cell = Cell(run=self.run, item=item, seed=0)
            system, turns = self._clips_of(asking, cell) if self.as_clips else self._frames_of(asking, cell)
            rows.append({"item": item.public_id, "system": system, "turns": turns})
        return ExportedTask(self.target, self.run.parser, self.run.sampling, rows, self._labels(items))

    def _labels(self, items: list[Item]) -> dict[str, dict[str, Any]]:
        """What parser and score need of each item whose answer the public may know."""
        if self.target.strategy.is_scored_apart:
            return {}
        known = open_answers(items, to=PUBLIC)
        contexts = {item.public_id: parser_context(item, known[item.pk].expected) for item in items}
        return {name: vars(context) for name, context in contexts.items() if context.expected is not None}

    def _clips_of(self, asking: Asking, cell: Cell) -> tuple[str, list[list[Part]]]:
        conversation, example = asking.conversation(cell)
        self._check(example)
        clips: dict[str, Clip | None] = {place_of(use): use.clip for use in cell.item.media.all()}
        clips |= {"item": cell.item.clip, "example": example.clip if example else None}
        parts = {name: [self.media.clip(clip)] for name, clip in clips.items() if clip and name in _named(conversation)}
        return system_prompt(self.run.strategy, cell.item), _turns(conversation, parts)

    def _frames_of(self, asking: Asking, cell: Cell) -> tuple[str, list[list[Part]]]:
        """Pictures and sounds as a run sends them: with boxes, and of the run's condition."""
        found = asking.question(cell)
        self._check(found.example)
        parts: dict[str, list[Part]] = {}
        for name in _named(found.conversation):
            frames, sound = found.clip_frames.get(name), found.sounds.get(name)
            parts[name] = self.media.pictures(frames) if frames else []
            parts[name] += [self.media.sound(sound.audio)] if sound else []
        return found.request.system, _turns(found.conversation, parts)

    def _check(self, example: Item | None) -> None:
        """Raise RunMisused if the example would show or tell what the public may not know."""
        if example is None:
            return
        strategy = find_benchmark(self.run.pack.benchmark).strategy(self.run.strategy)
        needed = {Fact.EXISTENCE} | ({Fact.ANSWER} if strategy.example else set())
        if not needed <= open_facts(example, to=PUBLIC):
            raise RunMisused("shows examples before its questions, and some of these, or their answers, are hidden")


def composed(pack: Pack, strategy: StrategyName, choice: FormatChoice, tool: Tool, media: TaskMedia) -> ExportedTask:
    """The task of a strategy for a tool; raises RunMisused or ClipUnreadable with the reason if there is none."""
    if why := refusal(strategy, tool):
        raise RunMisused(why)
    model = Model(slug=tool.name, kind="openai", options={"audio": True})
    spec = chosen(
        model=model,
        pack=pack,
        strategy=strategy.name,
        condition=choice.condition or None,
        split=choice.split or None,
        sampler=None if choice.sampler in ("", CLIP) else choice.sampler,
    )
    run = Run(model=model, pack=pack, **spec.fields)
    target = Target(find_benchmark(pack.benchmark), pack, "", strategy, run.condition, run.split)
    items = target.items()
    if not items.exists():
        raise RunMisused("has no question in this pack")
    if spec.needs_clips and items.filter(media__isnull=True).exists():
        raise RunMisused("has questions whose clips are not here")
    return TaskQuestions(run, target, media, _as_clips(run, target, choice, tool)).task()


def _as_clips(run: Run, target: Target, choice: FormatChoice, tool: Tool) -> bool:
    """Whether the files of clips are shown; RunMisused if they were chosen and don't show what a run shows."""
    if (choice.sampler or tool.sampler) != CLIP or run.condition in WITHOUT_FRAMES:
        return False
    has_boxes = target.items().filter(media__clip__facts__has_key="box").exists()
    if choice.sampler and (has_boxes or run.condition != "video"):
        what = "a box on a frame" if has_boxes else f"the condition {run.condition}"
        raise RunMisused(f"needs pictures, since the files of clips don't show {what}: leave the sampler {CLIP} out")
    return run.condition == "video" and not has_boxes


def _named(conversation: Conversation) -> list[str]:
    return [part.clip for part in conversation if isinstance(part, Say) and part.clip]


def _turns(conversation: Conversation, parts: dict[str, list[Part]]) -> list[list[Part]]:
    """What is said before each reply: clips, then text, as in messages to a server."""
    turns: list[list[Part]] = [[]]
    for say in conversation:
        if say is REPLY:
            turns.append([])
        else:
            turns[-1] += [*parts.get(say.clip or "", []), *([{"text": say.text}] if say.text else [])]
    return [list(_joined(turn)) for turn in turns[:-1]]


def _joined(turn: list[Part]) -> Iterator[Part]:
    """The parts of a turn; one text if it has no clip."""
    if all("text" in part for part in turn):
        yield {"text": "\n".join(part["text"] for part in turn)}
    else:
        yield from turn
