"""Rows that name moments: uploads and runs, their figures by test, and refused values."""

import re

import pytest

from accounts.models import User
from evaluation.models import Reading, Run, Score
from evaluation.parsing import PARSERS
from evaluation.prompting.strategies import conversation_for
from evaluation.runs.lifecycle import start_run
from evaluation.submissions.lint.check import lint
from evaluation.submissions.store.submit import submit
from evaluation.workers.loop import work_on
from leaderboard.models import Standing
from leaderboard.standings.refresh import refresh
from measures.scores.parsed_answers import ParserContext
from tests.evaluation.submissions.uploads import header, json_lines, upload
from tests.factories import answer_to, expects, make_clip, make_item, make_model, make_pack

pytestmark = pytest.mark.django_db
BROKEN = {"first_violation": {"state": 200, "seconds": 4.0}, "first_knowable": {"state": 300, "seconds": 6.0}}


@pytest.fixture
def clips(db):
    """Two tests with two pairs each; impossible clips have their violation at 4 s, known at 6 s."""
    pack = make_pack(name="moments", title="Moments")
    for number in range(4):
        test = "Gravity" if number < 2 else "Collision"
        for folder, expected in (("P", "yes"), ("IP", "no")):
            key = f"level2/{folder}_{test}/{number:03}"
            facets = {"level": ("2",), "test": (test,), "concept": (test.lower(),), "split": ("all",)}
            clip = make_clip(pack, key=key, seconds=10.0, facts=BROKEN if expected == "no" else {"label": "plausible"})
            make_item(pack, clip=clip, key=key, kind="plausibility", variant="", expected=expected, facets=facets)
    return pack


def heads(pack):
    return header(pack, strategy="moment", model="A watcher")


def said(item):
    """Answers: right about Gravity, half a second late; about Collision only one report, in a possible clip."""
    if "Gravity" in item.key:
        return "6.5" if answer_to(item) == "no" else "nothing"
    return "2" if item.key == "level2/P_Collision/002" else "Nothing"


def rows(pack):
    return [{"item": item.public_id, "answer": said(item)} for item in pack.items.order_by("pk")]


@pytest.fixture
def uploaded(clips):
    run = submit(file=upload(json_lines(heads(clips), *rows(clips))), user=User.objects.create_user("ada"))
    Run.objects.filter(pk=run.pk).update(listing="listed")
    refresh()
    return run


def test_an_upload_has_hits_errors_and_false_alarms_by_test(uploaded, client, clips):
    found = Standing.objects.get().overall["moment"]
    assert (found["all"]["n"], found["all"]["hits"], found["all"]["alarms"]) == (8, 0.5, 0.25)
    assert (found["test"]["Gravity"]["hits"], found["test"]["Gravity"]["error"]) == (1.0, 0.5)
    assert (found["test"]["Collision"]["hits"], found["test"]["Collision"]["error"]) == (0.0, None)
    assert not Score.objects.exists()
    page = client.get("/leaderboard/grasp/moments/").content.decode()
    assert "A watcher" in page
    table = client.get("/leaderboard/grasp/moments/?format=csv&group=concept").content.decode()
    assert "A watcher,uploaded,Gravity,4,100.0" in table
    # the api of an item has the moments that were named
    told = {}
    for item in clips.items.all():
        (told[item.key],) = client.get(f"/api/v1/items/{item.public_id}/").json()["moments"]
    row = {"row": f"run-{uploaded.pk}", "simulated": False, "unread": 0, "presses": []}
    assert told["level2/IP_Gravity/000"] == {**row, "seconds": [6.5], "nothing": 0}
    assert told["level2/P_Gravity/000"] == {**row, "seconds": [], "nothing": 1}
    # no page tells a moment before the answer is asked for
    for item in clips.items.filter(expects("no")):
        page = client.get(item.get_absolute_url()).content.decode()
        assert "first_violation" not in page
        assert "4.00 s" not in page
    # clips whose moment is not known count in no figure
    for clip in clips.clips.filter(key__contains="IP_Gravity"):
        clip.facts = {}
        clip.save()
    Run.objects.update(answers_version=7)
    refresh()
    assert Standing.objects.get().overall["moment"]["test"]["Gravity"]["violations"] == 0


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        ("10.5", "10.5 s lies outside the clip, which lasts 10.00 s"),
        ("99999", "99999 s lies outside the clip, which lasts 10.00 s"),
        ("-1", "'-1' is neither a number of seconds nor `nothing`"),
        ("nan", "'nan' is neither a number of seconds nor `nothing`"),
        ("yes", "'yes' is neither a number of seconds nor `nothing`"),
    ],
)
def test_what_is_no_moment_of_the_clip_is_refused_by_line(clips, answer, what):
    given = rows(clips)
    given[1]["answer"] = answer
    found = lint(upload(json_lines(heads(clips), *given))).problems
    assert [(one.line, one.what) for one in found] == [(3, what)]


