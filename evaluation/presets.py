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


def system_prompt(sampling: Mapping[str, Any], benchmark: str) -> str:
    """What stands before the conversation; '' without a preset."""
    name = sampling.get(KEY)
    return preset_named(name, benchmark).system if name else ""
