"""GRASP as data: facts of the paper and its release, and their consequences."""

import json
from collections import Counter

import pytest

from benchmarks.definitions.papers import DATA
from benchmarks.definitions.papers import grasp_prompts as prompts
from benchmarks.definitions.papers.grasp_tests import LEVEL_1, LEVEL_2, PHYSICS_BY_NAME_IN_TEXTS
from benchmarks.definitions.registry import BENCHMARKS

GRASP = BENCHMARKS["grasp"]
TABLE_1 = {
    "continuity": 4,
    "solidity": 2,
    "inertia": 4,
    "gravity": 5,
    "collision": 1,
    "object permanence": 3,
    "support": 1,
    "unchangeableness": 2,
}


def published(source, strategy):
    rows = [row for row in GRASP.published if (row.source, row.strategy) == (source, strategy)]
    return {(row.name, row.parameters): row.cells for row in rows}


def test_table_1_falls_out_of_the_tests():
    assert Counter(concept for test in LEVEL_2 for concept in test.concepts) == TABLE_1
    assert [value.value for value in GRASP.facet("concept").values] == list(TABLE_1)
    assert [test.number for test in LEVEL_2] == list(range(1, 17))


def test_the_prompt_files_cover_every_test():
    assert set(prompts.LEVEL_1) == {test.name for test in LEVEL_1}
    assert set(prompts.LEVEL_2) == {test.name for test in LEVEL_2}
    assert len(prompts.TEXT_OFFICIAL) == 28
    assert {scene.partition("_")[2] for scene in prompts.TEXT_OFFICIAL} <= set(PHYSICS_BY_NAME_IN_TEXTS)
    assert len(prompts.TEXT_APPENDIX_H) == 32
    assert {text.partition("\n")[0] for text in prompts.TEXT_OFFICIAL.values()} == {prompts.TEXT_LEAD}


def test_appendix_h_differs_from_the_prompt_file_in_test_15_and_lacks_nothing():
    texts = prompts.TEXT_OFFICIAL.items()
    official = {scene.replace("SupportGravity", "GravitySupport"): text for scene, text in texts}
    differing = {scene for scene in official if official[scene] != prompts.TEXT_APPENDIX_H[scene]}
    assert differing == {"P_GravitySupport", "IP_GravitySupport"}
    missing = prompts.TEXT_APPENDIX_H.keys() - official.keys()
    assert missing == {"P_Continuity", "IP_Continuity", "P_Collision", "IP_Collision"}


@pytest.mark.parametrize("strategy", ["binary", "binary-cot", "binary-oneshot"])
def test_table_2_is_the_mean_of_table_3_but_for_the_misprinted_color(strategy):
    """Both tables are rounded to a tenth, so the mean may be off by a tenth."""
    combined = published("Table 2", strategy)
    misprints = 0
    for answerer, cells in published("Table 3", strategy).items():
        by_polarity = {(cell.column, cell.polarity): cell for cell in cells}
        for whole in combined[answerer]:
            negative, positive = (by_polarity[whole.column, polarity] for polarity in ("negative", "positive"))
            mean = (float(negative.text) + float(positive.text)) / 2
            if whole.column == "Color":
                misprints += 1
                assert positive.text == by_polarity["Shape", "positive"].text
                implied = 2 * float(whole.text) - float(negative.text)
                assert positive.note == f"misprint: repeats the value of Shape; Table 2 implies {implied:.1f}"
            else:
                assert not positive.note
                assert abs(mean - float(whole.text)) <= 0.1 + 1e-9, (answerer, whole.column)
    assert misprints == 7


@pytest.mark.parametrize(
    ("strategy", "column", "chance"),
    [
        ("binary", "Color", 0.5),
        ("open", "Shape", 0.5),
        ("open", "Color", 0.25),
        ("open", "Direction", 0.25),
        ("open", "RelationalPosition", 0.5),
        ("open", "overall", None),
        ("plausibility", "gravity", 0.5),
    ],
)
def test_chance_by_column(strategy, column, chance):
    assert GRASP.chance(strategy, column) == chance


def test_our_own_wording_and_the_one_caution_are_marked():
    wordings = {"binary-wordings", "plausibility-wordings", "text-wordings"}
    ours = {"moment", "twins", "plausibility-cot", "plausibility-oneshot"} | wordings
    assert {strategy.name for strategy in GRASP.strategies if strategy.ours} == ours
    assert [value.number for value in GRASP.facet("test").values if value.caution] == [8]


def test_data_files_have_their_licence():
    assert "MIT License" in (DATA / "grasp" / "LICENSE").read_text()
    assert json.loads((DATA / "grasp" / "appendix_h.json").read_text())["source"].startswith("Appendix H")
