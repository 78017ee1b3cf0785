"""Rows of prediction models: uploaded windows become figures on a page, curves on the item, and nothing else."""

import json

import pytest

from accounts.models import User
from benchmarks.definitions.registry import BENCHMARKS
from evaluation.errors import RunMisused
from evaluation.models import ModelResponse, Run, Score
from evaluation.runs.lifecycle import start_run
from evaluation.submissions.lint.check import lint
from evaluation.submissions.store.submit import submit
from evaluation.workers.loop import work_on
from leaderboard.analyses.reported_surprises import REPORTED
from leaderboard.analyses.surprise import ANALYSIS
from leaderboard.models import Standing
from leaderboard.standings.refresh import refresh
from tests.evaluation.submissions.uploads import header, json_lines, upload
from tests.factories import answer_to, expects, make_clip, make_item, make_model, make_pack

pytestmark = pytest.mark.django_db
PAIRS = 4


@pytest.fixture
def twins(db):
    """Four pairs of twins of two tests."""
    pack = make_pack(name="twins", title="Twins")
    for number in range(PAIRS):
        test = "Gravity" if number < 2 else "Collision"
        for folder, expected in (("P", "yes"), ("IP", "no")):
            key = f"level2/{folder}_{test}/{number:03}"
            violation = {"first_violation": {"state": 200, "seconds": 4.0}} if expected == "no" else {}
            facets = {"level": ("2",), "test": (test,), "concept": (test.lower(),), "split": ("all",)}
            clip = make_clip(pack, key=key, seconds=10.0, facts=violation)
            make_item(pack, clip=clip, key=key, kind="plausibility", variant="", expected=expected, facets=facets)
    return pack


def surprises(item):
    """Impossible clips of Gravity surprise more, those of Collision exactly as much."""
    high = 3.0 if answer_to(item) == "no" and "Gravity" in item.key else 1.0
    return [0.5, high, 0.25]


def heads(pack):
    return header(pack, strategy="surprise", model="A predictor")


def rows(pack):
    return [{"item": item.public_id, "surprise": surprises(item)} for item in pack.items.order_by("pk")]


@pytest.fixture
def uploaded(twins):
    run = submit(file=upload(json_lines(heads(twins), *rows(twins))), user=User.objects.create_user("ada"))
    Run.objects.filter(pk=run.pk).update(listing="listed")
    refresh()
    return run


def test_an_upload_becomes_figures_of_pairs_by_test(uploaded, client, twins):
    found = Standing.objects.get().overall["surprise"]
    assert (found["all"]["pairs"], found["all"]["relative_mean"]) == (PAIRS, 0.5)
    assert found["test"]["Gravity"]["relative_most"] == 1.0
    assert found["test"]["Collision"]["relative_most"] == 0.0
    assert found["test"]["Collision"]["area_mean"] == 0.5
    page = client.get("/leaderboard/grasp/surprise/").content.decode()
    assert "A predictor" in page
    table = client.get("/leaderboard/grasp/surprise/?format=csv&group=concept").content.decode()
    assert "A predictor,uploaded,Gravity,2,100.0" in table
    assert "A predictor,uploaded,all,4,50.0" in table
    answer = client.get("/api/v1/boards/grasp/surprise/?group=concept").json()
    found = [(row["Concept"], row["Pairs"], row["Relative accuracy, mean, %"]) for row in answer["rows"]]
    assert found == [("all", 4, 50.0), ("Gravity", 2, 100.0), ("Collision", 2, 0.0)]
    assert answer["rows"][1]["AUROC, maximum, %"] == 100.0
    assert client.get("/api/v1/boards/craft/surprise/").status_code == 404
    # there is no answer and no score
    assert not Score.objects.exists()
    assert not ModelResponse.objects.exclude(readings__answer="", readings__problem="").exists()
    # the item page draws the curve and marks the violation for those who ask
    item = twins.items.filter(expects("no")).first()
    address = item.get_absolute_url()
    closed, opened = (client.get(f"{address}{more}").content.decode() for more in ("", "?answer=1"))
    assert "Surprise over time" in closed
    assert closed.count('<svg class="figure"') == 2  # wide, and for phones
    assert "Physics is broken" not in closed
    assert "Physics is broken" in opened
    assert "&quot;surprise&quot;" not in closed  # the numbers are no reply


def test_what_others_report_stands_apart_with_its_source_and_caveat(uploaded, client):
    page = client.get("/leaderboard/grasp/surprise/").content.decode()
    own, _, others = page.partition("Reported by others")
    for one in REPORTED["grasp"]:
        assert one.link in others
        assert one.name not in own
        assert one.source
        assert one.caveat
    # they are no rows of this site, in no file and in no call
    assert "V-JEPA" not in client.get("/leaderboard/grasp/surprise/?format=csv").content.decode()
    assert "V-JEPA" not in str(client.get("/api/v1/boards/grasp/surprise/").json()["rows"])


