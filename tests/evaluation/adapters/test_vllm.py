"""The kind `vllm`: the site's own server process, against a stand-in that checks arguments and every request."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from evaluation.adapters.base import REPLY, Audio, Request, Turn
from evaluation.adapters.registry import hears
from evaluation.adapters.vllm.adapter import VllmModel
from evaluation.adapters.vllm.options import vllm_options
from evaluation.errors import ModelMisused, RunMisused
from evaluation.models import ModelResponse
from evaluation.runs.add_model import add_model
from evaluation.runs.ceiling import checked_ceiling
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import _warm, work
from tests.evaluation import tiny_families
from tests.evaluation.tiny_model import seen

STAND_IN = Path(__file__).resolve().parents[1] / "vllm_stand_in.py"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    return str(tiny_families.text_alone(tmp_path_factory.mktemp("served") / "model"))


@pytest.fixture
def log(tmp_path, monkeypatch):
    """A function that reads the stand-in's log; the command runs with the interpreter of the tests."""
    command = tmp_path / "vllm"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{STAND_IN}" "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    file = tmp_path / "log"
    monkeypatch.setenv("VLLM_STAND_IN_LOG", str(file))
    return lambda: [json.loads(line) for line in file.read_text().splitlines()]


def clip(count: int = 3):
    return seen(*(np.full((8, 12, 3), 9 * place, np.uint8) for place in range(count)))


def asked(**values) -> Request:
    return Request((Turn("Is it red?"), REPLY), options=("no", "yes"), **values)


def is_there(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists() and "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()


def test_every_kind_of_request_fits_the_published_schema_and_the_server_ends_with_the_model(folder, log):
    model = VllmModel(
        path=folder,
        tensor_parallel=2,
        max_model_len=4096,
        processor_options={"fps": 2},
        thinking_tokens=9,
        arguments=["--reasoning-parser", "qwen3"],
        system="Be brief.",
    )
    sound = Audio(np.zeros(800, np.float32), 16000)
    requests = [
        asked(),
        asked(temperature=0.7, seed=2**47),
        asked(constrained=True),
        asked(thinking=False),
        asked(thinking=32, constrained=True),
        Request((Turn("Look.", clip()), REPLY, Turn("And now?", clip(), sound), REPLY), options=("yes", "no")),
    ]
    replies = list(model.answer(requests))
    assert [reply.text for reply in replies] == ["yes", "yes", "no", "yes", "no", "yes"]
    assert not any(reply.error for reply in replies)
    (started, *got) = log()
    assert [one["mistakes"] for one in got] == [[]] * 7
    assert started["started"] | {"port": 0} == {
        "model": folder,
        "host": "127.0.0.1",
        "port": 0,
        "served_model_name": "model",
        "tensor_parallel_size": 2,
        "gpu_memory_utilization": 0.9,
        "seed": 0,
        "max_model_len": 4096,
        "reasoning_parser": "qwen3",
        "limit_mm_per_prompt": {"image": 16, "video": 16, "audio": 16},
        "mm_processor_kwargs": {"fps": 2},
        "quantization": None,
        "max_num_seqs": None,
        "dtype": "auto",
        "generation_config": "vllm",
        "enable_prefix_caching": True,
    }
    assert not {"DATABASE_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE"} & set(started["environment"])
    assert "HF_HUB_OFFLINE" in started["environment"]
    assert model.description["device"] == "vLLM 0.0-stand-in"
    assert model.description["tensor parallel"] == 2
    assert len(model.description["weights"]) == 64
    assert model.server.key not in json.dumps(model.description)
    pid = model.server._process.pid
    assert is_there(pid)
    del model
    assert not is_there(pid)


def test_a_field_that_is_not_published_is_an_error_of_the_question(folder, log):
    """The stand-in's check can fail: a field of another vLLM version is unknown in this one."""
    model = VllmModel(path=folder, extra={"guided_choice": ["yes"]})
    assert "Additional properties are not allowed ('guided_choice'" in next(model.answer([asked()])).error


def test_a_server_that_dies_is_started_again_and_no_answer_is_lost(folder, log, monkeypatch):
    monkeypatch.setenv("VLLM_STAND_IN_DIES", "2")
    model = VllmModel(path=folder, attempts=1)
    assert [next(model.answer([asked()])).text for _ in range(2)] == ["yes", "yes"]
    model.server._process.wait(10)
    assert next(model.answer([asked()])).text == "yes"
    assert model.description["restarts"] == 1


def test_the_server_ends_when_the_worker_is_killed(folder, log, tmp_path):
    program = textwrap.dedent(f"""
        import os, time
        os.environ["DJANGO_SETTINGS_MODULE"] = "benchsite.settings"
        from evaluation.adapters.vllm.options import vllm_options
        from evaluation.adapters.vllm.server import VllmServer, free_port
        from pathlib import Path
        port = free_port()
        server = VllmServer(vllm_options({{"path": {folder!r}}}).words(Path({folder!r}), port), port)
        server.wait(60)
        print(server._process.pid, flush=True)
        time.sleep(60)
    """)
    worker = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    pid = int(worker.stdout.readline())
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    until = time.monotonic() + 20
    while is_there(pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_there(pid)


@pytest.mark.parametrize(
    ("variables", "options", "sentence"),
    [
        ({"VLLM_STAND_IN_BREAKS": "1"}, {}, "vLLM ended with status 1; its last words: .*No supported config format"),
        ({"VLLM_STAND_IN_SLEEPS": "60"}, {"start_seconds": 0.3}, "vLLM was not ready after 0.3 s"),
        ({}, {"arguments": ["--max-nim-seqs", "3"]}, "unrecognized arguments: --max-nim-seqs 3"),
    ],
)
def test_a_server_that_does_not_come_is_one_sentence(folder, log, monkeypatch, variables, options, sentence):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ModelMisused, match=sentence):
        VllmModel(path=folder, **options)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "option path is missing"),
        ({"path": "x", "gpus": 2}, "there is no option 'gpus'; there are path, program, tensor_parallel"),
        ({"path": "x", "base_url": "http://x/v1"}, "there is no option 'base_url'"),
        ({"path": "x", "tensor_parallel": 0}, "option tensor_parallel 0: a whole number from 1 to 64"),
        ({"path": "x", "gpu_memory": 2}, "option gpu_memory 2: a number from 0.05 to 1"),
        ({"path": "x", "quantise": "2bit"}, "option quantise '2bit': one of fp8"),
        ({"path": "x", "arguments": "--seed 3"}, "option arguments: a list of words"),
        ({"path": "x", "arguments": ["--trust-remote-code"]}, "--trust-remote-code is set by this site"),
        ({"path": "x", "arguments": ["--port=1"]}, "--port=1 is set by this site"),
        ({"path": "x", "frames_as": "films"}, "option frames_as 'films': one of"),
        ({"path": "x", "processor_options": 3}, "option processor_options: an object"),
    ],
)
def test_a_wrong_option_is_one_sentence(options, sentence):
    with pytest.raises(ModelMisused, match=sentence):
        vllm_options(options)