@pytest.mark.parametrize(
    ("reply", "read", "problem"),
    [
        ("I see a ball.\nAnswer: 4.2 seconds", "4.2", ""),
        ("Answer: Nothing.", "nothing", ""),
        ("**Answer:** 3", "3", ""),
        ("It breaks at 4 seconds, I think", None, "unread"),
        ("", None, "unread"),
    ],
)
def test_replies_are_read_from_the_last_line(reply, read, problem):
    found = PARSERS["moment"].read(reply, ParserContext("plausibility"))
    assert (found.answer, found.problem) == (read, problem)


def test_a_model_is_told_the_length_and_never_the_moment(clips):
    item = clips.items.filter(expects("no")).first()
    prompt = conversation_for("moment", item)[0].text
    assert "10.0 seconds" in prompt
    assert "4.0" not in prompt


def test_a_run_is_read_and_has_no_score(clips):
    model = make_model(kind="scripted", options={"default": "Answer: 5"})
    run = start_run(model=model, pack=clips, strategy="moment", condition="question-only")
    work_on(run.pk)
    assert set(Reading.objects.values_list("answer", flat=True)) == {"5"}
    assert not Score.objects.exists()


def test_the_page_of_an_item_calls_a_moment_neither_right_nor_wrong(clips, client):
    model = make_model(kind="scripted", name="Names five", options={"default": "Answer: 5"})
    run = start_run(model=model, pack=clips, strategy="moment", condition="question-only")
    work_on(run.pk)
    Run.objects.update(listing="listed")
    page = client.get(f"{clips.items.first().get_absolute_url()}?answer=1").content.decode()
    rows = re.findall(r"<tr(?:(?!<tr).)*?Names five.*?</tr>", page, flags=re.DOTALL)
    assert rows
    for row in rows:
        assert not {"✓", "✗"} & set(row)
        assert not re.search(r">\s*(right|wrong)\b", row)
        assert "not scored yet" not in row


def test_answerers_stand_beside_each_other_and_nothing_is_minus_nought(uploaded, clips, client):
    """In files, rows of one test are together, after those over all clips; the page's table by test has a name once."""
    other = header(clips, strategy="moment", model="B watcher")
    run = submit(file=upload(json_lines(other, *rows(clips))), user=User.objects.create_user("bo"))
    Run.objects.filter(pk=run.pk).update(listing="listed")
    refresh()
    table = client.get("/api/v1/boards/grasp/moments/").json()["rows"]
    told = [(row["Who"], row["Test"]) for row in table]
    assert told[:2] == [("A watcher", "all"), ("B watcher", "all")]
    assert [who for who, _test in told] == ["A watcher", "B watcher"] * (len(told) // 2)
    assert "-0" not in {str(row["Criterion"]).removesuffix(".0") for row in table}
    page = client.get("/leaderboard/grasp/moments/").content.decode()
    names = re.findall(r'rowspan="(\d+)">\s*<a [^>]*><bdi>(\w watcher)<', page)
    of_tests = str(len(told) // 2 - 1)
    assert names == [(of_tests, "A watcher"), (of_tests, "B watcher")]
