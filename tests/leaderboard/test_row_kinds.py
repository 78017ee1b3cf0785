"""No module and no template but one compares a row's kind with a value."""

import ast
import re
from pathlib import Path

from leaderboard.row_kinds import RowKind

ROOT = Path(__file__).resolve().parents[2]
OURS_ALONE = "leaderboard/row_kinds.py"
COMPARED = re.compile(rf"kind\s*(==|!=)\s*[\"']({'|'.join(RowKind.values)})")


def comparisons_in(tree):
    """Comparisons of a row's kind with a value: `row.kind == "run"`, `kind in (RowKind.RUN, …)`."""
    values = set(RowKind.values)
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            parts = [part for side in sides for part in ast.walk(side)]
            is_kind = any(getattr(side, "attr", getattr(side, "id", "")) in ("kind", "row_kind") for side in sides)
            texts = {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
            is_member = any(isinstance(part, ast.Attribute) and ast.unparse(part.value) == "RowKind" for part in parts)
            if is_member or (is_kind and texts & values):
                yield node


def test_no_module_but_one_and_no_template_compares_a_rows_kind():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"
        for path in sorted((ROOT / "leaderboard").rglob("*.py"))
        if str(path.relative_to(ROOT)) != OURS_ALONE
        for node in comparisons_in(ast.parse(path.read_text()))
    ]
    # The first part of a key in an address: run-12, trial-try-it.
    assert [one for one in found if "item_list.py" not in one and "report.py" not in one] == []
    # no template compares a rows kind
    texts = {path: path.read_text() for path in (ROOT / "templates" / "leaderboard").rglob("*.html")}
    assert [path.name for path, text in texts.items() if COMPARED.search(text)] == []
    assert COMPARED.search('{% if drawn.row.kind == "run" %}')
    # a comparison is found
    for text in ('row.kind == "run"', 'kind in ("human", "simulated")', "one.kind != RowKind.HUMAN"):
        assert list(comparisons_in(ast.parse(text)))
    assert not list(comparisons_in(ast.parse("row.kind.is_ranked and row.kind in view.rows")))