def test_without_vllm_the_worker_says_so(folder, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ModelMisused, match="vLLM's command 'vllm' is not found where the worker runs"):
        VllmModel(path=folder)


@pytest.mark.django_db
def test_a_run_is_asked_through_it_and_cards_differ_by_option(folder, log, pack, make_filmed):
    make_filmed(1)
    with pytest.raises(RunMisused, match="no saved model here"):
        add_model(slug="nowhere", kind="vllm", options={"path": "nowhere"})
    cards = []
    for slug, more in (("one", {}), ("two", {"tensor_parallel": 2}), ("same", {})):
        model, _ = add_model(slug=slug, kind="vllm", options={"path": folder, "frames_as": "video"} | more)
        assert not hears(model)
        assert checked_ceiling(model, cost=None, tokens=5000) == {"tokens": 5000}
        run = start_run(model=model, pack=pack, strategy="binary-constrained", sampler="uniform-4")
        work()
        run.refresh_from_db()
        assert (run.state, run.reason) == ("finished", "")
        cards.append({**run.card["model"], "slug": "", "options": ""})
    _warm.clear()
    assert cards[0] == cards[2] != cards[1]
    answers = ModelResponse.objects.filter(cell__run=run).values_list("raw", "tokens_out")
    assert set(answers) == {("yes", 2)}
    shown = [one["body"]["media_io_kwargs"]["video"] for one in log() if "body" in one]
    assert all(one["num_frames"] == 4 for one in shown)


@pytest.mark.django_db
def test_clips_by_address_are_signed_and_fetched_by_the_server(folder, log, pack, make_filmed, client):
    items = make_filmed(2)
    model, _ = add_model(slug="fetching", kind="vllm", options={"path": folder, "frames_as": "address"})
    run = start_run(model=model, pack=pack, strategy="binary", sampler="uniform-4")
    work()
    run.refresh_from_db()
    assert (run.state, run.reason) == ("finished", "")
    _warm.clear()
    bodies = [one["body"] for one in log() if "body" in one]
    assert all(one["media_io_kwargs"] == {"video": {"num_frames": 4}} for one in bodies)
    addresses = {one["messages"][0]["content"][0]["video_url"]["url"] for one in bodies}
    assert len(addresses) == 2
    for address in addresses:
        assert address.startswith("http://localhost:8000/")
        got = client.get(address.removeprefix("http://localhost:8000"))
        assert (got.status_code, b"".join(got.streaming_content)[4:8]) == (200, b"ftyp")
    assert "by its own rule" in run.card["model"]["shown"]
    assert list(ModelResponse.objects.filter(cell__run=run).values_list("frame_indices", flat=True)) == [[]] * 4
    for wrong, sentence in (
        ({"condition": "shuffled-frames"}, "not under shuffled-frames"),
        ({"condition": "first-frame"}, "not under first-frame with first"),
        ({"sampler": "uniform-1"}, "with uniform-1"),
    ):
        with pytest.raises(RunMisused, match=sentence):
            start_run(model=model, pack=items[0].pack, strategy="binary", **wrong)
