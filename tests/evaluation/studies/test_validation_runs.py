"""A referee is validated with known right answers and with irrelevant ones, in the form of Tables 4 to 6."""

import json
from itertools import product
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from benchmarks.commands import CallerMistake
from benchmarks.definitions.registry import BENCHMARKS
from evaluation.adapters.base import Reply
from evaluation.adapters.heuristics import ScriptedModel
from evaluation.models import Briefing, Cell, ModelResponse, Run
from evaluation.referees.agreement import agreements
from evaluation.referees.rubrics import RUBRICS
from evaluation.referees.scoring_runs import referee_run
from evaluation.referees.validation_samples import (
    POSITIVE,
    RANDOM,
    ReferenceItem,
    random_samples,
    reworded_by_rule,
    samples_of,
)
from evaluation.runs.lifecycle import start_run
from evaluation.studies.cost_estimate import estimate
from evaluation.studies.validation_report import Errors, validations
from evaluation.workers.loop import work
from tests.evaluation.fault_server import completion, raw, serving
from tests.factories import make_answer, make_item, make_model, make_pack, make_run

pytestmark = pytest.mark.usefixtures("nobody_else_works")
FACTS = {
    "automated": {"pattern": "Picture {} shows a cube.", "pred": "The cube is number {}."},
    "charades": {"captions": "1. Somebody holds thing {}.", "truth": "They put thing {} down."},
    "roboset": {"truth": "The arm puts cup {} on the plate.", "actions": "It grasps cup {}."},
}
LEVELS = {"automated": "1", "charades": "2", "roboset": "3"}


def known(dataset: str, count: int) -> list[ReferenceItem]:
    rubric = next(rubric for rubric in RUBRICS.values() if dataset in rubric.datasets)
    labels = {f"{dataset}{number:03}": f"Label {number} of {dataset}." for number in range(count)}
    return [ReferenceItem(key, dataset, rubric, label) for key, label in labels.items()]


def add_briefed_items(pack, dataset: str) -> None:
    """Five items of this data set whose answers a referee may be told."""
    facets = {"level": (LEVELS[dataset],), "test": (dataset,), "polarity": ()}
    values: dict[str, Any] = {"kind": "told", "answer_kind": "free", "options": [], "expected": None}
    for number in range(5):
        item = make_item(pack, key=f"{dataset}/{number}", facets=facets, **values)
        facts = {name: text.format(number) for name, text in FACTS[dataset].items()}
        Briefing.objects.create(item=item, facts=facts)


@pytest.fixture
def pack(db):
    pack = make_pack(benchmark="giraffe", name="known")
    for dataset in FACTS:
        add_briefed_items(pack, dataset)
    return pack


def judge(monkeypatch, verdict) -> None:
    """A referee with a scripted verdict: verdict(prompt) -> points, one per dimension."""

    def reply(self, request):
        prompt = request.turns[0].text
        asked = (one for one in RUBRICS.values() if prompt.startswith(one.prompt[:140]) and one.benchmark)
        rubric = next(asked, None)
        if rubric is None:
            return Reply("They put it down.")  # the judged model's own question
        points = verdict(prompt, rubric)
        lines = (f"{each.label}: score: {points[each.name]}. reason: 3 of 4." for each in rubric.dimensions)
        return Reply("\n".join(lines))

    monkeypatch.setattr(ScriptedModel, "_reply", reply)


def is_right(prompt: str, rubric) -> bool:
    """A careful reader's verdict: the answer contains the number of the gold label."""
    if rubric.name == "giraffe-sgae":
        gold, _, answer = prompt.rpartition("<P>: ")[2].partition("<A>: ")
        return gold.split()[1] == answer.replace("what I make of it is this: ", "").split("icture ")[1].split()[0]
    if rubric.name.startswith("giraffe-ppe"):
        return prompt.split("holds thing ")[1][0] == prompt.split("as: They put thing ")[1][0]
    truth = prompt.split("True Label: The arm puts cup ")[1][0]
    return f"this: the arm puts cup {truth}" in prompt


def careful(prompt, rubric):
    return {each.name: each.highest if is_right(prompt, rubric) else 0 for each in rubric.dimensions}


