"""A small pack of each benchmark, with clips that can be decoded; its tasks, replies to them, and what a run asks."""

import json

from django.core.management import call_command

from benchmarks.definitions.registry import BENCHMARKS, find_benchmark
from benchmarks.packs.import_release import import_release
from tests.benchmarks.audio_clips import tone, write_heard
from tests.benchmarks.definitions.importers.test_giraffe import make_release
from tests.benchmarks.grasp_release import write_release
from tests.benchmarks.pacs_releases import small
from tests.evaluation.craft_pack import craft_pack, put_films
from tests.extensions.training.test_pacs_training import write_release as write_tones


def grasp(folder):
    return write_release(folder / "grasp", ("ColorRed", "ShapeBall", "P_Gravity", "IP_Gravity"))


def pacs(folder):
    root = small(folder / "pacs")
    for number, hertz in enumerate((400, 1500, 700), start=1):
        write_heard(root / "videos" / f"object000{number}.mp4", tone(hertz, 1.0))
    return root


RELEASES = {
    "grasp": grasp,
    "pacs": pacs,
    "giraffe": lambda folder: make_release(folder / "giraffe", only=("clock", "quantity", "hand")),
    "tapped": lambda folder: write_tones(folder / "tapped"),
}
SPLITS = {"pacs": "val"}  # the small release has no other
ODD = ("I can't tell.", "", "\n\n")


def small_pack_of(slug, folder):
    """The pack `small` of the benchmark."""
    if slug == "craft":
        pack = craft_pack()
        put_films(pack)
        return pack
    return import_release(BENCHMARKS[slug], RELEASES[slug](folder), pack_name="small").pack


ALL = ("grasp", "craft", "pacs", "giraffe", "tapped")


def export(pack, folder, tool, **choice):
    """Export the pack; returns the facts of its tasks by name."""
    choice = {"split": SPLITS.get(pack.benchmark, "")} | choice
    call_command("export_benchmark", pack.benchmark, pack=pack.name, out=folder, format=tool, **choice)
    return json.loads((folder / "tasks.json").read_text())


def rows_of(folder, task):
    rows = map(json.loads, (folder / "items" / f"{task}.jsonl").read_text().splitlines())
    return {row.pop("item"): row for row in rows}


def replies_to(pack, about):
    """A reply to each item of a task: each option in turn, with space around it, now and then none."""
    strategy = find_benchmark(pack.benchmark).strategy(about["strategy"])
    items = pack.items.in_split(about["split"]).for_strategy(find_benchmark(pack.benchmark), strategy)
    replies = {}
    for number, item in enumerate(items.order_by("public_id")):
        options = item.options or ["1. a red clock\n2. it turns"]
        replies[item.public_id] = ODD[number // 7 % 3] if number % 7 == 6 else f" {options[number % len(options)]}.\n"
    return replies


def asked_by(run):
    """What a run told the model about each item before its last reply: roles with their texts, as messages."""
    found = {}
    for cell in run.cells.select_related("item", "response"):
        said = []
        for turn in cell.response.turns[:-1]:
            role = {"model": "assistant"}.get(turn["role"], turn["role"])
            if not said or said[-1][0] != role:
                said.append((role, []))
            said[-1][1].extend([turn["text"]] if turn["text"] else [])
        found[cell.item.public_id] = said
    return found
