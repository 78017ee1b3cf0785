"""The documentation has the prompts of the code, word for word."""

from pathlib import Path

import pytest

from benchmarks.definitions.papers import grasp_prompts as prompts
from benchmarks.definitions.registry import BENCHMARKS

DOCS = Path(__file__).parents[3] / "docs" / "benchmarks"
PARTS = ("What it asks", "Where it comes from", "How many items by facet", "How it is scored", "What is known to be")
GRASP = (DOCS / "grasp.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("slug", BENCHMARKS)
def test_every_benchmark_has_its_page_in_the_five_parts(slug):
    text = (DOCS / f"{slug}.md").read_text(encoding="utf-8")
    places = [text.index(f"## {part}") for part in PARTS]
    assert places == sorted(places)


def test_our_own_wording_is_printed_in_full():
    assert f"```text\n{prompts.LOOK}\n```" in GRASP
    for way in ("binary-oneshot", "plausibility-oneshot"):
        assert f"```text\n{BENCHMARKS['grasp'].strategy(way).example}\n```" in GRASP


def test_the_official_prompts_are_printed_too():
    lead, _, rest = next(line for line in GRASP.splitlines() if line.startswith("The video you")).partition("{}?")
    rows = [line.strip("| ").split(" | ") for line in GRASP.splitlines() if line.startswith("| ")]
    for test, prompt in prompts.LEVEL_2.items():
        assert prompt in [f"{lead}{row[-1]}?{rest}" for row in rows if f" `{test}`" in f" {row[0]}"], test
    assert all(f"| {asked['binary']} |" in GRASP for asked in prompts.LEVEL_1.values())


def test_every_strategy_split_and_parser_is_named():
    grasp = BENCHMARKS["grasp"]
    names = [*(strategy.name for strategy in grasp.strategies), *grasp.splits, *grasp.parsers]
    assert [name for name in names if f"`{name}`" not in GRASP] == []
