"""The adapter of programs: its messages to them, and programs that crash, hang, print noise or send false data."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from evaluation.adapters.base import REPLY, Audio, Frames, Request, Turn
from evaluation.adapters.command import CommandModel
from evaluation.adapters.registry import open_model
from evaluation.errors import ModelMisused
from evaluation.models import Model
from evaluation.runs.lifecycle import start_run
from evaluation.runs.results import result_of
from evaluation.workers.loop import work
from measures.scores.parsed_answers import CUT_IN_THOUGHT, CUT_OFF, REFUSED
from tests.factories import make_item, make_model
from tests.site import wait_for

EXAMPLE = Path(__file__).parents[3] / "docs" / "example_program.py"

# Every program of these tests: reads questions, and calls the test's `act` for each.
FRAME = """
import json, os, signal, subprocess, sys, time
def say(text, number=None):
    print(json.dumps({{"id": number or question["id"], "text": text}}), flush=True)
seen = 0
for line in sys.stdin:
    question, seen = json.loads(line), seen + 1
    said = question["turns"][-1]["text"]
{act}
"""


@pytest.fixture(autouse=True)
def state(settings, tmp_path, monkeypatch):
    """A separate state folder, and short timeouts for programs that do not end."""
    settings.VAR_DIR = tmp_path
    monkeypatch.setattr("evaluation.adapters.program.SECONDS_TO_END", 0.5)


@pytest.fixture
def program(tmp_path):
    """Write a program, open the adapter on it, and end it afterwards."""
    opened = []

    def make(act: str, **options) -> CommandModel:
        script = tmp_path / "program.py"
        script.write_text(FRAME.format(act=textwrap.indent(textwrap.dedent(act), "    ")))
        how = {"program": [sys.executable, "-S", str(script)], "seconds": 5, "start_seconds": 5} | options
        opened.append(CommandModel(**how))
        return opened[-1]

    yield make
    for each in opened:
        each._stop()


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory) -> Path:
    """A second, empty virtual environment."""
    place = tmp_path_factory.mktemp("other") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    return place / "bin" / "python"


def asked(text: str = "Is it red?", frames: Frames | None = None, **values) -> Request:
    return Request((Turn(text, frames), REPLY), **values)


def clip(*values: int) -> Frames:
    pixels = np.stack([np.full((8, 12, 3), value, np.uint8) for value in values])
    return Frames(pixels, tuple(range(len(values))), tuple(map(float, range(len(values)))), "hash", 2.0, 1.0)


def texts(adapter, *said: str) -> list[str]:
    return [reply.error or reply.text for reply in adapter.answer([asked(text) for text in said])]


def test_the_documented_example_answers_in_an_environment_of_its_own(bare_python):
    adapter = CommandModel(program=[str(bare_python), str(EXAMPLE)], at_once=4)
    sound = Audio(np.zeros(4000, np.float32), 8000)
    requests = [asked(frames=clip(1, 2)), asked(frames=clip(3, 3)), asked(), Request((Turn("?", None, sound), REPLY))]
    replies = list(adapter.answer(requests))
    assert [reply.text for reply in replies] == ["Yes", "No", "", "I hear 0.5 seconds of sound."]
    error = "the program's reply holds an error: ValueError: nothing was shown"
    assert [reply.error for reply in replies] == ["", "", error, ""]
    outside = [bare_python, "-c", "import numpy"]
    assert subprocess.run(outside, capture_output=True).returncode == 1
    running = adapter._program._process
    adapter._stop()
    assert running.returncode == 0  # by the end of its input, without a kill


def test_a_program_is_told_the_system_prompt_and_the_papers_template(program):
    adapter = program('say(json.dumps([question["system"], question["template"]]))')
    (reply,) = adapter.answer([Request((Turn("Look."), REPLY), system="Be brief.", template="<image> <query> A:")])
    assert json.loads(reply.text) == ["Be brief.", "<image> <query> A:"]


PARROT = """print(json.dumps({"id": question["id"], **json.loads(said)}), flush=True)"""


def test_thoughts_that_ran_out_of_room_are_told_from_replies_that_can_not_be_read(program):
    cut = {"text": "", "thoughts": "It goes on", "finish_reason": "length"}
    endings = [
        ({"text": "Yes."}, ""),
        ({"text": "<think>So no.</think> Yes."}, ""),
        ({"text": "<think>It goes on"}, CUT_IN_THOUGHT),
        (cut, CUT_IN_THOUGHT),
        ({"text": "Yes, since", "finish_reason": "length"}, CUT_OFF),
        ({"text": "Yes.", "thoughts": "So yes.", "finish_reason": "stop"}, ""),
    ]
    replies = program(PARROT).answer([asked(json.dumps(answer)) for answer, _ in endings])
    assert [(reply.ended, reply.error) for reply in replies] == [(ended, "") for _, ended in endings]


def test_a_failure_that_a_program_passes_on_is_no_answer(program):
    answers = ({"text": "Yes", "finish_reason": reason} for reason in ("network_error", "content_filter"))
    failed, filtered = program(PARROT).answer([asked(json.dumps(answer)) for answer in answers])
    assert (failed.text, "network_error" in failed.error) == ("", True)
    assert (filtered.text, filtered.ended, filtered.error) == ("Yes", REFUSED, "")


def test_a_line_holds_exactly_what_the_contract_says(program):
    adapter = program("""
        shown = [[os.path.splitext(path)[1], os.path.getsize(path) > 0] for path in question["turns"][0]["frames"]]
        say(json.dumps([question, shown, open(question["turns"][0]["audio"], "rb").read(4).decode()]))
    """)
    sound = Audio(np.zeros(10, np.float32), 8000)
    talk = Request((Turn("Look.", clip(1, 2, 3), sound), REPLY, Turn("Well?"), REPLY), 5, 0.7, 9)
    (reply,) = adapter.answer([talk])
    first, second = (json.loads(text) for text in reply.turns)
    line, shown, head = first
    assert set(line) == {"id", "turns", "seed", "max_new_tokens", "temperature"}
    assert (line["seed"], line["max_new_tokens"], line["temperature"]) == (5, 9, 0.7)
    assert (shown, head) == ([[".png", True]] * 3, "RIFF")
    assert [set(turn) for turn in line["turns"]] == [{"role", "text", "frames", "audio"}]
    assert second[0]["id"] != line["id"]
    assert second[0]["turns"] == [
        line["turns"][0],
        {"role": "assistant", "text": reply.turns[0], "frames": [], "audio": None},
        {"role": "user", "text": "Well?", "frames": [], "audio": None},
    ]
    assert not Path(line["turns"][0]["frames"][0]).exists()


def test_answers_may_come_in_any_order(program):
    adapter = program(
        """
        held = globals().setdefault("held", [])
        held.append((question["id"], said))
        if len(held) == 3:
            for number, word in reversed(held):
                say(word, number)
            held.clear()
    """,
        at_once=3,
    )
    assert texts(adapter, *"abcdef") == list("abcdef")


def test_what_is_no_answer_is_passed_over_and_counted(program):
    adapter = program("""
        print("Loading checkpoint shards: 100%")
        print(json.dumps(["id", "text"]), json.dumps({"id": 7, "text": "x"}), "[" * 5000, sep="\\n")
        say("to nobody", "999")
        say(said)
        say("a second time")
    """)
    assert texts(adapter, "one", "two") == ["one", "two"]
    assert adapter.description["lines ignored"] >= 6
    numbered = program("""print(json.dumps({"id": int(question["id"]), "text": said}), flush=True)""")
    assert texts(numbered, "one", "two") == ["one", "two"]
    assert "lines ignored" not in numbered.description


def test_a_silent_program_is_asked_whether_it_flushes_with_the_line_that_was_skipped(program, monkeypatch, caplog):
    monkeypatch.setattr("evaluation.adapters.command.HINT_SECONDS", 0.3)
    act = """
        print("Loading checkpoint shards", flush=True)
        print(json.dumps({"id": question["id"], "text": said}))
    """
    with pytest.raises(ModelMisused) as error:
        texts(program(act, start_seconds=1.5), "one")
    for words in ("flush", "Loading checkpoint shards"):
        assert words in caplog.text
        assert words in str(error.value)


def test_a_program_that_crashes_is_started_again_and_its_question_asked_once_more(program, tmp_path):
    adapter = program(
        f"""
        if said == "two" and not os.path.exists({str(tmp_path / "was here")!r}):
            open({str(tmp_path / "was here")!r}, "w").close()
            os.kill(os.getpid(), signal.SIGSEGV)
        say(said)
    """,
        at_once=2,
    )
    assert texts(adapter, "one", "two", "three") == ["one", "two", "three"]
    assert adapter.description["starts"] == 2


@pytest.mark.requirement("M3")
@pytest.mark.parametrize("at_once", [1, 3])
def test_a_question_that_crashes_it_twice_is_an_error_of_that_question_alone(program, at_once):
    adapter = program(
        """
        if said == "bad":
            sys.exit("CUDA error: an illegal memory access")
        time.sleep(0.02)
        say(said)
    """,
        at_once=at_once,
    )
    one, bad, *others = texts(adapter, "one", "bad", "three", "four", "five")
    said = "the program ended 2 times at this question: it ended with status 1; its last words: CUDA error: an illegal"
    assert bad.startswith(said)
    assert [one, *others] == ["one", "three", "four", "five"]


def test_a_question_that_takes_too_long_is_an_error_and_the_others_go_on(program):
    adapter = program("time.sleep(60) if said == 'slow' else say(said)", seconds=2.5)
    assert texts(adapter, "one", "slow", "three") == ["one", "the program gave no reply within 2.5 s", "three"]


@pytest.mark.parametrize(
    ("act", "options", "words"),
    [
        ("import nonsense", {}, "2 times in a row: it ended with status 1; its last words: "),
        ("import nonsense", {}, "ModuleNotFoundError: No module named 'nonsense'"),
        ("sys.exit(0)", {}, "the program gave no reply, 2 times in a row: it ended with status 0"),
        ("os.kill(os.getpid(), signal.SIGKILL)", {}, "it was killed by SIGKILL"),
        ("time.sleep(60)", {"start_seconds": 0.3}, "the program gave no reply within 0.3 s"),
        ("print('x' * 3_000_000)", {}, "it wrote a line longer than 1 MB"),
        ("sys.stdout.close(); os.close(1); time.sleep(60)", {}, "it closed its output"),
        ("while True: print('noise')", {"start_seconds": 0.3}, "the program gave no reply within 0.3 s"),
    ],
)
def test_a_program_that_never_answers_is_one_clear_reason(program, act, options, words):
    with pytest.raises(ModelMisused) as error:
        texts(program(act, **options), "one", "two")
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_odd_answers(program):
    neither = "the program's answer has neither a text nor an error"
    memory = "the program's reply holds an error: out of memory"
    odd = {
        '{"text": 7}': neither,
        "{}": neither,
        '{"error": "out of memory"}': memory,
        '{"text": "half \\ud800"}': "half ?",
    }
    assert texts(program(PARROT), *odd) == list(odd.values())


def test_the_program_is_not_told_the_sites_secrets(program, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "hidden")
    monkeypatch.setenv("TINY_TOKEN", "wanted")
    (told,) = texts(program("say(json.dumps(dict(os.environ)))", variables=["TINY_TOKEN"]), "?")
    assert "SECRET_KEY" not in told
    assert "DJANGO_SETTINGS_MODULE" not in told
    assert json.loads(told)["TINY_TOKEN"] == "wanted"


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_whole_process_group_ends_with_the_adapter(program):
    adapter = program("""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
        say(f"{os.getpid()} {child.pid}")
        time.sleep(600)
    """)
    (pids,) = texts(adapter, "?")
    assert all(is_alive(int(pid)) for pid in pids.split())
    adapter._ending()
    assert not any(is_alive(int(pid)) for pid in pids.split())


def test_a_worker_that_is_killed_leaves_no_program(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(FRAME.format(act="    say(str(os.getpid()))"))
    code = f"""
