"""This site's own benchmarks are valid files, with the same content as when they were Python."""

import dataclasses
import hashlib
import json
import os
from typing import Any

import pytest

from benchmarks.definitions.built_in import CODE, FILES
from benchmarks.definitions.definition import StrategyName
from benchmarks.definitions.files.contradictions import read_text
from benchmarks.definitions.registry import BUILT_IN
from tests.programs import python

# What changes one of these digests changes boards, scores or texts of pages. Raise the version if scores move.
FORMER = {
    "grasp": "e17d5660ec15efce",
    "craft": "507a4d289a5f8d96",
    "pacs": "93bcaa504a91bbad",
    "tapped": "e6ee7f1f10330c00",
    "giraffe": "baa7e668fa487c74",
}
# New with the files; tests/evaluation/prompting/test_former_words.py checks the prompts.
LATER = {"by_rating", "prompt", "system", "first", "example", "clip_names", "choice_names", "shows_stills"}


def plain(value: Any) -> Any:
    """The value in JSON types; for a function, that it exists."""
    if callable(value):
        return "code"
    if dataclasses.is_dataclass(value):
        names = {one.name for one in dataclasses.fields(value)} - (LATER if isinstance(value, StrategyName) else set())
        return {name: plain(getattr(value, name)) for name in sorted(names)}
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    return value


@pytest.mark.parametrize("slug", CODE)
def test_its_file_has_no_mistake_and_its_content_is_the_former_one(slug):
    text = (FILES / f"{slug}.toml").read_text(encoding="utf-8")
    assert read_text(text).slug == slug
    content = json.dumps(plain(BUILT_IN[slug]), ensure_ascii=False)
    assert hashlib.sha256(content.encode()).hexdigest()[:16] == FORMER[slug]


def test_their_order_is_the_former_one():
    assert [*BUILT_IN] == [*FORMER] == ["grasp", "craft", "pacs", "tapped", "giraffe"]


def test_definitions_are_loaded_before_any_setting():
    """Programs choose the data folder after they have imported definitions; settings that are read once would hold the
    wrong one."""
    imports = "import benchmarks.definitions.registry, scenes.clip; from django.conf import settings"
    env = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    done = python(["-c", f"{imports}; print(settings.configured)"], env, timeout=120)
    assert done.stdout == "False\n", done.stderr