def validate(capsys, *options: str) -> dict:
    call_command("validate_referee", "judge", "--share", "1", "--json", *options)
    return json.loads(capsys.readouterr().out)


# --- samples ---


def test_sets_of_three_hold_the_right_answer_once_or_never_and_each_place_comes_up():
    every = [*known("roboset", 30), *known("clevrer", 10)]
    chosen = random_samples(every, share=1.0, seed=4)
    samples = list(samples_of(chosen, every, seed=4, reword=reworded_by_rule))
    assert len(samples) == 4 * 40
    gold = {each.draw_key: reworded_by_rule([each.gold])[0] for each in every}
    for sample in samples:
        lines = [line.partition(". ")[2] for line in sample.text.split("\n")]
        assert len(set(lines)) == 3
        assert (gold[sample.draw_key] in lines) == (sample.kind == POSITIVE)
        assert sample.place == (lines.index(gold[sample.draw_key]) + 1 if sample.kind == POSITIVE else 0)
    assert {sample.place for sample in samples} == {0, 1, 2, 3}


@pytest.mark.parametrize("dataset", ["automated", "activitynet"])
def test_one_positive_and_one_random_answer_an_item(dataset):
    every = known(dataset, 20)
    samples = list(samples_of(random_samples(every, share=0.15, seed=0), every, seed=0, reword=reworded_by_rule))
    assert [sample.kind for sample in samples] == [POSITIVE, RANDOM] * 3  # 15 % of 20
    for right, beside in zip(samples[::2], samples[1::2], strict=True):
        own = next(each.gold for each in every if each.draw_key == right.draw_key)
        assert own.lower() in right.text.lower()
        assert beside.text in {each.gold for each in every} - {own}


def test_the_same_seed_draws_the_same_samples_and_another_other_ones():
    every = known("automated", 40)

    def draw(seed):
        return list(samples_of(random_samples(every, share=0.5, seed=seed), every, seed=seed, reword=reworded_by_rule))

    assert draw(1) == draw(1) != draw(2)


def test_the_error_formula_gives_the_printed_accuracies():
    (table,) = (table for table in BENCHMARKS["giraffe"].tables if table.name == "table-6")
    for positive, negative, total, accuracy in (row.cells for row in table.rows):
        errors = Errors(int(positive), int(negative), int(total), 4 * int(total))
        # CLEVRER's 90.57 is printed as 90.5, cut and not rounded.
        assert 100 * errors.accuracy == pytest.approx(float(accuracy), abs=0.08)
    assert Errors(0, 0, 0, 0).accuracy is None


# --- the command ---


def test_a_careful_referee_passes_and_its_rows_may_be_listed(pack, capsys, monkeypatch):
    judge(monkeypatch, careful)
    referee = make_model(slug="judge", kind="scripted")
    run = make_run(pack, referee="judge", strategy="activity-text", condition="text", parser="enumerated")
    make_answer(run, pack.items.first(), "It grows.", score=0.4)
    assert not Run.objects.on_the_board().exists()
    told = validate(capsys, "--wait")
    assert (told["state"], told["problems"]) == ("finished", [])
    parts = {part["dataset"]: part for part in told["parts"]}
    assert set(parts) == {"automated", "charades", "roboset"}
    for part in parts.values():
        assert set(part["means"]["positive"].values()) == {1.0}
        assert set(part["means"]["random"].values()) == {0.0}
        assert part["separation"]["discriminates"]
    assert parts["roboset"]["errors"] == {"positive": 0, "negative": 0, "sets": 20, "accuracy": 1.0}
    assert parts["automated"]["scored"] == {"positive": 5, "random": 5}
    assert list(Run.objects.on_the_board()) == [run]
    (found,) = validations("giraffe")
    assert sum(of for _, of in found.places.values()) == 10
    assert validate(capsys, "--wait")["runs"] == told["runs"]
    assert referee.runs.count() == 2


