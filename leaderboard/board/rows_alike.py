"""Rows of one model and revision on one board say in which settings they differ."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from evaluation.inputs.frames import SAMPLER_OF_CONDITION, WITHOUT_FRAMES
from evaluation.models import Run
from evaluation.prompting.presets import THINKING
from leaderboard.board.board_row import BoardRow

OWN_SAMPLER = (*SAMPLER_OF_CONDITION, *WITHOUT_FRAMES)  # these fix the frames: the run's sampler is unused
NOTED = (THINKING,)  # in each row's note already
Settings = Mapping[str, str]


def with_differences(rows: Iterable[tuple[BoardRow, Run | None]]) -> list[BoardRow]:
    """The rows in their order; those that look alike name the settings that differ."""
    every = list(rows)
    apart = apart_of(((f"{row.name} {row.parameters}", row.revision), run) for row, run in every)
    return [replace(row, apart=words) for (row, _run), words in zip(every, apart, strict=True)]


def apart_of(rows: Iterable[tuple[Hashable, Run | None]]) -> list[str]:
    """For each row, by how it looks, the settings in which it differs from those that look the same."""
    every = list(rows)
    alike: dict[Hashable, list[Settings]] = defaultdict(list)
    for look, run in every:
        alike[look] += [settings_of(run)] if run else []
    return [differing(settings_of(run), alike[look]) if run else "" for look, run in every]


def settings_of(run: Run) -> Settings:
    """What distinguishes runs of one model, as it is printed; a referee and thinking are in the note of every row."""
    sampled: dict[str, Any] = {name: value for name, value in run.sampling.items() if name not in NOTED}
    return {
        "frames": "" if run.condition in OWN_SAMPLER else run.sampler,
        "parser": f"parser {run.parser} {run.parser_version}",
        **{name: f"{name.replace('_', ' ')} {value}" for name, value in sampled.items()},
    }


def differing(own: Settings, others: Iterable[Settings]) -> str:
    """The settings, in words, that some of the others have otherwise."""
    known = list(others)
    return ", ".join(text for name, text in own.items() if text and any(other.get(name) != text for other in known))
