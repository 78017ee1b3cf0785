"""The client against the site: reading, clips by digest, answers that go on, a lint that agrees with the site."""

import json
import sys

import httpx
import pytest
from benchsite_client import ClientError, Site, command

from accounts.models import User
from accounts.roles import Role
from benchmarks.models import Rendition
from evaluation.models import Run
from humantrials.models import Trial
from tests.programs import ROOT

pytestmark = pytest.mark.django_db


def always_yes(item, clips):
    return "Yes."


def test_ten_lines_lead_to_a_scored_row(site, work, tmp_path):
    asked = []

    def reply(item, clips):
        asked.append((item.text, [clip.suffix for clip in clips]))
        return "Yes, it is."

    report = site.submit(work.answer(reply, tmp_path / "answers.jsonl", clips=tmp_path / "clips"))

    assert (report.rows, report.score, report.listing) == (4, 0.5, "private")
    assert Run.objects.get().pk == report.run
    assert len(asked) == 4
    assert {endings for _, [endings] in asked} == {".mp4"}


def test_answering_goes_on_where_it_stopped(work, tmp_path):
    out, asked = tmp_path / "answers.jsonl", []

    def fails_at_the_third(item, clips):
        asked.append(item.id)
        if len(asked) == 3:
            raise RuntimeError("out of memory")
        return "no"

    with pytest.raises(RuntimeError):
        work.answer(fails_at_the_third, out, clips=tmp_path)
    with out.open("a") as file:
        file.write('{"item": "half a li')
    work.answer(fails_at_the_third, out, clips=tmp_path)

    rows = [json.loads(line) for line in out.read_text().splitlines()][1:]
    assert sorted(row["item"] for row in rows) == sorted(item.id for item in work.items)
    assert len(asked) == 5


def test_another_rows_file_is_refused(site, work, tmp_path):
    out = work.answer(always_yes, tmp_path / "answers.jsonl", clips=tmp_path)
    other = site.work(benchmark="grasp", pack="small", strategy="binary", model="Another")
    with pytest.raises(ClientError, match="its header is not"):
        other.answer(always_yes, out, clips=tmp_path)


def test_a_clip_is_completed_and_checked(site, work, tmp_path):
    (address,) = work.items[0].clips
    whole = site.clip(address, tmp_path / "whole").read_bytes()
    part = tmp_path / "again" / f"{address.rpartition('/')[2]}.part"
    part.parent.mkdir()
    part.write_bytes(whole[:1000])
    assert site.clip(address, part.parent).read_bytes() == whole

    part.write_bytes(b"x" * 1000)
    part.with_suffix("").unlink()
    with pytest.raises(ClientError, match="not those of the site"):
        site.clip(address, part.parent)
    assert list(part.parent.iterdir()) == []
    Rendition.objects.update(sha256="0" * 64)
    with pytest.raises(ClientError, match="not those of the site"):
        site.clip(address, part.parent)


def rows_of(work, answers):
    lines = [work.header, *({"item": item.id} | answer for item, answer in zip(work.items, answers, strict=False))]
    return "\n".join(json.dumps(line) for line in lines) + "\n"


BAD = {
    "a missing item": ([{"reply": "yes"}] * 3, ""),
    "an unknown item": ([{"reply": "yes"}] * 4, '{"item": "nobody", "reply": "yes"}\n'),
    "no JSON": ([{"reply": "yes"}] * 4, "yes\n"),
    "another kind": ([{"reply": "yes"}] * 3 + [{"answer": "yes"}], ""),
    "no option": ([{"answer": "yes"}] * 3 + [{"answer": "maybe"}], ""),
    "no answer": ([{"reply": "yes"}] * 3 + [{}], ""),
}


@pytest.mark.parametrize("name", BAD)
def test_lint_says_what_submitting_would_say(site, work, tmp_path, name):
    answers, more = BAD[name]
    path = tmp_path / "answers.jsonl"
    path.write_text(rows_of(work, answers) + more)
    with pytest.raises(ClientError) as linted:
        site.lint(path)
    with pytest.raises(ClientError) as refused:
        site.submit(path)
    assert linted.value.problems == refused.value.problems != ()
    assert not Run.objects.exists()