def test_a_referee_that_takes_everything_is_seen_through(pack, capsys, monkeypatch):
    judge(monkeypatch, lambda prompt, rubric: {each.name: each.highest for each in rubric.dimensions})
    make_model(slug="judge", kind="scripted")
    parts = {part["dataset"]: part for part in validate(capsys, "--wait")["parts"]}
    for part in parts.values():
        low, high = part["separation"]["interval"]
        assert (part["separation"]["difference"], part["separation"]["discriminates"]) == (0.0, False)
        assert low < 0 < high, "a few equal sets are no certainty"
    call_command("validate_referee", "judge", "--share", "1")
    assert capsys.readouterr().out.count("does not discriminate") == 3
    assert parts["roboset"]["errors"] == {"positive": 0, "negative": 10, "sets": 20, "accuracy": 0.5}
    assert set(parts["automated"]["means"]["random"].values()) == {1.0}


def test_halves_of_two_sets_of_samples_are_no_validation(pack, capsys, monkeypatch):
    judge(monkeypatch, careful)
    make_model(slug="judge", kind="scripted")
    first, second = (validate(capsys, "--wait", "--seed", seed)["runs"] for seed in "01")
    run = make_run(pack, referee="judge", strategy="activity-text", condition="text", parser="enumerated")
    assert list(Run.objects.on_the_board()) == [run]
    assert [one.how["seed"] for one in validations("giraffe")] == [1]
    Run.objects.filter(pk__in=(first[0], second[1])).update(state="cancelled")
    assert not Run.objects.on_the_board().exists()
    assert validations("giraffe") == []


def test_a_referee_is_validated_on_each_pack(pack, capsys, monkeypatch):
    """Generated and prepared data are separate packs, and Tables 4 to 6 are about both."""
    judge(monkeypatch, careful)
    make_model(slug="judge", kind="scripted")
    pack.items.exclude(facets__value="automated").delete()
    add_briefed_items(make_pack(benchmark="giraffe", name="prepared"), "roboset")
    for name, dataset in (("known", "automated"), ("prepared", "roboset"), ("known", "automated")):
        assert [part["dataset"] for part in validate(capsys, "--wait", "--pack", name)["parts"]] == [dataset]
    found = [(one.pack, [part.dataset for part in one.parts]) for one in validations("giraffe")]
    assert found == [("known", ["automated"]), ("prepared", ["roboset"])]


def test_unscored_samples_are_counted_and_left_out(pack, capsys, monkeypatch):
    monkeypatch.setattr(ScriptedModel, "_reply", lambda self, request: Reply("It is fine."))
    make_model(slug="judge", kind="scripted")
    for part in validate(capsys, "--wait")["parts"]:
        assert part["means"] == {"positive": {}, "random": {}}
        assert part["unscored"] == (20 if part["dataset"] == "roboset" else 10)


def test_a_command_that_is_repeated_tells_of_its_own_share(pack, capsys, monkeypatch):
    judge(monkeypatch, careful)
    make_model(slug="judge", kind="scripted")
    whole = validate(capsys, "--wait")
    half = validate(capsys, "--wait", "--share", "0.5")
    assert validate(capsys, "--wait") == whole
    assert [part["items"] for part in half["parts"]] < [part["items"] for part in whole["parts"]]


def test_an_estimate_asks_nothing_and_says_what_is_not_measured(pack, capsys, monkeypatch):
    make_model(slug="judge", kind="scripted")
    call_command("validate_referee", "judge", "--share", "1", "--estimate")
    said = capsys.readouterr().out
    assert "40 samples to score; nothing was asked" in said
    assert "time: not measured; cost: not measured" in said
    assert not Run.objects.filter(kind="referee").exists()


def test_an_estimate_goes_by_the_referees_own_work(pack):
    referee = make_model(slug="judge", kind="scripted")
    judged = make_run(pack, strategy="activity-text", parser="enumerated")
    for item, seed in product(pack.items.all()[:2], (0, 1, 2)):
        make_answer(judged, item, "It grows.", seed=seed)
    stage = make_run(pack, model=referee, kind="referee", judged=judged, strategy="referee", state="running")
    Cell.objects.bulk_create(Cell(run=stage, item=item, seed=0) for item in pack.items.all()[:2])
    before = make_run(pack, parser="enumerated")
    make_run(
        pack,
        model=referee,
        kind="referee",
        judged=before,
        strategy="referee",
        card={"items_a_minute": 60.0, "usage": {"requests": 10, "tokens_in": 5000, "tokens_out": 800, "cost": 0.1}},
    )
    found = estimate(judged=judged, referee=referee)
    assert (found.replies, found.tokens_in, found.tokens_out, found.is_counted) == (4, 2000, 320, True)
    assert (found.seconds, found.cost) == (4.0, pytest.approx(0.04))


