"""A referee scores a reply once, on every dimension or on none; unparsed referee replies are never guessed."""

import json

import pytest
from django.core.management import call_command
from django.test import Client

from benchmarks.commands import CallerMistake
from evaluation.adapters.base import Reply
from evaluation.adapters.heuristics import ScriptedModel
from evaluation.adapters.openai import limits
from evaluation.errors import RunMisused
from evaluation.models import Briefing, Model, ModelResponse, Reading, Run, Score
from evaluation.queue.shards import count_again
from evaluation.referees.parse import VERSION
from evaluation.referees.rubric_selection import rubric_of
from evaluation.referees.rubrics import ANSWER, RUBRICS
from evaluation.referees.scoring_runs import referee_run
from evaluation.runs.completion import settle
from evaluation.runs.lifecycle import cancel_run, resume_run, start_run
from evaluation.runs.results import computed
from evaluation.workers import refereeing
from evaluation.workers.loop import answer_shards, sweep, warm_model, work, work_on
from evaluation.workers.rereading import find_parser, read_again, read_verdicts_again
from tests.evaluation.fault_server import raw, serving
from tests.factories import make_item, make_model, make_pack, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_else_works")]

GOOD, BAD = "Accuracy: score: 1. reason: the same.", "Accuracy: score: 0. reason: another thing."


def scripted(slug: str = "", **options) -> Model:
    return make_model(kind="scripted", options=options, **({"slug": slug} if slug else {}))


def judged(pack, *, referee: Model | None, count: int = 3, **options) -> Run:
    for _ in range(count - pack.items.count()):
        make_item(pack)
    rubric = "expected-match" if referee else ""
    return asked(scripted(**options), pack, referee=referee, rubric=rubric)


def asked(model: Model, pack, **values) -> Run:
    return start_run(model=model, pack=pack, strategy="binary", condition="question-only", **values)


def worked(run: Run) -> Run:
    """The run, after the work on all that waits."""
    work()
    run.refresh_from_db()
    return run


def scored(pack, **options) -> Run:
    """A run whose replies a referee has found good."""
    return worked(judged(pack, referee=scripted("judge", default=GOOD), **options))


def points(run: Run) -> dict[str, float]:
    rows = Score.objects.filter(reading__response__cell__run=run, referee=run.referee)
    return dict(rows.values_list("reading__response__cell__item__public_id", "value"))


# --- parsing referee replies ---


SGAE, CLEVRER, PPE = (RUBRICS[f"giraffe-{name}"] for name in ("sgae", "mgae-clevrer", "ppe-charades"))


def test_prompts_are_the_printed_ones_and_every_slot_is_filled_once():
    for rubric in RUBRICS.values():
        facts = {fact: f"<{fact} {{answer}}>" for fact in (*rubric.facts, ANSWER)}
        filled = rubric.fill(facts)
        for fact in facts.values():
            assert filled.count(fact) == 1, rubric.name
        assert all("{" + slot + "}" not in filled.replace("{answer}>", "") for slot in rubric.slots)
    assert "Hello GPT,\n\nAs an experienced evaluator" in PPE.prompt
    assert "All scores should be 0 points. Because it only confirms prior information." in SGAE.prompt
    assert [each.label for each in CLEVRER.dimensions] == ["Specificity", "Logical Consistency", "Accuracy"]
    assert [each.highest for each in CLEVRER.dimensions] == [5, 5, 1]


# --- the stage ---


def test_a_run_with_a_referee_ends_when_its_answers_are_scored(pack, monkeypatch):
    leases = []
    monkeypatch.setattr(ScriptedModel, "ask_under", lambda self, signs: leases.append(signs.row.run_id), raising=False)
    referee = scripted("judge", default=GOOD)
    run = judged(pack, referee=referee, default="Yes, it is.")
    items = list(pack.items.values_list("public_id", flat=True))
    Model.objects.filter(pk=referee.pk).update(options={"default": GOOD, "replies": {items[0]: BAD}})
    work_on(run.pk)
    run.refresh_from_db()
    stage = run.refereeings.get()
    assert (run.state, run.code, stage.state, stage.kind) == ("finished", "", "finished", "referee")
    assert leases == [run.pk, stage.pk]
    assert points(run) == {items[0]: 0.0, items[1]: 1.0, items[2]: 1.0}
    assert set(Score.objects.values_list("dimension", "referee")) == {("accuracy", "judge")}  # none by rule
    said = ModelResponse.objects.filter(cell__run=stage).earliest("pk")
    assert "Model's answer: Yes, it is." in said.turns[0]["text"]
    assert run.card["referee"]["rubrics"]["expected-match"]["sha256"] == RUBRICS["expected-match"].sha256
    assert list(Run.objects.on_the_board()) == [run]


