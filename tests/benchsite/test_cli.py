"""The command line: thirty commands in six groups, and one table of the names that others use."""

import json
import os
import sys
from argparse import _SubParsersAction
from pathlib import Path
from subprocess import PIPE

import pytest
from django.core.management import get_commands, load_command_class

from benchsite import cli
from benchsite.web.version import VERSION
from tests.programs import CODE, python, start
from tests.site import environment

GROUPED = [name for names in cli.GROUPS.values() for name in names]
ELSEWHERE = {"runserver"}  # Django's, with a check of ours
OWN = {name for name, app in get_commands().items() if app.split(".")[0] in CODE} - ELSEWHERE
# As scripts and papers type them.
TYPED = """
    generate_benchmark grasp --out DIR --count 1 --only A,B --seed 1 --profile faithful --jobs 2 --size 64x48 --fps 10
    audit_benchmark grasp DIR
    import_benchmark grasp DIR --pack mine --split paper
    import_benchmark DIR
    import_answers pacs FILE
    export_benchmark grasp --out DIR --pack mine
    withdraw_clip object0118 --why gone
    rotate_ids grasp --pack mine
    new_benchmark mine --out DIR
    check_benchmark DIR
    audit_blind grasp --pack mine
    list_benchmarks
    list_models
    list_strategies grasp
    start_run --model a --benchmark grasp --strategy binary --pack mine --only test=A --limit 3 --seeds 0,1 --wait
    resume_run 3 --wait
    cancel_run 3
    reread_run 3 --parser grasp-official --apply
    export_run 3 --layout official --out DIR
    train_baseline mac-v --benchmark craft --pack mine --seed 1 --size full --weights DIR
    validate_referee judge
    lint_submission FILE --benchmark grasp --pack mine --model a --strategy binary --condition video --split paper
    submit FILE --as ada --benchmark grasp
    create_trial mine --protocol grasp-plausibility --seed 1 --set replicates=3
    simulate_trial mine --base-url http://localhost --participants 3 --concurrency 2 --dropout 0.1 --accuracy 0.8
    verify_trial mine
    export_trial mine --format xlsx --out FILE
    export_table grasp-table-1 --format latex --rows published,run --pack mine --out FILE
    export_figure concepts:grasp --format svg --out FILE
    snapshot_board grasp --out FILE
    verify_snapshot FILE
    import_published FILE
    commit_round grasp --seed-file FILE --date 2027-01-31
    reveal_round 3 --seed-file FILE
    serve
    backup FILE
    restore FILE
"""


def test_there_are_thirty_commands_and_each_is_in_one_group():
    assert sorted(GROUPED) == sorted(OWN)
    assert (len(GROUPED), len(cli.GROUPS)) == (30, 6)


def test_names_that_others_use_lead_to_a_command_with_these_options():
    for line in TYPED.strip().splitlines():
        for json_words in ([], ["--json"]):
            name, *words = cli.words_of([*line.split(), *json_words])
            assert name in GROUPED, line
            parser = load_command_class(get_commands()[name], name).create_parser("benchsite", name)
            assert parser.parse_args(words).as_json is bool(json_words), line
    typed = {line.split()[0] for line in TYPED.strip().splitlines()}
    assert set(cli.ALIASES) <= typed <= {*cli.ALIASES, *GROUPED}
    assert not set(cli.ALIASES) & set(get_commands())
    code = Path(cli.__file__).read_text()
    assert [name for name in cli.ALIASES if code.count(name) != 1] == []


def test_every_command_and_action_explains_itself_and_speaks_json():
    for name in GROUPED:
        parser = load_command_class(get_commands()[name], name).create_parser("benchsite", name)
        actions = [action.choices.values() for action in parser._actions if isinstance(action, _SubParsersAction)]
        for each in (parser, *(actions[0] if actions else ())):
            assert (bool(each.description), "--json" in each.format_help()) == (True, True), each.prog


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ([], [f"  {name} " for name in GROUPED] + list(cli.GROUPS) + ["benchsite demo"]),
        (["--version"], [VERSION]),
        (["help", "list"], ["usage: benchsite list", "protocols"]),
        (["help", "resume_run"], ["usage: benchsite change_run resume", "--most-cost"]),
    ],
)
def test_help_needs_neither_a_database_nor_a_folder(tmp_path, words, wanted):
    done = python(["-m", "benchsite.cli", *words], environment(tmp_path / "none"), timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert [text for text in wanted if text not in done.stdout] == []
    assert not (tmp_path / "none").exists()


def closed_pipe():
    reader, writer = os.pipe()
    os.close(reader)
    return writer


@pytest.mark.parametrize(("output", "said", "code"), [(closed_pipe, "", 141), ("/dev/full", "No space left", 1)])
def test_a_command_whose_output_has_no_reader_or_no_room_ends_without_a_traceback(tmp_path, output, said, code):
    with open(output if isinstance(output, str) else output(), "w") as output:
        one = start(["-m", "benchsite.cli"], environment(tmp_path), stdout=output, stderr=PIPE)
    words = one.communicate(timeout=60)[1]
    assert (said in words, len(words.splitlines()) <= 1, one.returncode) == (True, True, code)


def test_json_before_an_action_counts_as_well():
    parser = load_command_class("leaderboard", "list").create_parser("benchsite", "list")
    given = (["--json", "benchmarks"], ["benchmarks"])
    assert [parser.parse_args(words).as_json for words in given] == [True, False]


@pytest.mark.parametrize("words", [["start_run"], ["change_run", "resume"]])
def test_a_command_that_is_typed_wrongly_is_an_object_with_json(words, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["benchsite", *words, "--json"])
    monkeypatch.setattr("benchsite.serving.embedded_database.make_database", lambda argv: None)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    told = json.loads(capsys.readouterr().out)
    assert "required" in told["error"]
    assert ended.value.code == told["exit"] == 2


def test_an_install_keeps_its_data_in_the_users_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(cli, "__file__", str(tmp_path / "site-packages/benchsite/cli.py"))
    monkeypatch.setattr(sys, "argv", ["benchsite", "version"])
    monkeypatch.delenv("DATA_DIR", raising=False)
    monkeypatch.chdir(tmp_path)
    cli.main()
    assert cli.os.environ["DATA_DIR"] == str(tmp_path)
