"""PACS' baselines are trained, saved and opened: with pretrained weights, and from a pack by the command."""

import json
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest
import torch
from django.core.management import call_command
from safetensors.torch import load_file, save_file

from benchmarks.commands import CallerMistake
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.packs.import_release import import_release
from benchmarks.storage.access import decodable
from evaluation.adapters.registry import hears
from evaluation.errors import ModelMisused
from evaluation.models import CellState, Model
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work_on
from extensions.training.core.checkpoints import TrainingMisused
from extensions.training.pacs.backbones import opened, small, small_tokenizer
from extensions.training.pacs.network import made, places_of, save, saved
from extensions.training.pacs.recipes import BASELINES, CLIP, IMAGE, QUESTION, SOUND, VIDEO, PacsRecipe
from tests.benchmarks.audio_clips import tone, write_heard
from tests.benchmarks.pacs_releases import small as release_of
from tests.commands import told
from tests.extensions.training.pacs_objects import RINGS, SHINES

CPU = torch.device("cpu")
OPTIONS = ("object 1", "object 2")


# --- pretrained weights, in the library's own files ---


@pytest.fixture(scope="module")
def backbones(tmp_path_factory):
    """A folder for `--backbones` with small saved models."""
    folder, words = tmp_path_factory.mktemp("backbones"), small_tokenizer([RINGS, SHINES])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        for part in (IMAGE, SOUND, VIDEO, QUESTION, CLIP, "clap"):
            model, reader = small(part, words)
            model.save_pretrained(folder / part)
            reader.save_pretrained(folder / part)
    return folder


@pytest.mark.parametrize("name", ["late-fusion", "audioclip"])
def test_pretrained_backbones_are_opened_asked_and_left_as_they_are(backbones, name, tmp_path):
    baseline = BASELINES[name]
    places = places_of(baseline, backbones, is_random=False)
    network = made(baseline, places, (), width=16, dropout=0.0, seed=0)
    trained = {one.split(".")[0] for one, weight in network.named_parameters() if weight.requires_grad}
    assert trained == ({"heads"} if name == "late-fusion" else {"projection", "joined"})
    save(network, baseline, tmp_path, width=16, dropout=0.0)
    assert json.loads((tmp_path / "config.json").read_text())["sources"].keys() == set(baseline.parts)
    _, again = saved(tmp_path)
    assert all(torch.equal(value, again.state_dict()[key]) for key, value in network.state_dict().items())
    told = network.eval().questions([RINGS, SHINES], CPU)
    assert torch.equal(told, again.questions([RINGS, SHINES], CPU))
    assert torch.equal(again.questions([SHINES], CPU)[0], told[1])  # kept, not read again


def test_other_weights_under_the_same_place_are_noticed(backbones, tmp_path):
    moved, baseline, how = copytree(backbones, tmp_path / "weights"), BASELINES["clip"], {"width": 8, "dropout": 0}
    network = made(baseline, places_of(baseline, moved, is_random=False), (), seed=0, **how)
    (tmp_path / "model").mkdir()
    save(network, baseline, tmp_path / "model", **how)
    weights = load_file(moved / CLIP / "model.safetensors")
    weights["logit_scale"] += 1
    save_file(weights, moved / CLIP / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelMisused, match="other weights than those that the model was trained on"):
        saved(tmp_path / "model")


def test_a_folder_that_is_no_such_backbone_is_refused_in_words(backbones, tmp_path):
    with pytest.raises(TrainingMisused, match="question: no saved model here: microsoft/deberta-v3-large"):
        places_of(BASELINES["fusion-qi"], tmp_path, is_random=False)
    with pytest.raises(TrainingMisused, match="a videomae, where image wants a vit"):
        opened(IMAGE, str(backbones / VIDEO))
    with pytest.raises(TrainingMisused, match="not a model that transformers can open"):
        opened(IMAGE, str(tmp_path))
    cut = copytree(backbones / IMAGE, tmp_path / IMAGE)
    weights = {name: value for name, value in load_file(cut / "model.safetensors").items() if "pooler" not in name}
    save_file(weights, cut / "model.safetensors", {"format": "pt"})
    with pytest.raises(TrainingMisused, match=r"2 weights are not there \(pooler.dense.bias\)"):
        opened(IMAGE, str(cut))


# --- from a pack, by the command ---