def test_a_reply_that_can_not_be_read_is_asked_for_again_and_then_left_unscored(pack, client, monkeypatch):
    asked, reply = [], ScriptedModel._reply
    run = judged(pack, referee=scripted("judge", default="I would say it is quite good."), count=1)
    monkeypatch.setattr(ScriptedModel, "_reply", lambda self, request: asked.append(request) or reply(self, request))
    worked(run)
    stage = run.refereeings.get()
    tries = asked[1:]
    assert len({request.seed for request in tries}) == len(tries) == 3
    assert [request.temperature for request in tries] == [0.0, 0.7, 0.7]
    assert (run.state, stage.state, points(run)) == ("finished", "finished", {})
    assert Reading.objects.get(response__cell__run=stage).problem == "unscored"
    read_verdicts_again(stage=stage)
    assert stage.cells.get().reason == "no score for Accuracy (3 tries)"
    assert client.get(f"{run.get_absolute_url()}card.json").json()["unscored"] == 1
    assert "1 left unscored" in client.get(run.get_absolute_url()).content.decode()


def test_a_second_try_that_can_be_read_counts(pack, monkeypatch):
    run = judged(pack, referee=scripted("judge"), count=1)
    second = Reply(GOOD, thoughts=("Hm.", "The same."))
    monkeypatch.setattr(ScriptedModel, "_reply", lambda self, request: second if request.temperature else Reply("Hm."))
    worked(run)
    assert set(points(run).values()) == {1.0}
    verdict = ModelResponse.objects.get(cell__run__kind="referee")
    assert (verdict.thoughts, verdict.turns[1]["thoughts"]) == ("The same.", "The same.")
    assert verdict.turns[0] | {"text": ""} == {"role": "user", "text": "", "frames": 0, "try": 2}


def test_a_reply_without_facts_for_its_rubric_fails_with_the_reason_and_the_others_are_scored(pack, monkeypatch):
    items = [make_item(pack) for _ in range(3)]
    known = refereeing.facts_of

    def facts_of(item, rubric):
        if item == items[0]:
            raise RunMisused("it has no briefing")
        return known(item, rubric)

    monkeypatch.setattr(refereeing, "facts_of", facts_of)
    run = worked(judged(pack, referee=scripted("judge", default=GOOD)))
    cells = run.refereeings.get().cells.order_by("item__public_id").values_list("state", "reason")
    assert list(cells) == [("failed", "it has no briefing"), ("answered", ""), ("answered", "")]
    assert len(points(run)) == 2


@pytest.mark.parametrize("resumed", ["the run", "its refereeing"])
def test_a_referee_that_breaks_fails_the_run_in_words_and_resume_scores_what_is_missing(pack, resumed):
    items = [make_item(pack) for _ in range(3)]
    referee = scripted("judge", default=GOOD, errors={items[1].public_id: "the referee refused"})
    run = worked(judged(pack, referee=referee))
    assert (run.state, run.code) == ("failed", "unscored")
    assert "the referee judge failed: 1 of 3 questions could not be asked" in run.reason
    assert "the referee refused" in run.reason
    before = set(Score.objects.values_list("pk", flat=True))
    assert not Run.objects.on_the_board().exists()

    Model.objects.filter(pk=referee.pk).update(options={"default": GOOD})
    assert resume_run(run=run if resumed == "the run" else run.refereeings.get()) == 1
    worked(run)
    assert (run.state, run.code, len(points(run))) == ("finished", "", 3)
    assert before < set(Score.objects.values_list("pk", flat=True))