def test_lint_of_a_good_file_stores_nothing(site, work, tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text(rows_of(work, [{"answer": "yes"}] * 4))
    found = site.lint(path)
    assert (found.rows, found.score, found.run) == (4, 0.5, None)
    assert not Run.objects.exists()
    assert site.submit(path).score == 0.5


def test_lists_come_page_by_page(site, work, monkeypatch):
    monkeypatch.setattr("benchsite_client.site.PAGE", 2)
    assert len({item.id for item in site.items("grasp")}) == 5
    assert [item.id for item in site.items("grasp", strategy="open")] == ["smallopen"]


def test_boards_and_rows_are_those_of_the_api(site, client):
    assert site.boards() == client.get("/api/v1/boards/").json()["boards"]
    assert site.board("grasp", level="1") == client.get("/api/v1/boards/grasp/?level=1").json()


def test_a_study_is_a_table(site_of, level_2, monkeypatch, capsys):
    votes = site_of().study("study")
    assert {row["item"] for row in votes} == set(level_2.items.values_list("public_id", flat=True))
    assert votes.frame["n"].sum() == 3 * len(votes)
    with pytest.raises(ClientError, match="401"):
        site_of().study("study", "long")
    author = User.objects.create_user("author", role=Role.AUTHOR)
    Trial.objects.update(author=author)
    assert len(site_of(author).study("study", "judgments").frame) == 3 * len(votes)
    assert site_of(author).data_set("study").startswith(b"PK")
    monkeypatch.setattr(command, "Site", lambda address, key="": site_of())
    assert command.main(["--site", "http://testserver", "study", "study"]) == 0
    assert capsys.readouterr().out == votes.csv


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda site: site.board("nothing"), "404"),
        (lambda site: list(site.items("grasp", colour="red")), "colour"),
        (lambda site: site.work(benchmark="grasp"), "lacks pack, strategy, model"),
        (lambda site: site.work(benchmark="grasp", pack="small", strategy="none", model="m").items, "none"),
        (lambda site: site.study("nothing"), "404"),
        (lambda site: site.clipset(ROOT / "client", "falling", may_show=True), "has no manifest.csv"),
    ],
)
def test_a_refusal_is_a_sentence(site, call, message):
    with pytest.raises(ClientError, match=message):
        call(site)


def test_a_site_that_is_away_for_a_moment_is_tried_again(monkeypatch):
    waits, statuses = [], [503, 429, 200]
    monkeypatch.setattr("benchsite_client.site.time.sleep", waits.append)

    def answer(request):
        return httpx.Response(statuses.pop(0), json={"boards": []}, headers={"Retry-After": "7"})

    assert Site("https://x.example", transport=httpx.MockTransport(answer)).boards() == []
    assert waits == [7.0, 7.0]

    def broken(request):
        raise httpx.ReadError("reset")

    with pytest.raises(ClientError, match="can't be reached"):
        Site("https://x.example", transport=httpx.MockTransport(broken)).boards()


def test_a_file_is_not_sent_twice_after_a_broken_answer(tmp_path):
    sent, path = [], tmp_path / "answers.jsonl"
    path.write_text("{}\n")

    def broken(request):
        sent.append(request.url.path)
        raise httpx.ReadError("reset")

    with pytest.raises(ClientError):
        Site("https://x.example", transport=httpx.MockTransport(broken)).submit(path)
    assert len(sent) == 1


@pytest.fixture
def shell(site, monkeypatch, capsys):
    """Runs the console script on the site of this process; returns its code and what it printed."""
    monkeypatch.setattr(command, "Site", lambda address, key="": site)
    monkeypatch.setenv("BENCHSITE", "http://testserver")

    def run(*words):
        code = command.main(list(map(str, words)))
        return code, "".join(capsys.readouterr())

    return run


def test_the_same_from_a_shell(shell, tmp_path):
    program = tmp_path / "model.py"
    program.write_text("import json, sys\nitem = json.load(sys.stdin)\nprint('yes' if item['clips'] else 'no')\n")
    out, header = tmp_path / "answers.jsonl", ("--benchmark", "grasp", "--pack", "small", "--strategy", "binary")
    made = ("answer", *header, "--model", "M", "--out", out, "--clips", tmp_path, "--", sys.executable, program)
    assert "4 items answered" in shell(*made)[1]
    assert shell("lint", out) == (0, "can be sent: 4 rows, score 50.0 %\n")
    code, text = shell("submit", out)
    assert (code, "4 rows, score 50.0 %" in text) == (0, True)
    assert ("grasp  level=1" in shell("boards")[1], shell("boards", "grasp", "--view", "level=1")[0]) == (True, 0)
    lines = shell("items", "grasp", "--filter", "strategy=open")[1].splitlines()
    assert [json.loads(line)["public_id"] for line in lines] == ["smallopen"]


def test_a_shell_names_what_is_wrong(shell, work, tmp_path):
    out = tmp_path / "answers.jsonl"
    out.write_text(rows_of(work, [{"reply": "yes"}] * 3))
    code, text = shell("submit", out)
    assert (code, work.items[3].id in text, "Traceback" in text) == (1, True, False)
    assert shell("lint", out)[0] == 1
    assert shell("lint", tmp_path / "none.jsonl")[0] == 1
    assert shell("boards", "grasp", "--view", "level")[1] == "'level' is not NAME=VALUE\n"
    wrong = ("answer", "--benchmark", "grasp", "--pack", "small", "--strategy", "binary", "--model", "M")
    code, text = shell(*wrong, "--out", tmp_path / "b.jsonl", "--clips", tmp_path, "--", sys.executable, "-c", "1/0")
    assert (code, "ZeroDivisionError" in text) == (1, True)


def test_a_figure_is_printed_as_its_source_has_it():
    assert command.figure({"score": 0.703, "low": 0.58, "high": 0.8}).split() == ["70.3", "(58–80)"]
    assert command.figure({"score": None, "printed": "about 80"}).strip() == "about 80"
    assert command.figure(None).strip() == "–"
