"""The client's notebook draws every concept of a live site with its interval."""

import re

import nbformat
import pytest
from nbclient import NotebookClient

from tests.programs import ROOT
from tests.site import PATIENCE

pytestmark = pytest.mark.django_db(transaction=True)


def test_notebook_draws_the_board(live_server, level_2, client, monkeypatch):
    monkeypatch.setenv("BENCHSITE", live_server.url)
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "client"))
    notebook = nbformat.read(ROOT / "client/notebooks/grasp-level-2.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs stay out of the checkout"
    NotebookClient(notebook, timeout=PATIENCE).execute()

    drawing = notebook.cells[-1].outputs[0].data["image/svg+xml"]
    board = client.get("/api/v1/boards/grasp/?level=2&group=concept").json()
    assert {"gravity", "continuity"} < set(board["columns"])
    assert sorted(re.findall("<title>(.*?)</title>", drawing)) == sorted(
        f"{concept}, {row['name']}: {100 * cell['score']:.1f}"
        f" ({100 * cell['low']:.1f}–{100 * cell['high']:.1f}), n = {cell['n']}"
        for row in board["rows"]
        for concept, cell in row["cells"].items()
    )
