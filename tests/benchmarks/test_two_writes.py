"""Packs: of an import all is stored or nothing."""

import json
from collections.abc import Callable

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models.public_ids import rotate_ids
from benchmarks.packs.import_release import import_release, read_release, save_questions
from benchmarks.packs.withheld_answers import import_answers
from tests.benchmarks.grasp_release import write_release
from tests.benchmarks.pacs_releases import small
from tests.factories import make_item, make_pack
from tests.two_writes import assert_all_or_nothing

pytestmark = pytest.mark.django_db(transaction=True)
Act = Callable[[], object]
GRASP, PACS = BENCHMARKS["grasp"], BENCHMARKS["pacs"]


def importing(folder) -> Act:
    import_release(GRASP, write_release(folder / "before", ["ShapeCube"]), pack_name="before")  # the site has its key
    root = write_release(folder / "release", ["ColorRed"])
    return lambda: import_release(GRASP, root)


def saving_questions(folder) -> Act:
    rows = read_release(GRASP, write_release(folder / "release", ["ColorRed"])).rows
    texts = [row for row in rows if not row.uses]
    return lambda: save_questions(GRASP, name="texts", title="Texts", profile="", rows=texts)


def loading_answers(folder) -> Act:
    asked = {"object0003_object0002": {"question0001": {"text": "Which?"}}}
    import_release(PACS, small(folder / "release", test_data=asked))
    answers = folder / "answers.json"
    answers.write_text(json.dumps({"object0003_object0002": {"question0001": {"label": 1, "text": "Which?"}}}))
    return lambda: import_answers(PACS, answers)


def rotating(folder) -> Act:
    pack = make_item(make_pack()).pack
    return lambda: rotate_ids(pack)


@pytest.mark.parametrize("prepared", [importing, saving_questions, loading_answers, rotating])
def test_a_fault_between_two_writes_leaves_nothing(prepared, tmp_path):
    assert_all_or_nothing(prepared(tmp_path))
