"""An exported pack is complete, passes its checks, and contains no answer."""

import hashlib
import json
import zipfile

import pytest
from django.utils import timezone

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.errors import BenchmarkError
from benchmarks.models import Clip
from benchmarks.packs.export import FormatChoice, export_as, export_pack

GRASP = BENCHMARKS["grasp"]


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def test_a_folder_holds_questions_clips_and_sums_and_no_answer(small_pack, tmp_path):
    out = tmp_path / "export"
    assert export_pack(GRASP, small_pack, out) == {"items": 82, "clips": 12}
    rows = lines((out / "items.jsonl").read_text())
    for row in rows:
        item = small_pack.items.get(public_id=row["item"])
        stored = (item.kind, item.text, item.lead_in or None, item.options, item.facet_values("level"))
        assert (row["kind"], row["text"], row["lead_in"], row["options"], row["level"]) == stored
        assert row["sha256"] == (item.clip.displayed_file.sha256 if item.clip else None)
    assert {row["clip"] for row in rows if row["clip"]} == {f"clips/{path.name}" for path in (out / "clips").iterdir()}
    for line in (out / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    assert "jassim2024grasp" in (out / "README.md").read_text()
    text = "".join(path.read_text() for path in out.iterdir() if path.is_file())
    assert not any(word in text for word in ("expected", "implausible", "IP_", "polarity", '"negative"'))
    with pytest.raises(BenchmarkError, match="exists already"):
        export_pack(GRASP, small_pack, out)


@pytest.mark.parametrize(
    ("strategy", "condition", "split", "count"),
    [("binary", "video", "all", 12), ("plausibility-cot", "video", "all", 6), ("text", "text", "official", 28)],
)
def test_a_template_is_a_submission_with_empty_replies(small_pack, tmp_path, strategy, condition, split, count):
    out = tmp_path / "export"
    export_pack(GRASP, small_pack, out)
    header, *replies = lines((out / f"submission-template-{strategy}.jsonl").read_text())
    asked = {"strategy": strategy, "condition": condition, "split": split}
    assert header == {"benchmark": "grasp", "pack": "small", "model": ""} | asked
    assert len(replies) == count
    assert all(reply.keys() == {"item", "reply"} for reply in replies)


def test_a_zip_holds_the_same(small_pack, tmp_path):
    export_pack(GRASP, small_pack, tmp_path / "export")
    export_pack(GRASP, small_pack, tmp_path / "export.zip")
    with zipfile.ZipFile(tmp_path / "export.zip") as archive:
        assert archive.testzip() is None
        names = {name.removeprefix("export/") for name in archive.namelist()}
    folder = tmp_path / "export"
    assert names == {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_format_that_no_extension_has_is_refused(small_pack, tmp_path):
    with pytest.raises(BenchmarkError, match="there is no format 'pdf'; there is: "):
        export_as("pdf", GRASP, small_pack, tmp_path / "export", FormatChoice())


def test_a_withdrawn_clip_stays_here(small_pack, tmp_path):
    Clip.objects.filter(key="level2/P_Gravity/000").update(withdrawn_at=timezone.now())
    assert export_pack(GRASP, small_pack, tmp_path / "export") == {"items": 81, "clips": 11}


def test_nothing_is_left_of_an_export_that_fails(small_pack, tmp_path, settings):
    next((settings.MEDIA_ROOT / "clips").glob("*.mp4")).unlink()
    with pytest.raises(FileNotFoundError):
        export_pack(GRASP, small_pack, tmp_path / "export")
    assert not list(tmp_path.glob("*export*"))