def test_a_referee_that_dies_in_mid_shard_is_taken_over_and_nothing_is_scored_twice(pack, monkeypatch):
    run = judged(pack, referee=scripted("judge", default=GOOD), count=5)
    reply, said = ScriptedModel._reply, []

    def dies_at_the_third(self, request):
        said.append(request)
        if len(said) == 8:
            raise SystemExit("killed")
        return reply(self, request)

    monkeypatch.setattr(ScriptedModel, "_reply", dies_at_the_third)
    with pytest.raises(SystemExit):
        work()
    stage = run.refereeings.get()
    assert (run.state, len(points(run)), stage.shards.get().state) == ("queued", 2, "leased")
    kept = set(Score.objects.values_list("pk", flat=True))
    stage.shards.update(lease_until="2000-01-01T00:00Z")
    sweep()
    worked(run)
    assert (run.state, len(points(run)), Score.objects.count()) == ("finished", 5, 5)
    assert kept <= set(Score.objects.values_list("pk", flat=True))
    assert stage.shards.get().attempts == 2


def test_a_finished_run_can_be_scored_afterwards_and_by_a_second_referee(pack, client):
    run = judged(pack, referee=None, default="yes")
    work()
    assert outcome(run) == 1.0
    first, second = scripted("first", default=BAD), scripted("second", default=GOOD)
    referee_run(run=run, referee=first, rubric="expected-match")
    assert outcome(run) == 1.0  # until all is scored
    worked(run)
    assert (run.referee, run.rubric, run.state) == ("first", "expected-match", "finished")
    referee_run(run=run, referee=second, rubric="expected-match")
    worked(run)
    assert (run.referee, outcome(run), Score.objects.count()) == ("first", 0.0, 9)
    assert "Also scored by" in client.get(run.get_absolute_url()).content.decode()
    with pytest.raises(RunMisused, match="is scored by first under expected-match"):
        referee_run(run=run, referee=first, rubric="giraffe-sgae")


def outcome(run: Run) -> float | None:
    run.refresh_from_db()
    return computed(run).overall.accuracy


def test_a_referee_server_that_is_down_lets_the_scoring_rest_and_keeps_the_answers(pack, staff, monkeypatch):
    monkeypatch.setattr(limits, "FIRST_WAIT", 0.004)
    with serving(raw(b"busy", 503)) as server:
        options = {"base_url": server.base_url, "model": "tiny", "attempts": 2, "timeout": 30}
        run = judged(pack, referee=make_model(slug="hosted", kind="openai", options=options))
        work()
    run.refresh_from_db()
    stage = run.refereeings.get()
    assert (run.state, stage.state, stage.code) == ("running", "running", "model-busy")
    assert "answered 503" in stage.reason
    assert "answered 503" in staff.get(run.get_absolute_url()).content.decode()
    assert "answered 503" not in Client().get(run.get_absolute_url()).content.decode()
    assert run.cells.filter(state="answered").count() == 3


def test_answers_that_come_later_are_scored_when_the_run_goes_on(pack):
    items = [make_item(pack) for _ in range(3)]
    run = worked(judged(pack, referee=None, errors={items[0].public_id: "too long"}))
    stage = referee_run(run=run, referee=scripted("judge", default=GOOD), rubric="expected-match")
    worked(run)
    assert (run.state, stage.cells.count()) == ("failed", 2)
    Model.objects.filter(pk=run.model_id).update(options={})
    resume_run(run=run)
    worked(run)
    stage.refresh_from_db()
    assert (run.state, stage.state, stage.cells.count(), len(points(run))) == ("finished", "finished", 3, 3)


def test_cancelling_stops_the_referee_too(pack):
    run = judged(pack, referee=scripted("judge", default=GOOD))
    work_on_answers_alone(run)
    assert run.refereeings.get().state == "queued"
    assert cancel_run(run=run)
    assert run.refereeings.get().state == "cancelled"
    work()
    assert points(run) == {}
    assert resume_run(run=run) == 3
    worked(run)
    assert (run.state, len(points(run))) == ("finished", 3)


def work_on_answers_alone(run: Run) -> None:
    """Answer the questions, and stop before the refereeing."""
    answer_shards(run=Run.objects.select_related("model", "pack").get(pk=run.pk), adapter=warm_model(run.model)[0])
    settle(run.pk)
    run.refresh_from_db()