def write_release(folder):
    """Write twelve objects, bright or dark and high or low: eight for training, four for validation."""
    box = {"duration": 1.0, "bounding_box": [320, 180, 960, 540], "fps": 10, "materials": ["wood"]}
    names = [f"object{number:04}" for number in range(12)]
    for number, name in enumerate(names):
        bright, high = number % 4 // 2, number % 2
        write_heard(
            folder / "videos" / f"{name}.mp4", tone(3000 if high else 300, 1.0), shown=[230 if bright else 20] * 10
        )
    bank = {"question0000": SHINES, "question0001": RINGS}
    questions = {key: {"properties": ["shape"], "question": text, "statement": text} for key, text in bank.items()}
    split = {"train_data": range(8), "val_data": range(8, 12)}
    files = {name: asked_about(names, numbers, bank) for name, numbers in split.items()}
    empty = {name: {} for name in ("train_data_mat", "val_data_mat", "mat_questions")}
    release_of(
        folder, **files, **empty, objects=dict.fromkeys(names, box), questions=questions, youtube_info={}, tapped={}
    )
    return folder


def asked_about(names, numbers, bank):
    found = {}
    for one, other in ((one, other) for one in numbers for other in numbers if one < other):
        values = [(other % 4 // 2) - (one % 4 // 2), other % 2 - one % 2]
        points = {
            key: {"label": int(value > 0), "text": text, "channel": "sight"}
            for (key, text), value in zip(bank.items(), values, strict=True)
            if value
        }
        if points:
            found[f"{names[one]}_{names[other]}"] = points
    return found


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return write_release(tmp_path_factory.mktemp("release"))


@pytest.fixture
def pack(db, release):
    return import_release(BENCHMARKS["tapped"], release, pack_name="tones").pack


@pytest.fixture
def short(monkeypatch):
    """A recipe of a few steps."""
    sizes = {"small": PacsRecipe(epochs=3, batch=4, bundle=6, rate=2e-3, decay=0.01, width=16, drops=(), is_drawn=True)}
    for name, baseline in BASELINES.items():
        monkeypatch.setitem(BASELINES, name, replace(baseline, sizes=sizes))


def trained(name, tmp_path, *arguments):
    how = ("--benchmark", "tapped", "--weights", tmp_path / name, *arguments)
    return told("train_baseline", name, *how)


def test_every_baseline_is_trained_registered_and_asked_with_sound_and_without(pack, short, tmp_path):
    """Late fusion has a row for each condition; the model without audio is refused in the condition with sound."""
    found = trained("late-fusion", tmp_path)
    model = Model.objects.get(slug="tapped-late-fusion")
    assert (found["model"], model.made_here, hears(model)) == (model.slug, True, True)
    assert model.card["weights"] == "built from configuration"
    assert model.card["trained_on"].startswith("32 questions of pack tones, and 8 to check with, about 12 objects")
    assert model.card["seed"] == 0
    for condition in ("audio", "video"):
        run = start_run(model=model, pack=pack, strategy="pair", condition=condition, split="val")
        work_on(run.pk)
        cells = run.cells.values_list("state", flat=True)
        assert set(cells) == {CellState.ANSWERED}
        assert run.cells.filter(response__raw__in=OPTIONS).count() == len(cells) == 8
    before = (tmp_path / "late-fusion" / "model.safetensors").stat().st_mtime_ns
    assert trained("late-fusion", tmp_path)["weights"] == found["weights"]
    assert (tmp_path / "late-fusion" / "model.safetensors").stat().st_mtime_ns == before  # it exists


def test_the_command_takes_pretrained_backbones(pack, short, backbones, tmp_path):
    found = trained("audioclip", tmp_path, "--backbones", str(backbones))
    model = Model.objects.get(slug="tapped-audioclip")
    assert f"clip: {backbones}" in model.card["weights"]
    assert model.card["parameters"] == f"{found['parameters'] / 1e6:.2f}M trained, 0.27M as they were"
    work_on(start_run(model=model, pack=pack, strategy="pair", condition="audio", split="val").pk)
    assert Model.objects.get(slug="tapped-audioclip").runs.get().cells.filter(response__raw__in=OPTIONS).count() == 8


def test_a_training_that_can_t_be_is_said_so(pack):
    for name, arguments, what in (
        ("clip", {"backbones": Path("/nowhere")}, "/nowhere/clip: no saved model here"),
        ("clip", {"pack": "other"}, "there is no pack other; there is: tones"),
    ):
        with pytest.raises(CallerMistake, match=what):
            call_command("train_baseline", name, **{"benchmark": "tapped"} | arguments)


def test_an_object_that_can_t_be_played_is_named(pack, short, tmp_path):
    clip = pack.clips.get(key="object0003")
    write_heard(decodable(clip), None)
    with pytest.raises(CallerMistake, match="object0003: the clip has no sound"):
        trained("fusion-qa", tmp_path)
