"""The commands of trials: what they print, what they write, and how they fail."""

import csv
import json
from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from openpyxl import load_workbook

from benchmarks.commands import CallerMistake
from humantrials.models import Judgment, Slot, Trial, TrialState
from humantrials.protocols import find_protocol
from humantrials.protocols.settings import warning_of
from humantrials.results.exports import columns_of, judgment_rows
from tests.commands import told
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.results.test_judgments import full_trial
from tests.humantrials.running.test_transitions import NEW, fields
from tests.humantrials.site import staged_site
from tests.site import Site

pytestmark = pytest.mark.django_db


def test_create_trial_says_what_it_made():
    pack = physics_pack(tests=16)
    said = told("create_trial", "made", "--protocol=grasp-plausibility", "--seed=4", "--set", "replicates=1")
    assert said == {"trial": "made", "state": "draft", "pack": pack.name, "sheets": 2, "slots": 32, "entry": "/t/made/"}
    assert told("create_trial", "again", "--protocol=grasp-plausibility", "--open")["state"] == "open"


@pytest.mark.parametrize(("replicates", "is_warned"), [("4", True), ("3", False), ("", False)])
def test_an_even_number_of_answers_is_warned_of(staff, replicates, is_warned):
    pack = physics_pack(tests=1)
    page = staff.post(NEW, fields(pack, replicates=replicates), follow=True).content.decode()
    assert ("4 answers per item can tie" in page) == is_warned
    chosen = ["--set", f"replicates={replicates}"] if replicates else []
    assert ("warning" in told("create_trial", "again", "--protocol=grasp-plausibility", *chosen)) == is_warned
    assert warning_of({}, find_protocol("craft-five-part")) == ""  # 20 answers, and their mean, which can't tie


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("made", "--protocol=grasp"), "no protocol 'grasp'"),
        (("made", "--protocol=grasp-plausibility", "--pack=lost"), "no pack 'lost'"),
        (("made", "--protocol=grasp-plausibility", "--set", "seal"), "write KEY=VALUE"),
        (("made", "--protocol=grasp-plausibility", "--set", "seal=maybe"), "true or false"),
        (("not a name", "--protocol=grasp-plausibility"), "not a name"),
    ],
)
def test_a_mistake_of_the_caller_is_one_sentence_and_writes_nothing(arguments, what):
    physics_pack(tests=1)
    with pytest.raises(CallerMistake, match=what) as mistake:
        call_command("create_trial", *arguments)
    assert mistake.value.returncode == 2
    assert not Trial.objects.exists()


def test_change_trial_opens_pauses_and_closes():
    physics_pack(tests=1)
    call_command("create_trial", "made", "--protocol=grasp-plausibility")
    for action, state in (("open", "open"), ("pause", "paused"), ("close", "closed")):
        call_command("change_trial", action, "made")
        assert Trial.objects.get().state == state
    with pytest.raises(CallerMistake, match="can't become paused"):
        call_command("change_trial", "pause", "made")


def test_a_trial_that_does_not_exist_is_named_with_those_that_do():
    running_trial(physics_pack(tests=1))
    for command in ("verify_trial", "export_trial"):
        with pytest.raises(CallerMistake, match="there is: running"):
            call_command(command, "walking", *(["--out=/nowhere"] if command == "export_trial" else []))


def test_verify_trial_finds_every_promise_kept():
    full_trial(pack=physics_pack(tests=3))
    said = told("verify_trial", "running")
    expected = {"sheets": 6, "slots": 18, "filled": 18, "overfilled": 0, "counted": 18, "surplus": 0, "excluded": 0}
    assert expected.items() <= said.items()
    assert said["design_ok"] is True
    assert all(promise["holds"] for promise in said["promises"])


@pytest.mark.parametrize("name", ["design", "exactly-k-slots"])
def test_verify_trial_sees_a_design_that_was_tampered_with(name):
    running_trial(physics_pack(tests=3))
    if name == "design":
        Trial.objects.update(seed=99)
    else:
        Slot.objects.order_by("pk").first().delete()
    with pytest.raises(CommandError, match=name):
        call_command("verify_trial", "running")


