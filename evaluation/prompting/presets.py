"""Settings of a run's sampling: presets of a benchmark's paper, and a model's thinking (on, off, or with a budget)."""

from collections.abc import Mapping
from typing import Any

from benchmarks.definitions.definition import StrategyName
from benchmarks.definitions.papers.giraffe import PRESETS as OF_GIRAFFE
from benchmarks.definitions.papers.giraffe import Preset
from evaluation.adapters.base import MOST_THINKING
from evaluation.errors import RunMisused
from evaluation.models import Model

PAPER = "paper"  # GRASP's: ask every item three times with different seeds
PRESETS: Mapping[str, Mapping[str, Preset]] = {"giraffe": OF_GIRAFFE}
PRESET, THINKING = "preset", "thinking"  # keys in Run.sampling
ON, OFF = "on", "off"
THINKING_KINDS = ("transformers", "openai")


def preset_named(name: str, benchmark: str) -> Preset:
    """The benchmark's preset with this name; RunMisused lists the existing ones."""
    known = PRESETS.get(benchmark, {})
    if name not in known:
        raise RunMisused(f"there is no preset {name!r}; there is: {', '.join((PAPER, *known))}")
    return known[name]


def sampling_of(name: str, benchmark: str) -> dict[str, Any]:
    """The value of Run.sampling for this preset."""
    preset = preset_named(name, benchmark)
    return {"temperature": preset.temperature, "max_new_tokens": preset.max_new_tokens, PRESET: preset.name}


def check_preset(name: str, benchmark: str, strategy: StrategyName) -> None:
    """Raise RunMisused unless the strategy asks the kind of question for which the preset is made."""
    query = preset_named(name, benchmark).query
    if query not in strategy.kinds:
        raise RunMisused(f"the preset {name} asks {query} questions, and {strategy.name} {' or '.join(strategy.kinds)}")


def preset_in(sampling: Mapping[str, Any], benchmark: str) -> Preset | None:
    """The preset with which a run was started; None without one."""
    name = sampling.get(PRESET)
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


def checked_thinking(wanted: Any, model: Model) -> str | int:
    """The setting as stored in Run.sampling; raises RunMisused if it is invalid or unsupported by the model."""
    if model.kind not in THINKING_KINDS:
        raise RunMisused(
            f"thinking can't be set for models of kind {model.kind}; it can for {', '.join(THINKING_KINDS)}"
        )
    if model.kind == "openai" and not model.options.get("thinking_as"):
        raise RunMisused(f"thinking: say by the option thinking_as how {model.slug}'s server is told")
    if wanted in (ON, OFF):
        return str(wanted)
    number = int(wanted) if str(wanted).isdecimal() and len(str(wanted)) < 8 else 0
    if not 1 <= number <= MOST_THINKING:
        raise RunMisused(f"thinking {wanted!r}: on, off, or the most tokens of thoughts, 1 to {MOST_THINKING}")
    return number


def thinking_of(sampling: Mapping[str, Any]) -> bool | int | None:
    """The setting for a request; None if the run leaves it to the model."""
    wanted = sampling.get(THINKING)
    return wanted == ON if isinstance(wanted, str) else wanted


def thinking_label(sampling: Mapping[str, Any]) -> str:
    """`thinking off` or `thinking up to 512 tokens`; '' if the run leaves it to the model."""
    wanted = sampling.get(THINKING)
    if wanted is None:
        return ""
    if isinstance(wanted, str):
        return {ON: "thinking on", OFF: "thinking off"}.get(wanted, f"thinking {wanted}")
    return f"thinking up to {wanted} tokens"
