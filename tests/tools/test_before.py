"""What is frozen before code is moved: the same database has no difference, and each changed value is a line."""

import json

import pytest

from leaderboard.models import Standing
from leaderboard.standings.refresh import refresh
from tests.factories import make_answer, make_clip, make_item, make_pack, make_run
from tools.bench.before.__main__ import main
from tools.bench.before.store import differences

PARTS = ("--only", "figures", "answers", "prompts")


@pytest.fixture
def reply():
    pack = make_pack(name="tiny")
    items = [make_item(pack, clip=make_clip(pack)) for _ in range(4)]
    run = make_run(pack)
    scores = [make_answer(run, item, answer) for item, answer in zip(items, ("yes", "yes", "no", None), strict=True)]
    refresh()
    return scores[0].reading.response


@pytest.mark.django_db
def test_a_changed_figure_and_a_changed_reply_are_a_line_each(reply, tmp_path, capsys):
    assert main(["freeze", str(tmp_path), *PARTS]) == 0
    assert main(["compare", str(tmp_path), *PARTS]) == 0
    assert capsys.readouterr().out == ""
    row = Standing.objects.get(split="all")
    row.overall["score"] += 0.01
    row.save()
    reply.raw = "no"
    reply.save()
    assert main(["compare", str(tmp_path), *PARTS]) == 1
    answers, figures = capsys.readouterr().out.splitlines()
    assert answers.split("\t")[0] == "answers"
    assert reply.cell.item.key in answers
    part, key, before, now = figures.split("\t")
    assert (part, key.endswith("overall score"), float(before), float(now)) == ("figures", True, 0.5, 0.51)


@pytest.mark.django_db
def test_the_same_content_has_the_same_bytes_and_no_id_or_time(reply, tmp_path):
    for folder in ("a", "b"):
        main(["freeze", str(tmp_path / folder), *PARTS])
        Standing.objects.all().delete()
        refresh()  # rows with other ids and times
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()


def test_benchmarks_are_told_by_ratio_and_never_a_difference(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("tools.bench.before.__main__.timeit.repeat", lambda *_args, **_more: [0.5])
    for folder, seconds in (("a", 2.0), ("b", 3.0)):
        (tmp_path / "pages.txt").write_text(f"noise\n{json.dumps({'page': 'home', 'ms': seconds})}\n")
        main(["keep", str(tmp_path / folder), str(tmp_path / "pages.txt")])
    assert main(["compare", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    assert "x 1.50" in capsys.readouterr().out


def test_the_last_digits_of_a_number_are_no_difference_and_its_kind_is():
    assert list(differences({"a": 0.1 + 0.2, "b": True}, {"a": 0.3, "b": True})) == []
    assert [key for key, *_ in differences({"a": 0.3, "b": 1, "c": 1}, {"a": None, "b": 2})] == ["a", "b", "c"]
