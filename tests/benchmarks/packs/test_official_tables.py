"""The tables of GRASP's own tools, with this site's statements."""

import csv
import io

import pytest
from django.core.management import call_command

from benchmarks.commands import CallerMistake
from benchmarks.definitions.papers import grasp_prompts as prompts
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models.answers import ItemSeal
from benchmarks.packs.export import export_pack
from evaluation.submissions.lint.check import lint

GRASP = BENCHMARKS["grasp"]


def table(path):
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))


def results_of(rows):
    """results.csv as tools/run_test.py makes it of level1.csv in the mode `standard`."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(("scene", "prompt", "video_file", "gt", "response"))
    for row in rows:
        for observation, gt in ((row["pos_observation"], "yes"), (row["neg_observation"], "no")):
            prompt = prompts.LEVEL_1[row["scene"]]["binary"].format(*observation.split(","))
            writer.writerow((row["scene"], prompt, row["video_file"], gt, "Yes."))
    return io.BytesIO(out.getvalue().encode())


def test_results_of_unmodified_tools_on_our_tables_can_be_uploaded(small_pack, tmp_path):
    call_command("export_benchmark", "grasp", pack="small", out=tmp_path / "export", official=True)
    rows = table(tmp_path / "export/official/level1.csv")
    assert list(rows[0]) == ["scene", "video_file", "pos_observation", "neg_observation"]
    header = {"benchmark": "grasp", "pack": "small", "model": "A model", "strategy": "binary"}
    report = lint(results_of(rows), header | {"condition": "video", "split": "all"})
    assert (report.problems, report.rows, report.score) == ([], 2 * len(rows), 0.5)
    wrong = [row | {"neg_observation": row["pos_observation"]} for row in rows]
    assert not lint(results_of(wrong), header | {"condition": "video", "split": "all"}).ok


def test_every_clip_of_level_2_is_in_the_other_table(small_pack, tmp_path):
    counts = export_pack(GRASP, small_pack, tmp_path / "export", with_official=True)
    level_2 = table(tmp_path / "export/official/level2.csv")
    assert {(row["scene"], row["video_file"]) for row in level_2} == {
        (key.split("/")[1], f"data/videos/{key}.mp4")
        for key in small_pack.items.filter(kind="plausibility").values_list("key", flat=True)
    }
    assert counts["official"] == len(level_2) + len(table(tmp_path / "export/official/level1.csv"))


def test_the_tables_tell_answers_and_are_written_when_asked_and_nothing_is_hidden(small_pack, tmp_path):
    export_pack(GRASP, small_pack, tmp_path / "plain")
    assert not (tmp_path / "plain/official").exists()
    ItemSeal.objects.create(item=small_pack.items.first(), by="trial")
    with pytest.raises(CallerMistake, match="some answers of this pack are hidden now"):
        call_command("export_benchmark", "grasp", pack="small", out=tmp_path / "export", official=True)
    assert not list(tmp_path.glob("*export*"))
