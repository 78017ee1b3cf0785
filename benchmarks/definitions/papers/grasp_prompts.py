"""All of GRASP's prompts: the official prompt files, Appendix H, and this site's additions."""

import json
from typing import Any

from benchmarks.definitions.papers import DATA


def _read(name: str) -> dict[str, Any]:
    return json.loads((DATA / "grasp" / name).read_text(encoding="utf-8"))


LEVEL_1: dict[str, dict[str, str]] = _read("prompts/level1.json")  # test -> {"binary", maybe "open"}
LEVEL_2: dict[str, str] = _read("prompts/level2.json")  # test -> prompt
TEXT_OFFICIAL: dict[str, str] = _read("prompts/level2_scene_descriptions.json")  # P_… or IP_… -> filled prompt
TEXT_LEAD = next(iter(TEXT_OFFICIAL.values())).partition("\n")[0]
# The descriptions are the paper's; the first sentence is ours, taken from the official file of descriptions.
TEXT_APPENDIX_H = {
    scene: f"{TEXT_LEAD}\n{description}" for scene, description in _read("appendix_h.json")["descriptions"].items()
}

# First question of chain-of-thought for a test without an open question. Official for Level 1, ours for Level 2.
LOOK = "What can you see in this video?"
# This site's own questions, version 1, for both models and people.
WHICH_OF_TWO = (
    "One of these two videos shows something that is not possible, given how objects behave on earth. Which one?"
)
DOES_IT_BREAK = "Given how objects behave on earth, does something happen in it that is not possible?"
