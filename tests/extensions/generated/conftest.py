import gzip
import json
from pathlib import Path

import pytest

from extensions.generated.clipsets import checking
from extensions.generated.dimensions import GENERAL
from extensions.generated.judging.import_scores import PEOPLE
from extensions.generated.rounds import make_round

# All scores of PhyGround's score files (see `source` in it), a digit each; 0: the judge gave no readable answer.
PUBLISHED = Path(__file__).parent / "data" / "phyground.json.gz"


def score_file(file, prompts):
    """One file in PhyGround's layout."""
    digits = iter(file["steps"])

    def step():
        return int(next(digits)) or None

    results = []
    for key, laws in sorted(prompts.items()):
        result = {name: step() for name in ("SA", "PTV", "persistence")}
        scored = {law: {"score": step()} for law in laws}
        results.append(result | {"video": key, "prompt": f"The prompt {key}.", "physical": {"laws": scored}})
    assert {dimension.name for dimension in GENERAL} <= set(results[0])
    meta = {"scheme": file["scheme"], "video_model": file["video_model"], "eval_timestamp": file["eval_timestamp"]}
    return {"judge": file["judge"], "meta": meta, "visual_config": {"fps": file["fps"]}, "results": results}


@pytest.fixture(autouse=True)
def rare_heartbeats(monkeypatch):
    """None within a test's transaction: its own connection sees no row of it, and takes the lease for lost."""
    monkeypatch.setattr(checking, "BEAT", 600.0)
    monkeypatch.setattr(make_round, "BEAT", 600.0)


@pytest.fixture
def phyground(tmp_path):
    """A folder with PhyGround's published files."""
    data = json.loads(gzip.decompress(PUBLISHED.read_bytes()))
    (tmp_path / PEOPLE).write_text(json.dumps({"rows": data["people"]}))
    for file in data["files"]:
        (tmp_path / file["name"]).write_text(json.dumps(score_file(file, data["prompts"])))
    return tmp_path