def test_a_row_of_the_export_is_one_judgment():
    names, *rows = judgment_rows(full_trial())
    assert len(rows) == Judgment.objects.count() == 12
    first = dict(zip(names, rows[0], strict=True))
    assert (first["correct"], first["counts"], first["surplus"], first["seconds"]) == (1, 1, 0, 2.5)
    assert len({(row["item"], row["replicate"]) for row in (dict(zip(names, row, strict=True)) for row in rows)}) == 12


def test_every_format_holds_the_same_rows_and_a_codebook_lies_beside(tmp_path):
    trial = full_trial()
    for kind in ("csv", "jsonl", "xlsx"):
        call_command("export_trial", "running", "--format", kind, "--out", str(tmp_path / f"answers.{kind}"))
    with (tmp_path / "answers.csv").open(newline="") as file:
        from_csv = [row["participant"] for row in csv.DictReader(file)]
    from_jsonl = [json.loads(line)["participant"] for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    _, *rows = load_workbook(tmp_path / "answers.xlsx").active.iter_rows(values_only=True)
    place = [column.name for column in columns_of(trial)].index("participant")
    assert from_csv == from_jsonl == [row[place] for row in rows]
    book = (tmp_path / "answers-codebook.md").read_text()
    assert all(f"| {column.name} |" in book for column in columns_of(trial))


@pytest.mark.parametrize("share", ["1.5", "-0.1"])
def test_a_share_is_between_0_and_1(share):
    running_trial(physics_pack(tests=1))
    where = ("--base-url=http://127.0.0.1:1", "--participants=1")
    with pytest.raises(CallerMistake, match="between 0 and 1"):
        call_command("simulate_trial", "running", *where, f"--dropout={share}")
    assert not Trial.objects.get().is_simulated


TRIALS: dict[str, dict] = {
    "rated": {"protocol": "giraffe-rating", "items": 1},
    "picked": {"protocol": "giraffe-choice", "items": 2},
    "people": {},
}


@pytest.fixture(scope="module")
def studies(tmp_path_factory) -> Iterator[Site]:
    with staged_site(tmp_path_factory.mktemp("studies"), TRIALS) as site:
        yield site


def simulated(studies: Site, trial: str, **options: float) -> dict:
    """What the command says of people who are always right."""
    habits = [f"--{name}={value}" for name, value in options.items()]
    address = f"--base-url=http://127.0.0.1:{studies.port}"
    done = studies.manage("simulate_trial", trial, address, *habits, "--accuracy=1", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.worker
def test_simulated_people_rate_predictions_and_choose_pictures_over_http(studies):
    for trial, counted in (("rated", 3 * 3), ("picked", 3 * 2)):
        said = simulated(studies, trial, participants=12, concurrency=2, doubled=0.5, late=0.2, seed=3)
        assert (said["full"], said["lost"], said["counted"], said["refused"]) == (True, 0, counted, 0)
        assert json.loads(studies.manage("verify_trial", trial, "--json").stdout)["filled"] == counted
    assert "100 %" in studies.page("/trials/picked/")


@pytest.mark.worker
def test_simulated_people_fill_a_trial_over_http(studies):
    assert studies.manage("create_trial", "crowd", "--protocol", "grasp-plausibility", "--seed", "2").returncode == 0
    habits = {"dropout": 0.2, "late": 0.2, "second-tab": 0.2, "doubled": 0.3}
    said = simulated(studies, "crowd", participants=60, concurrency=3, seed=5, **habits)
    assert (said["full"], said["lost"], said["counted"], said["unfinished"]) == (True, 0, 18, 0)
    assert said["turned_away"] >= 1
    assert json.loads(studies.manage("verify_trial", "crowd", "--json").stdout)["filled"] == 18
    page = studies.page("/trials/crowd/")
    assert "Simulated participants" in page
    assert "100 %" in page
    assert TrialState.OPEN in page