def test_a_new_reading_keeps_the_referees_points(pack):
    run, other = scored(pack), make_run(pack)
    run.shards.update(problems={"unread": 9})
    read_again(run=run, parser=find_parser(run, "grasp-official"))
    other.refresh_from_db()
    assert (outcome(run), run.shards.get().problems, other.parser) == (1.0, {}, "grasp-paper")
    assert Score.objects.filter(reading__parser="grasp-official", referee="judge").count() == 3


def test_a_refereeing_is_read_again_under_a_new_version_and_its_old_readings_stay(pack, capsys):
    run = scored(pack)
    stage, other = run.refereeings.get(), make_run(pack)
    as_an_earlier_version_read_it(stage)
    versions = dict(Run.objects.values_list("pk", "answers_version"))
    before = list(Reading.objects.order_by("pk").values())
    facts = reread(capsys, stage)
    assert (facts["parser"], facts["moved"], len(facts["changes"])) == ("referee-scores", 3, 3)
    assert {(each["before"], each["after"]) for each in facts["changes"]} == {("(unscored)", "accuracy 1")}
    assert list(Reading.objects.order_by("pk").values()) == before
    assert points(stage.judged) == {}

    reread(capsys, stage, "--apply")
    assert list(Reading.objects.order_by("pk").values())[: len(before)] == before
    assert set(points(stage.judged).values()) == {1.0}
    assert outcome(run) == 1.0
    found = Run.objects.values_list("pk", "answers_version")
    assert {pk: version - versions[pk] for pk, version in found} == {run.pk: 1, stage.pk: 1, other.pk: 0}
    stage.refresh_from_db(), other.refresh_from_db()
    assert (run.parser_version, other.parser_version) == ("2", "2")
    assert (stage.parser_version, set(stage.cells.values_list("reason", flat=True))) == (VERSION, {""})
    assert stage.shards.get().problems == {}
    assert reread(capsys, stage)["changes"] == []


def reread(capsys, stage: Run, *options: str) -> dict:
    capsys.readouterr()
    call_command("change_run", "reread", str(stage.pk), "--json", *options)
    return json.loads(capsys.readouterr().out)


def as_an_earlier_version_read_it(stage: Run) -> None:
    """A parser version 0 that reads none of the referee's replies."""
    Reading.objects.filter(response__cell__run=stage).update(version="0", answer="", problem="unscored")
    Run.objects.filter(pk=stage.pk).update(parser_version="0")
    Score.objects.filter(referee=stage.model.slug).delete()
    stage.cells.update(reason="no score for Accuracy (3 tries)")
    stage.refresh_from_db()
    count_again(stage)


def test_points_that_a_new_version_can_not_read_count_no_more_and_a_refereeing_has_one_parser(pack, capsys):
    run = scored(pack, count=1)
    stage = run.refereeings.get()
    ModelResponse.objects.filter(cell__run=stage).update(raw="Accuracy: 3-4.")
    reread(capsys, stage, "--apply")
    assert points(stage.judged) == {}
    assert stage.cells.get().reason.startswith("no score for Accuracy that can be read")
    assert run.cells.get().reason == ""
    with pytest.raises(CallerMistake, match="read by referee-scores alone, not by 'grasp-official'"):
        call_command("change_run", "reread", str(stage.pk), "--parser", "grasp-official")


# --- references of a rubric ---


def test_a_referee_that_can_not_score_is_refused_and_nothing_is_written(pack):
    make_item(pack)
    by_rule = "grasp is scored by rule: leave the referee out, or name a rubric: giraffe-sgae"
    for kind, rubric, words in (
        ("scripted", "", by_rule),
        ("scripted", "taste", "there is no rubric 'taste'"),
        ("scripted", "giraffe-sgae", "needs pattern, pred; see import_benchmark --briefings"),
        ("uploaded", "expected-match", "can't be asked here"),
    ):
        with pytest.raises(RunMisused, match=words):
            asked(scripted(), pack, referee=make_model(kind=kind), rubric=rubric)
    assert not Run.objects.exists()


