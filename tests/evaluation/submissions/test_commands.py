"""`submit`, with `--check` or not: one JSON object, and exit codes 0, 1 and 2."""

import json

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User
from benchmarks.commands import CallerMistake
from evaluation.models import Model, Run
from evaluation.submissions import command_arguments
from evaluation.submissions.command_arguments import opened
from evaluation.submissions.files.rows import FIELDS
from tests.evaluation.submissions.uploads import good_file, header, items_of, json_lines, rows_for, unzipped

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path):
    def write(content):
        path = tmp_path / "answers"
        path.write_bytes(content)
        return str(path)

    return write


def called(capsys, *arguments):
    """(exit code, the JSON object or None, the error line)"""
    try:
        call_command(*arguments, "--json")
        code, error = 0, ""
    except CommandError as mistake:
        code, error = mistake.returncode, str(mistake)
    printed = capsys.readouterr().out
    return code, json.loads(printed) if printed else None, error


def options_of(fields):
    return [part for name, value in fields.items() for part in (f"--{name}", value)]


def test_a_file_is_linted_with_exit_code_0_or_with_1_and_every_problem(pack, file, capsys, monkeypatch):
    good = {"ok": True, "rows": 4, "score": 0.5, "parser": "as-given 1", "notes": [], "problems": []}
    assert called(capsys, "submit", "--check", file(good_file(pack))) == (0, good, "")
    assert not Run.objects.exists()
    content = json_lines(header(pack), {"item": "small0", "answer": "maybe"}, *rows_for(pack))
    code, facts, _error = called(capsys, "submit", "--check", file(content))
    problem = {"line": 2, "item": "small0", "what": "'maybe' is none of: yes, no"}
    assert (code, facts["ok"], facts["problems"]) == (1, False, [problem])
    monkeypatch.setattr(command_arguments, "MOST_LISTED", 1)
    end = "public answers, parsed by as-given 1"
    small2, small3 = (f"item small{number}: no answer with seed 0" for number in (2, 3))
    for kept, lines in (
        (3, [small3, f"3 valid rows, 1 problems, score 66.7% on 3 {end}"]),
        (2, [small2, small3, "… and 1 more (--json prints all)", f"2 valid rows, 2 problems, score 50.0% on 2 {end}"]),
    ):
        with pytest.raises(CommandError):  # without --json a person reads lines
            call_command("submit", "--check", file(json_lines(header(pack), *rows_for(pack)[:kept])))
        assert capsys.readouterr().out.splitlines() == lines


def test_a_table_takes_its_header_from_the_options(pack, file, user, capsys):
    table = "item,answer\n" + "".join(f"{item.public_id},yes\n" for item in items_of(pack))
    arguments = [file(table.encode()), *options_of(header(pack))]
    assert called(capsys, "submit", "--check", *arguments)[0] == 0
    code, facts, _error = called(capsys, "submit", *arguments, "--as", "ada")
    assert (code, facts["run"], facts["listing"]) == (0, Run.objects.get().pk, "private")


def test_submit_of_a_wrong_file_stores_nothing_and_exits_with_1(pack, file, capsys):
    arguments = ("submit", file(b"<html>"), *options_of(header(pack)))
    first = called(capsys, *arguments)
    assert not User.objects.exists()
    User.objects.create_user("ada")
    for code, facts, error in (first, called(capsys, *arguments, "--as", "ada")):
        assert (code, facts["problems"][0]["what"]) == (1, "the file is a web page, not a file of answers")
        assert "nothing was stored" in error
    assert not Model.objects.exists()


@pytest.mark.parametrize("way", [("--check",), ("--as", "ada")])
def test_a_mistake_of_the_caller_is_one_line_and_exit_code_2(pack, file, user, capsys, way):
    path = file(b"item,answer\nsmall0,yes\n")
    for arguments, sentence in (
        (["/nowhere/at/all"], "No such file"),
        (["/"], "directory"),
        ([path, "--benchmark", "grips"], "lacks pack"),
        ([path, *options_of(dict.fromkeys(FIELDS, "grasp"))], "`strategy` is 'grasp'; there are: binary"),
    ):
        code, facts, error = called(capsys, "submit", *arguments, *way)
        assert (code, facts) == (2, {"error": error, "exit": 2})
        assert sentence in error
        assert "\n" not in error


def test_a_results_folder_is_packed_without_litter_and_within_limits(tmp_path, monkeypatch):
    for name in ("b.jsonl", "a/a.jsonl", ".DS_Store"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("12345")
    for limit, most in (("MEMBERS", 2), ("UPLOAD_BYTES", 10)):
        monkeypatch.setattr(command_arguments, limit, most)
        assert list(unzipped(opened(tmp_path).getvalue())) == ["a/a.jsonl", "b.jsonl"]
        monkeypatch.setattr(command_arguments, limit, most - 1)
        with pytest.raises(CallerMistake, match="a directory of results has 1 to"):
            opened(tmp_path)
        monkeypatch.undo()
    (tmp_path / "empty").mkdir()
    with pytest.raises(CallerMistake, match="this one has not"):
        opened(tmp_path / "empty")


def test_an_unknown_user_and_a_taken_name_are_the_callers_mistakes(pack, file, user, capsys):
    User.objects.create_user("bea")
    path = file(good_file(pack))
    called(capsys, "submit", path, "--as", "ada")
    for name, sentence in (("nobody", "--as nobody: there is no such user"), ("bea", "taken by somebody else")):
        code, _facts, error = called(capsys, "submit", path, "--as", name)
        assert code == 2
        assert sentence in error


def test_on_ones_own_machine_one_command_makes_a_listed_row(pack, file, capsys):
    path = file(good_file(pack))
    code, facts, _error = called(capsys, "submit", path)
    run, owner = Run.objects.get(), User.objects.get()
    assert (code, facts["run"], facts["listing"], run.owner) == (0, run.pk, "listed", owner)
    assert (owner.is_superuser, owner.has_usable_password()) == (True, False)
    assert Run.objects.on_the_board().get() == run
    assert called(capsys, "submit", path)[1] == facts
    assert (User.objects.count(), Run.objects.count()) == (1, 1)


def test_without_as_the_first_superuser_owns_the_file(pack, file, user, capsys):
    code, _facts, error = called(capsys, "submit", file(good_file(pack)))
    assert (code, Run.objects.count()) == (2, 0)
    assert "--as USER" in error
    User.objects.create_superuser("bea")
    assert called(capsys, "submit", file(good_file(pack)))[0] == 0
    assert Run.objects.get().owner.username == "bea"
