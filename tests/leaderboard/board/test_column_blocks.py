"""Prompting strategies or conditions side by side, as blocks of columns."""

import csv
import io
import re

import pytest

from leaderboard.standings.refresh import refresh
from tests.factories import make_model, make_run
from tests.kept import kept
from tests.leaderboard.conftest import answer_all
from tests.markup import compact

pytestmark = pytest.mark.django_db
BOARD = "/leaderboard/grasp/"
WAYS = f"{BOARD}?blocks=strategy"


@pytest.fixture
@kept
def asked(pack):
    """One model with two strategies, another with one, both also with only the first frame."""
    both, one = make_model(name="Both", slug="both"), make_model(name="One", slug="one")
    answer_all(make_run(pack, model=both), lambda item: item.expected)
    answer_all(make_run(pack, model=both, strategy="binary-cot"), lambda item: "yes")
    answer_all(make_run(pack, model=one), lambda item: "no")
    answer_all(make_run(pack, model=one, condition="first-frame", sampler="first-1"), lambda item: item.expected)
    refresh()
    return pack


def rows_of(visitor, query):
    return {row["name"]: row for row in visitor.get(f"{BOARD}?format=json&{query}").json()["rows"]}


def overall(row, block):
    cell = row["cells"].get(f"{block}/overall")
    return cell["score"] if cell else None


def test_an_answerer_stands_in_one_line_over_all_ways_of_asking(visitor, asked):
    rows = rows_of(visitor, "blocks=strategy&rows=run")
    assert {name: [overall(row, way) for way in ("binary", "binary-cot")] for name, row in rows.items()} == {
        "Both": [1.0, 0.5],
        "One": [0.5, None],
    }
    assert rows["Both"]["keys"].keys() == {"binary", "binary-cot"}
    assert rows["Both"]["overall"]["score"] == 1.0


def test_each_block_is_the_board_of_its_own(visitor, asked):
    """Cell by cell the same figures as the board of one block, including published ones."""
    content = visitor.get(f"{WAYS}&format=json").json()
    blocks = {block["name"]: block for block in content["blocks"]}
    assert list(blocks) == ["binary", "binary-cot", "binary-oneshot", "open"]
    for name in blocks:
        alone = rows_of(visitor, f"strategy={name}")
        for row in content["rows"]:
            shown = {key.partition("/")[2]: cell for key, cell in row["cells"].items() if key.startswith(f"{name}/")}
            own = alone.get(row["name"], {"cells": {}, "overall": None})
            expected = own["cells"] | ({"overall": own["overall"]} if own["overall"] else {})
            for cell in (*shown.values(), *expected.values()):
                cell.pop("p_holm", None)  # over the cells of the view, which differ
            assert shown == expected


def test_what_was_shown_can_stand_side_by_side_as_well(visitor, asked):
    content = visitor.get(f"{BOARD}?blocks=condition&rows=run&format=json").json()
    assert [block["condition"] for block in content["blocks"]] == ["video", "first-frame"]
    rows = {row["name"]: row for row in content["rows"]}
    assert [overall(rows["One"], shown) for shown in ("video", "first-frame")] == [0.5, 1.0]
    assert overall(rows["Both"], "first-frame") is None


def test_frames_sampled_otherwise_are_another_line(visitor, asked):
    other = make_run(asked, model=make_run(asked).model, sampler="uniform-4", strategy="binary-cot")
    answer_all(make_run(asked, model=other.model, sampler="uniform-16"), lambda item: "yes")
    answer_all(other, lambda item: "yes")
    refresh()
    lines = visitor.get(f"{WAYS}&rows=run&format=json").json()["rows"]
    found = [row["keys"] for row in lines if row["name"] == other.model.name]
    assert [sorted(keys) for keys in found] == [["binary"], ["binary-cot"]]


@pytest.mark.parametrize("sort", ["binary-cot/overall", "-binary-cot/Shape", "overall", "name"])
def test_every_column_of_every_block_sorts(visitor, asked, sort):
    page = visitor.get(f"{WAYS}&rows=run&sort={sort}").content.decode()
    shown = re.findall(r'class="who"><a [^>]*>([^<]*)', compact(page))
    assert shown == [row["name"] for row in visitor.get(f"{WAYS}&rows=run&sort={sort}&format=json").json()["rows"]]
    assert shown[0] == "Both"


def test_the_page_has_a_head_over_each_block_and_cells_for_every_head(visitor, asked):
    page = visitor.get(WAYS).content.decode()
    spans = [int(number) for number in re.findall(r'scope="colgroup" class="block" colspan="(\d+)"', page)]
    assert len(spans) == 4
    heads = len(re.findall(r'<th scope="col"', page))
    assert heads == 1 + sum(spans)
    for line in re.findall(r"<tr class=\"(?!sep)[^>]*>.*?</tr>", page, re.DOTALL):
        assert len(re.findall(r"<t[hd][ >]", line)) == heads
    assert {int(width) for width in re.findall(r'colspan="(\d+)" scope="rowgroup"', page)} == {heads}


def test_a_cell_leads_to_the_items_of_its_own_block(visitor, asked):
    page = visitor.get(f"{WAYS}&rows=run").content.decode()
    keys = rows_of(visitor, "blocks=strategy&rows=run")["Both"]["keys"]
    for way, key in keys.items():
        address = f"items/?row={key}&amp;split=all&amp;test=Shape"
        assert address in page, way
        assert visitor.get(BOARD + address.replace("&amp;", "&")).status_code == 200


def test_files_name_the_block_of_every_figure(visitor, asked):
    table = list(csv.DictReader(io.StringIO(visitor.get(f"{WAYS}&rows=run&format=csv").content.decode())))
    assert [(row["Who"], row["zero-shot: Shape %"], row["chain-of-thought: Shape %"]) for row in table] == [
        ("Both", "100.0", "50.0"),
        ("One", "50.0", ""),
    ]
    latex = visitor.get(f"{WAYS}&rows=run,published&format=latex").content.decode()
    assert r"\multicolumn{7}{c}{chain-of-thought}" in latex
    assert latex.count(r"\cmidrule(lr)") == 4
    heads = next(line for line in latex.splitlines() if line.startswith("Model or group"))
    assert heads.count("&") == latex.splitlines()[latex.splitlines().index(r"\midrule") + 1].count("&")


def test_a_page_of_blocks_keeps_the_number_of_queries(visitor, asked, django_assert_max_num_queries):
    with django_assert_max_num_queries(12):
        assert visitor.get(WAYS).status_code == 200


@pytest.mark.parametrize("query", ["blocks=both", "blocks=strategy&sort=Shape", "blocks=strategy&page=9"])
def test_a_wrong_address_says_what_there_is(visitor, asked, query):
    answer = visitor.get(f"{BOARD}?{query}")
    assert answer.status_code == 404
    assert re.search(r"there is|page\(s\)", answer.content.decode())


def test_without_a_pack_the_papers_table_stands_in_blocks(visitor):
    row = rows_of(visitor, "blocks=strategy")["Video-LLaMA 7B"]
    assert [row["cells"][f"{way}/Shape"]["printed"] for way in ("binary", "binary-cot", "binary-oneshot", "open")] == [
        "49.1",
        "69.4",
        "41.4",
        "87.2",
    ]