def test_a_referee_with_a_wrong_address_is_mended_and_goes_on_where_it_failed(pack, capsys):
    """A failed first attempt, then `add_model` and the same command: every sample is scored once."""

    def add(address: str) -> None:
        call_command("add_model", "judge", kind="openai", option=[f"base_url={address}", "model=tiny", "attempts=1"])

    def verdict(handler) -> None:
        rubric = next(
            each for each in RUBRICS.values() if each.benchmark and handler.said.startswith(each.prompt[:140])
        )
        points = careful(handler.said, rubric)
        handler.send(completion("\n".join(f"{each.label}: score: {points[each.name]}." for each in rubric.dimensions)))

    with serving(raw({"error": {"message": "no such place"}}, 404)) as wrong:
        add(wrong.base_url)
        with pytest.raises(CommandError, match="no such place"):
            call_command("validate_referee", "judge", "--share", "1", "--wait")
    said = capsys.readouterr().out
    assert "judge: failed; 40 samples are not scored yet" in said
    assert "next: benchsite validate_referee judge --share 1 --wait" in said
    with serving(verdict) as server:
        add(server.base_url)
        capsys.readouterr()
        told = validate(capsys, "--wait")
        assert (told["state"], told["missing"], len(server.seen)) == ("finished", 0, 40)
        assert told["next"].endswith("--benchmark giraffe --strategy NAME --referee judge --wait")
        assert validate(capsys, "--wait") == told
        assert len(server.seen) == 40


def test_a_mistake_is_one_line_and_writes_nothing(pack):
    make_model(slug="judge", kind="scripted")
    make_item(make_pack(benchmark="giraffe", name="dumb"), answer_kind="free", facets={"test": ("charades",)})
    for option, value, words in (
        ("--share", "0", "share 0: above 0 and at most 1"),
        ("--pack", "nowhere", "nowhere"),
        ("--paraphraser", "nobody", "nobody"),
        ("--pack", "dumb", "has no item that a referee can be told the answer of"),
    ):
        with pytest.raises(CallerMistake, match=words):
            call_command("validate_referee", "judge", option, value)
    assert not Run.objects.exists()


def test_a_model_puts_labels_in_other_words(pack, capsys):
    make_model(slug="judge", kind="scripted")
    make_model(slug="poet", kind="scripted", options={"default": "In other words."})
    validate(capsys, "--paraphraser", "poet")
    positive = ModelResponse.objects.filter(cell__run__model__slug="reference-positive")
    assert positive.filter(raw="In other words.").count() == 5
    assert positive.filter(raw__contains="In other words.").count() == 15  # and in the sets of three


# --- several referees ---


def test_two_referees_of_the_same_replies_are_compared(pack, monkeypatch):
    points = {"one": {"plausibility": 5, "specificity": 3, "diversity": 0}}
    judge(monkeypatch, lambda prompt, rubric: points["one"])
    first, second = (make_model(slug=slug, kind="scripted") for slug in ("one", "two"))
    how = {"model": make_model(kind="scripted"), "pack": pack, "strategy": "activity-text"}
    run = start_run(**how, referee=first, only={"test": ["charades"]})
    work()
    run.refresh_from_db()
    points["one"] = {"plausibility": 5, "specificity": 1, "diversity": 0}
    referee_run(run=run, referee=second)
    work()
    found = {one.dimension: one for one in agreements("giraffe")}
    wanted = {"plausibility": (5, 1.0, 0.0), "specificity": (5, 0.0, 0.4), "diversity": (5, 1.0, 0.0)}
    assert {name: (one.n, one.same, round(one.difference, 6)) for name, one in found.items()} == wanted
    assert (found["plausibility"].first, found["plausibility"].second) == ("one", "two")
