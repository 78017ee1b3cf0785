"""Presets: the sampling settings and system prompt of a benchmark's paper."""

from collections.abc import Mapping
from typing import Any

from benchmarks.definitions.definition import StrategyName
from benchmarks.definitions.papers.giraffe import PRESETS as OF_GIRAFFE
from benchmarks.definitions.papers.giraffe import Preset
from evaluation.errors import RunMisused

PAPER = "paper"  # GRASP's: ask every item three times with different seeds
PRESETS: Mapping[str, Mapping[str, Preset]] = {"giraffe": OF_GIRAFFE}
KEY = "preset"  # its key in Run.sampling


def preset_named(name: str, benchmark: str) -> Preset:
    """The benchmark's preset with this name; RunMisused lists the existing ones."""
    known = PRESETS.get(benchmark, {})
    if name not in known:
        raise RunMisused(f"there is no preset {name!r}; there is: {', '.join((PAPER, *known))}")
    return known[name]


def sampling_of(name: str, benchmark: str) -> dict[str, Any]:
    """The value of Run.sampling for this preset."""
    preset = preset_named(name, benchmark)
    return {"temperature": preset.temperature, "max_new_tokens": preset.max_new_tokens, KEY: preset.name}


def check_preset(name: str, benchmark: str, strategy: StrategyName) -> None:
    """Raise RunMisused unless the strategy asks the kind of question for which the preset is made."""
    query = preset_named(name, benchmark).query
    if query not in strategy.kinds:
        raise RunMisused(f"the preset {name} asks {query} questions, and {strategy.name} {' or '.join(strategy.kinds)}")


def preset_in(sampling: Mapping[str, Any], benchmark: str) -> Preset | None:
    """The preset with which a run was started; None without one."""
    name = sampling.get(KEY)
    return preset_named(name, benchmark) if name else None


# The paper's template belongs to the code of its own models, so each kind of adapter formats messages in its own way.
LAID_OUT = {
    "transformers": "by the model's own chat template; the paper's is not applied",
    "openai": "by the server, as its model wants it; the paper's template is not sent",
    "command": "by the program, which is told the paper's template",
}
NOT_LAID_OUT = "models of this kind take the question as it is; the paper's template is not applied"


def preset_facts(sampling: Mapping[str, Any], benchmark: str, kind: str) -> dict[str, str]:
    """The card's facts on the run's preset: what the model got, and who formatted the messages; {} without a preset."""
    preset = preset_in(sampling, benchmark)
    if preset is None:
        return {}
    facts = {
        "preset": f"{preset.title}: questions of {preset.query}, temperature {preset.temperature:g},"
        f" at most {preset.max_new_tokens} tokens",
        "system prompt": preset.system or "none",
        "input template of the paper": preset.template,
        "laid out": LAID_OUT.get(kind, NOT_LAID_OUT),
    }
    return facts | ({"note": preset.note} if preset.note else {})
