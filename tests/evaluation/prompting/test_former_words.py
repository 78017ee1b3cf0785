"""Prompts of this site's benchmarks are byte for byte those from when they were Python code."""

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks.definitions.registry import BUILT_IN
from evaluation.prompting.strategies import Say, conversation_for, names_clips

# Conversations and flags of every prompt by "benchmark/prompt"; another digest means another prompt.
FORMER: dict[str, str] = json.loads(Path(__file__).with_name("former_words.json").read_text())
ROLES = {
    "pair": [("object", 0), ("object", 1)],
    "material": [("object", 0), ("object", 1)],
    "patterns-images": [("image", place) for place in range(4)],
    "activity-images": [("image", place) for place in range(3)],
    "physics-images": [("image", 0), ("image", 1)],
    "patterns-choice": [*(("image", place) for place in range(3)), *(("choice", place) for place in range(4))],
}


def item_for(slug, strategy, number):
    """A question with the clips that this prompt shows, and with braces that must stay as they are."""
    named = [name for name in ROLES if strategy.name.startswith(name)]
    roles = ROLES[named[0]] if named else [("clip", 0)]
    media = [SimpleNamespace(role=role, position=place) for role, place in roles if strategy.condition != "text"]
    return SimpleNamespace(
        pk=number + 1,
        public_id="x",
        text=f"Question {number} {{braces}} of {strategy.kinds[0]}?\nAnswer only with yes or no.",
        lead_in=f"Look {number}, {{question}}.",
        options=["yes", "no"],
        media=SimpleNamespace(all=lambda: media),
        clip=SimpleNamespace(seconds=7.25 + number) if len(media) == 1 else None,
        pack=SimpleNamespace(benchmark=slug),
    )


def asked(slug, strategy):
    told = conversation_for(strategy.name, item_for(slug, strategy, 0), item_for(slug, strategy, 1), "no")
    names = ("name", "shows_stills", "by_likelihood", "by_surprise", "by_moment", "constrained")
    flags = {name: getattr(strategy, name) for name in names} | {"names_clips": names_clips(strategy)}
    flags |= {"needs_example": bool(strategy.example), "needs_twin": strategy.with_twin}
    words = [[part.text, part.clip] if isinstance(part, Say) else "REPLY" for part in told]
    return hashlib.sha256(json.dumps([words, flags], sort_keys=True).encode()).hexdigest()[:16]


@pytest.mark.parametrize("slug", BUILT_IN)
def test_every_prompt_asks_in_its_former_words(slug):
    found = {f"{slug}/{one.name}": asked(slug, one) for one in BUILT_IN[slug].strategies}
    assert found == {name: digest for name, digest in FORMER.items() if name.startswith(f"{slug}/")}