import os, sys, time
os.environ["DJANGO_SETTINGS_MODULE"] = "benchsite.settings"
import django
django.setup()
from evaluation.adapters.base import REPLY, Request, Turn
from evaluation.adapters.command import CommandModel
adapter = CommandModel(program=[{sys.executable!r}, "-S", {str(script)!r}])
print(next(adapter.answer([Request((Turn("?"), REPLY))])).text, flush=True)
time.sleep(60)
"""
    env = os.environ | {"DATA_DIR": str(tmp_path), "DEBUG": "1"}
    (tmp_path / "var").mkdir(exist_ok=True)
    worker = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=env)
    pid = int(worker.stdout.readline())
    assert is_alive(pid)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    wait_for(lambda: not is_alive(pid))


def test_a_caller_who_stops_listening_stops_the_program(program, tmp_path):
    adapter = program("time.sleep(60) if said == 'slow' else say(question['turns'][0]['frames'][0])", at_once=2)
    replies = adapter.answer([asked("one", clip(1)), asked("slow", clip(2))])
    path = Path(next(replies).text)
    running = adapter._program._process
    replies.close()
    assert running.returncode is not None
    assert not path.parents[2].exists()


def test_wrong_options_are_one_line():
    for options, words in (
        ({"program": None}, "option program is missing"),
        ({"program": "/nowhere/python x.py"}, "option program: there is no program '/nowhere/python' that can be run"),
        ({"program": []}, "option program: a command, for example"),
        ({"program": "'open"}, "No closing quotation"),
        ({"folder": "nowhere"}, "option folder: there is no folder 'nowhere'"),
        ({"seconds": 0}, "option seconds 0: a number above 0 and up to 86400"),
        ({"at_once": 1.5}, "option at_once 1.5: a whole number from 1 to 256"),
        ({"image_format": "gif"}, "option image_format 'gif': one of jpeg, png"),
        ({"variables": "HOME"}, "option variables: a list of names of environment variables"),
        ({"timeout": 1}, "there is no option 'timeout'; there are program, folder, seconds"),
    ):
        given = {name: value for name, value in ({"program": [sys.executable]} | options).items() if value is not None}
        with pytest.raises(ModelMisused) as error:
            open_model(Model(slug="x", kind="command", options=given))
        assert words in str(error.value)


def run_of(pack, adapter: CommandModel):
    """A run over all items of the pack, after the work on it."""
    model = make_model(kind="command", options={"program": adapter.options.program})
    run = start_run(model=model, pack=pack, strategy="binary", condition="question-only")
    work()
    run.refresh_from_db()
    return run


@pytest.mark.django_db
def test_why_a_question_failed_can_be_stored_whatever_the_program_says(pack, program):
    make_item(pack)
    act = """print(json.dumps({"id": question["id"], "error": "half \\ud800 a\\0pair"}), flush=True)"""
    run = run_of(pack, program(act))
    assert (run.state, run.code) == ("failed", "unanswered")
    assert "half ? a\ufffdpair" in run.reason


@pytest.mark.django_db
def test_a_run_over_a_program_keeps_what_it_said(pack, program):
    make_item(pack), make_item(pack, expected="no")
    run = run_of(pack, program("say('Yes')"))
    assert (run.state, result_of(run)["accuracy"]) == ("finished", 0.5)
    assert run.card["model"]["program"].startswith("python")