def test_each_data_set_of_giraffe_has_its_rubric_and_an_unknown_one_none(db):
    rubrics = dict.fromkeys(("human-made", "automated"), "giraffe-sgae")
    rubrics |= {name: f"giraffe-ppe-{name}" for name in ("activitynet", "charades")}
    rubrics |= {name: f"giraffe-mgae-{name}" for name in ("clevrer", "roboset")}
    pack = make_pack(benchmark="giraffe")
    for test, rubric in rubrics.items():
        item = make_item(pack, facets={"test": (test,)})
        assert rubric_of(item, "").name == rubric
        assert rubric_of(item, "expected-match").name == "expected-match"
    with pytest.raises(RunMisused, match="no rubric is for its test"):
        rubric_of(make_item(pack, facets={"test": ("soup",)}), "")


def test_briefings_fill_the_slots(pack, tmp_path, capsys):
    item = make_item(pack)
    file = tmp_path / "briefings.jsonl"
    file.write_text(json.dumps({"item": item.public_id, "pattern": "It shrinks.", "pred": "It will be smaller."}))
    call_command("import_benchmark", "--briefings", "grasp", str(file), "--json")
    assert json.loads(capsys.readouterr().out)["briefings"] == 1
    verdict = "1. LogicalConsistency: score: 4. 2. Accuracy: score: 5. 3. Specificity: score: 3."
    judge = scripted("judge", default=verdict)
    run = worked(asked(scripted(default="Smaller."), pack, referee=judge, rubric="giraffe-sgae"))
    prompt = ModelResponse.objects.get(cell__run__judged=run).turns[0]["text"]
    assert prompt.endswith("<P>: It shrinks. It will be smaller.\n\n<A>: Smaller.\n")
    scores = dict(Score.objects.values_list("dimension", "value"))
    assert scores == {"logical-consistency": 0.8, "accuracy": 1.0, "specificity": 0.6}
    assert outcome(run) == pytest.approx(0.8)


def test_a_bad_line_of_briefings_is_named_and_nothing_is_kept(pack, tmp_path):
    item = make_item(pack)
    file = tmp_path / "briefings.jsonl"
    for line, words in (
        ("{", "line 2: no JSON"),
        ('{"item": "x"}', "line 2: write"),
        ('{"item": "x", "patern": "It shrinks."}', "there is no fact 'patern'; there is: pattern, pred"),
        ('{"item": "x", "pattern": 7}', "line 2: pattern has to be a text"),
        ('{"item": "nobody", "pattern": "It shrinks."}', "has no item nobody"),
    ):
        file.write_text(f'{{"item": "{item.public_id}", "pattern": "It grows."}}\n{line}\n')
        with pytest.raises(CallerMistake, match=words):
            call_command("import_benchmark", "--briefings", "grasp", str(file))
    assert not Briefing.objects.exists()


def test_the_command_scores_a_finished_run(pack, capsys):
    run = worked(judged(pack, referee=None))
    make_model(slug="judge", kind="scripted", options={"default": GOOD})
    how = ("--referee", "judge", "--rubric", "expected-match", "--wait", "--json")
    call_command("change_run", "referee", str(run.pk), *how)
    facts = json.loads(capsys.readouterr().out)
    assert (facts["state"], facts["cells"], facts["answered"]) == ("finished", 3, 3)
    assert outcome(run) == 1.0
    make_model(slug="silent", kind="scripted", options={"default": "Hm."})
    call_command("change_run", "referee", str(run.pk), "--referee", "silent", *how[2:-1])
    assert "finished: 0 replies scored, 3 unscored, 0 errors" in capsys.readouterr().out


def test_what_quotes_the_expected_answers_is_for_staff_alone_and_out_of_sight_with_its_run(
    pack, client, django_user_model
):
    owner = django_user_model.objects.create_user("owner")
    run = scored(pack)
    Run.objects.update(owner=owner)
    address = run.refereeings.get().get_absolute_url()
    client.force_login(owner)
    said = client.get(address).content.decode()
    assert "Expected answer: yes" not in said
    assert "staff alone can read it" in said
    client.force_login(django_user_model.objects.create_superuser("boss"))
    assert "Expected answer: yes" in client.get(address).content.decode()
    client.logout()
    assert client.get(address).status_code == 200
    Run.objects.filter(pk=run.pk).update(listing="private")
    assert client.get(address).status_code == 404
