"""Weights, checkpoints and caches are read as numbers: no code in them is ever run."""

import ast
import builtins
import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from benchmarks.commands import CallerMistake
from evaluation.adapters.similarity import SimilarityModel
from evaluation.adapters.transformers.adapter import TransformersModel
from evaluation.adapters.transformers.loading import opened
from evaluation.errors import ModelMisused
from evaluation.inputs.frame_cache import cached_frames
from evaluation.models import Model
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work
from extensions.training.core.checkpoints import TrainingMisused
from extensions.training.core.loop import Loop
from extensions.training.craft.networks import network_of, read_encoder
from extensions.training.craft.recipes import BASELINES
from extensions.training.pacs.backbones import opened as backbone_at
from scenes.trajectory import Trajectory
from tests.evaluation.runs.test_add_model import add
from tests.evaluation.submissions.uploads import zipped
from tests.evaluation.tiny_model import make_untrained
from tests.extensions.training.test_craft_networks import VOCABULARY
from tests.extensions.training.tiny_training import Tiny
from tests.factories import make_item
from tests.programs import CODE, ROOT

OWN_CODE = "from pathlib import Path\nPath({ran!r}).touch()\nfrom transformers import LlamaConfig as Own\n"
UNPACKERS = ("pickle", "cPickle", "dill", "joblib", "cloudpickle", "shelve", "jsonpickle")


class Program:
    """Unpickling it makes a call."""

    def __init__(self, ran: Path) -> None:
        self.ran = ran

    def __reduce__(self):
        return Path.touch, (self.ran,)


@pytest.fixture
def ran(tmp_path):
    """A file that appears if code of an opened file is run."""
    return tmp_path / "it-ran"


@pytest.fixture
def evil(ran):
    """A pickle that runs code when it is unpickled; the fixture checks that it does."""
    content = pickle.dumps(Program(ran))
    pickle.loads(content)
    assert ran.exists()
    ran.unlink()
    return content


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return make_untrained(tmp_path_factory.mktemp("models") / "plain")


@pytest.fixture
def model(plain, tmp_path):
    """A copy of a saved model, to be changed."""
    return shutil.copytree(plain, tmp_path / "model")


def refused(folder: Path, ran: Path) -> str:
    """The messages with which both kinds of adapter refuse the folder; no code was run."""
    words = ""
    for kind in (TransformersModel, SimilarityModel):
        with pytest.raises(ModelMisused) as error:
            kind(path=str(folder))
        words += str(error.value)
    assert not ran.exists()
    return words


def test_a_folder_of_pickles_is_not_even_added(model, evil, ran, db):
    (model / "model.safetensors").unlink()
    (model / "pytorch_model.bin").write_bytes(evil)
    for kind in ("transformers", "similarity"):
        with pytest.raises(CallerMistake, match=r"no weights \(\*.safetensors\); no other format is opened"):
            add("vl", kind, f"path={model}")
    assert not Model.objects.exists()
    assert "no other format is opened" in refused(model, ran)


def test_pickles_beside_safe_weights_are_left_alone(model, evil, ran):
    for name in ("pytorch_model.bin", "model.bin", "tf_model.h5", "training_args.bin", "optimizer.pt"):
        (model / name).write_bytes(evil)
    assert opened(model, {"dtype": torch.float32}).model
    assert not ran.exists()


@pytest.mark.parametrize("name", ["evil.bin", "../evil.safetensors", "/etc/passwd", 7])
def test_a_list_of_weights_that_names_something_else_is_refused(model, evil, ran, name):
    (model / "evil.bin").write_bytes(evil)
    (model / "model.safetensors").rename(model / "part.safetensors")
    told = {"metadata": {}, "weight_map": {"a": "part.safetensors", "b": name}}
    (model / "model.safetensors.index.json").write_text(json.dumps(told))
    assert f"names {name!r}; only *.safetensors of its own folder are opened" in refused(model, ran)
    (model / "model.safetensors.index.json").write_text("[]")
    assert "not a list of files of weights" in refused(model, ran)


