"""Named settings of a benchmark's paper, put into a run: sampling, and the system prompt that the model is given."""

from collections.abc import Mapping
from typing import Any

from benchmarks.definition import StrategyName
from benchmarks.definitions.giraffe_presets import PRESETS as OF_GIRAFFE
from benchmarks.definitions.giraffe_presets import Preset
from evaluation.errors import RunMisused

PAPER = "paper"  # GRASP's: everything three times with different seeds
PRESETS: Mapping[str, Mapping[str, Preset]] = {"giraffe": OF_GIRAFFE}
KEY = "preset"  # what a run's sampling calls it


def preset_named(name: str, benchmark: str) -> Preset:
    """The preset of this name; RunMisused names what the benchmark has."""
    known = PRESETS.get(benchmark, {})
    if name not in known:
        raise RunMisused(f"there is no preset {name!r}; there is: {', '.join((PAPER, *known))}")
    return known[name]


def sampling_of(name: str, benchmark: str) -> dict[str, Any]:
    """What a run is to be sampled with under this preset."""
    preset = preset_named(name, benchmark)
    return {"temperature": preset.temperature, "max_new_tokens": preset.max_new_tokens, KEY: preset.name}


def check_preset(name: str, benchmark: str, strategy: StrategyName) -> None:
    """RunMisused where the preset's models were asked in another way."""
    query = preset_named(name, benchmark).query
    if query not in strategy.kinds:
        raise RunMisused(f"the preset {name} asks {query} questions, and {strategy.name} {' or '.join(strategy.kinds)}")


def preset_in(sampling: Mapping[str, Any], benchmark: str) -> Preset | None:
    """The preset that a run was started with; None without one."""
    name = sampling.get(KEY)
    return preset_named(name, benchmark) if name else None


# The paper's template holds the marks of its own models' code; what is sent is laid out by whoever knows the model.
LAID_OUT = {
    "transformers": "by the model's own chat template; the paper's is not applied",
    "openai": "by the server, as its model wants it; the paper's template is not sent",
    "command": "by the program, which is told the paper's template",
}
NOT_LAID_OUT = "models of this kind take the question as it is; the paper's template is not applied"


def told_of_preset(sampling: Mapping[str, Any], benchmark: str, kind: str) -> dict[str, str]:
    """What a run's preset is, what of it the model was given, and who laid the messages out; {} without one."""
    preset = preset_in(sampling, benchmark)
    if preset is None:
        return {}
    told = {
        "preset": f"{preset.title}: questions of {preset.query}, temperature {preset.temperature:g},"
        f" at most {preset.max_new_tokens} tokens",
        "system prompt": preset.system or "none",
        "input template of the paper": preset.template,
        "laid out": LAID_OUT.get(kind, NOT_LAID_OUT),
    }
    return told | ({"note": preset.note} if preset.note else {})
