"""A pack as a data set of the Hugging Face hub: card, questions, public clips, results; nothing that is withheld."""

import json

import pytest
import yaml
from django.core.management import CommandError, call_command
from huggingface_hub import metadata_load, parse_eval_result_entries

from benchmarks.disclosure import hide
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models.answers import ItemSeal
from evaluation.models import Listing, RunState
from tests.evaluation.submissions.uploads import items_of
from tests.extensions.harnesses.packs import small_pack_of
from tests.factories import make_answer, make_model, make_run

pytestmark = pytest.mark.django_db


def data_set(pack, folder):
    """(card's metadata, rows by split, tasks of eval.yaml)"""
    call_command("export_benchmark", pack.benchmark, pack=pack.name, out=folder, format="hugging-face")
    card = metadata_load(folder / "README.md")
    (config,) = card["configs"]
    rows = {
        one["split"]: [json.loads(line) for line in (folder / one["path"]).read_text().splitlines()]
        for one in config["data_files"]
    }
    return card, rows, yaml.safe_load((folder / "eval.yaml").read_text())["tasks"]


def test_it_has_all_that_is_public_and_the_results_of_listed_runs(tmp_path):
    pack = small_pack_of("grasp", tmp_path)
    withheld, sealed = pack.items.filter(kind="plausibility"), pack.items.filter(key="level1/ColorRed/000")
    ItemSeal.objects.bulk_create(ItemSeal(item=item, by=WITHHELD) for item in withheld)
    hide(sealed.values_list("pk", flat=True), by="study")
    for listing in (Listing.LISTED, Listing.PRIVATE):
        run = make_run(pack, model=make_model(), listing=listing, state=RunState.FINISHED)
        for item in items_of(pack):
            make_answer(run, item, "yes")
    listed = pack.runs.get(listing=Listing.LISTED)
    card, rows, tasks = data_set(pack, tmp_path / "out")
    assert (card["license"], card["size_categories"]) == ("mit", ["n<1K"])
    assert {task["split"] for task in tasks} <= rows.keys()
    names = {row["item"]: row["expected"] for row in rows["all_items"]}
    assert not names.keys() & set(sealed.values_list("public_id", flat=True))
    assert {names[item.public_id] for item in withheld} == {""}
    kinds = {
        name: {type(value) for of_split in rows.values() for row in of_split for value in [row[name]]}
        for name in rows["all_items"][0]
    }
    assert all(len(kind) == 1 for kind in kinds.values())  # a split's columns have the types of the others'
    clips = {row["clip"] for row in rows["all_items"] if row["clip"]}
    assert {f"clips/{path.name}" for path in (tmp_path / "out" / "clips").iterdir()} == clips
    assert not [row for row in rows["all_items"] if row["clip"] and not names[row["item"]]]
    (result,) = (tmp_path / "out" / "results").rglob("*.yaml")
    assert result.parent.parts[-2:] == (listed.model.slug, ".eval_results")
    (entry,) = parse_eval_result_entries(yaml.safe_load(result.read_text()))
    assert (entry.dataset_id, entry.task_id, entry.value) == ("benchsite/grasp-small", "binary", 50.0)


def test_clips_of_others_and_choices_that_limit_it_are_left_out(tmp_path):
    pack = small_pack_of("pacs", tmp_path)
    _card, rows, tasks = data_set(pack, tmp_path / "out")
    assert {task["split"] for task in tasks} == {"val"} == rows.keys() - {"all_items"}
    assert not list((tmp_path / "out" / "clips").iterdir())
    assert {clip["clip"] for row in rows["val"] for clip in row["clips"]} == {None}
    with pytest.raises(CommandError, match="leave out what limits them"):
        call_command("export_benchmark", "pacs", out=tmp_path / "b", format="hugging-face", strategy="pair")