def test_a_table_of_windows_is_the_same_upload(twins):
    lines = ["item;window;surprise;time"]
    for item in twins.items.order_by("pk"):
        lines += [f"{item.public_id};{place};{value};{place}" for place, value in enumerate(surprises(item))]
    report = lint(upload("\n".join(lines).encode()), heads(twins))
    assert (report.ok, report.rows) == (True, 2 * PAIRS)
    lines[2] = lines[2].replace(";1;", ";7;")
    problems = lint(upload("\n".join(lines).encode()), heads(twins)).problems
    assert (problems[0].line, "window '7'" in problems[0].what) == (3, True)
    lines[2] = lines[2].replace(";7;3.0", ";1;nan").replace(";7;1.0", ";1;nan")
    problems = lint(upload("\n".join(lines).encode()), heads(twins)).problems
    assert [(one.line, one.what) for one in problems] == [(2, "surprise 2 is 'nan', not a finite number")]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"surprise": []}, "`surprise` must be a list of numbers, one a window"),
        ({"surprise": [1, "a"]}, "surprise 2 is 'a', not a finite number"),
        ({"surprise": [1, None]}, "surprise 2 is 'None', not a finite number"),
        ({"times": [0, 1, 10.5]}, "time 3, 10.5 s, lies outside the clip, which lasts 10.00 s"),
        ({"times": [1]}, "`times` must be a list of 3 seconds, one a window"),
    ],
)
def test_what_is_no_surprise_is_refused_by_line(twins, change, what):
    given = rows(twins)
    given[2] |= change
    found = lint(upload(json_lines(heads(twins), *given))).problems
    assert [(one.line, one.what) for one in found] == [(4, what)]


def test_a_program_is_asked_for_surprises_and_others_are_refused(twins):
    model = make_model(kind="scripted", options={"default": json.dumps({"surprise": [1.0, 2.0]})})
    run = start_run(model=model, pack=twins, strategy="surprise", condition="question-only")
    work_on(run.pk)
    run.refresh_from_db()
    assert run.state == "finished"
    assert set(ModelResponse.objects.values_list("readings__problem", flat=True)) == {""}
    with pytest.raises(RunMisused, match="kind always-yes give none; surprise, command, scripted"):
        start_run(model=make_model(), pack=twins, strategy="surprise")
    with pytest.raises(RunMisused, match="strategies surprise and moment"):
        start_run(model=make_model(kind="surprise"), pack=twins, strategy="plausibility")


def test_a_benchmark_without_twins_has_no_such_page(twins, client):
    assert client.get("/leaderboard/craft/surprise/").status_code == 404
    section = ANALYSIS.section(ANALYSIS.view(BENCHMARKS["grasp"], {"level": "2"}))
    assert section.lines == []
    assert "No prediction model" in client.get("/leaderboard/grasp/surprise/").content.decode()


def likephys(pack):
    """What LikePhys' evaluator writes about clips of this pack, each under its clip's name or its item's id."""
    scenes = {}
    for number, item in enumerate(pack.items.order_by("pk")):
        name = item.public_id if number % 2 else item.clip.renditions.get().name.partition(".")[0]
        kind = "valid" if answer_to(item) == "yes" else "over_bounce"
        losses = surprises(item)
        info = {"loss": sum(losses) / len(losses), "loss_array": losses}
        scenes.setdefault(f"scene{number // 2}", {})[kind] = {f"{kind}_{name}.mp4": info}
    return json.dumps({"scene_evaluations": scenes, "misrank_metrics": {}}, indent=2)


def test_what_likephys_writes_is_the_same_upload(twins):
    report = lint(upload(likephys(twins).encode()), heads(twins))
    assert (report.ok, report.rows, list(report.problems)) == (True, 2 * PAIRS, [])
    run = submit(file=upload(likephys(twins).encode()), user=User.objects.create_user("bob"), header=heads(twins))
    Run.objects.filter(pk=run.pk).update(listing="listed")
    refresh()
    found = Standing.objects.get().overall["surprise"]["all"]
    assert (found["pairs"], found["relative_mean"]) == (PAIRS, 0.5)


@pytest.mark.parametrize(
    ("change", "what", "line"),
    [
        (lambda text: text.replace('"loss_array"', '"losses"', 1), "has no `loss_array`", 5),
        (lambda text: text.replace("valid_", "valid_x", 1), "no such item in this pack", 5),
        (lambda text: text.replace("0.25", "NaN", 1), "not a finite number", 5),
        (lambda text: text[:-20], "not a JSON document", None),
        (lambda text: '{"scene_evaluations": [1]}', "is no object", None),
    ],
)
def test_a_wrong_file_of_likephys_is_refused_with_its_line(twins, change, what, line):
    found = lint(upload(change(likephys(twins)).encode()), heads(twins)).problems[0]
    assert what in found.what
    assert line in (None, found.line)