def test_a_pickle_by_another_name_fails_a_run_in_words(model, evil, ran, pack, tmp_path):
    (model / "model.safetensors").write_bytes(evil)
    add("vl", "transformers", f"path={model}")
    make_item(pack)
    run = start_run(model=Model.objects.get(), pack=pack, strategy="binary", condition="question-only")
    work()
    run.refresh_from_db()
    assert (run.state, run.code) == ("failed", "model-unusable")
    assert "not a model that transformers can open" in run.reason
    refused(model, ran)
    (tmp_path / "model.gguf").write_bytes(evil)
    with pytest.raises(ModelMisused):
        TransformersModel(path=str(tmp_path / "model.gguf"))
    assert not ran.exists()


@pytest.mark.parametrize("part", ["config.json", "tokenizer_config.json", "processor_config.json"])
def test_code_of_a_folder_is_never_run_whoever_sits_at_the_terminal(model, ran, monkeypatch, part):
    """The library asks at a terminal whether code may be run; the adapter never lets it ask."""
    monkeypatch.setattr(builtins, "input", lambda *words: "y")
    (model / "own.py").write_text(OWN_CODE.format(ran=str(ran)))
    names = ("AutoConfig", "AutoModel", "AutoModelForCausalLM", "AutoTokenizer", "AutoProcessor")
    told = json.loads((model / part).read_text()) if (model / part).is_file() else {}
    told |= {"auto_map": dict.fromkeys(names, "own.Own"), "model_type": "of-its-own"}
    told |= {"tokenizer_class": "Own", "processor_class": "Own"}
    (model / part).write_text(json.dumps(told))
    refused(model, ran)


def test_pretrained_weights_and_checkpoints_of_a_training_are_numbers_alone(tmp_path, evil, ran):
    network = network_of(BASELINES["mac-f"].sizes["full"], VOCABULARY)
    of_torch = {"a/data.pkl": evil, "a/version": b"3\n", "a/byteorder": b"little"}  # its current ZIP format
    for content in (evil, zipped(of_torch)):
        (tmp_path / "resnet18.pth").write_bytes(content)
        with pytest.raises(TrainingMisused, match="not the weights of"):
            read_encoder(network, tmp_path / "resnet18.pth")
        (tmp_path / "checkpoint").write_bytes(content)
        with pytest.raises(TrainingMisused, match="nothing in it is run"):
            Loop(Tiny(), tmp_path / "checkpoint").run(lambda *how_far: None)
    assert not ran.exists()


def test_backbones_are_opened_from_safe_files_alone(tmp_path, evil, ran):
    import transformers as hf

    hf.ViTConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=2).save_pretrained(tmp_path)
    torch.save({}, tmp_path / "pytorch_model.bin")
    for content in ((tmp_path / "pytorch_model.bin").read_bytes(), evil):
        (tmp_path / "pytorch_model.bin").write_bytes(content)
        with pytest.raises(TrainingMisused, match=r"no file named model.safetensors"):
            backbone_at("image", str(tmp_path))
    assert not ran.exists()


def test_caches_hold_numbers_alone(tmp_path, evil, ran):
    (tmp_path / "a.frames").write_bytes(evil)
    assert cached_frames(tmp_path / "a.frames") is None
    objects = np.array([Program(ran)], dtype=object)
    np.savez(tmp_path / "a.npz", description=objects, positions=objects)
    with pytest.raises(ValueError, match="allow_pickle"):
        Trajectory.load(tmp_path / "a.npz")
    assert not ran.exists()


def calls() -> list[tuple[str, str, dict[str, str]]]:
    """Yield every call in our code: its place, dotted name, and keyword arguments as written."""
    found = []
    for path in (path for folder in CODE for path in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                named = {word.arg or "**": ast.unparse(word.value) for word in node.keywords}
                found.append((f"{path.relative_to(ROOT)}:{node.lineno}", ast.unparse(node.func), named))
    return found


def test_nothing_that_could_run_what_it_reads_stands_in_the_code():
    found = calls()
    for where, name, named in found:
        if (name in ("torch.load", "load") and "map_location" in named) or name == "torch.load":
            assert named.get("weights_only") == "True", where
        if name in ("np.load", "numpy.load"):
            assert named.get("allow_pickle") == "False", where
        if name.endswith(".from_pretrained"):
            assert named.get("**") in ("FROM_DISK", "WEIGHTS_FROM_DISK"), where
        assert named.get("trust_remote_code", "False") == "False", where
        last = name.rpartition(".")[2]
        assert not (last in ("loads", "load", "Unpickler") and name.split(".")[0] in UNPACKERS), where
    assert len(found) > 5000
