"""Wordings of the definitions: each differs, keeps the question, and its answers are parsed correctly."""

import pytest

from benchmarks.definitions.papers.craft import prompt
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.definitions.wordings import AS_WRITTEN
from benchmarks.models import ItemMedia
from evaluation.errors import RunMisused
from evaluation.models import ModelResponse
from evaluation.prompting.requests import Asking
from evaluation.prompting.strategies import STRATEGIES, Say, reworded
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work
from tests.factories import make_clip, make_item, make_model, make_pack

REWORDED = [
    (slug, one)
    for slug in ("grasp", "craft", "pacs", "tapped", "giraffe")
    for one in BENCHMARKS[slug].strategies
    if one.wordings
]
PROMPTS = {
    "binary": "The ball on the table is red. Is this true? Answer only with yes or no.",
    "plausibility": "Given how objects behave on earth, is the ball's path plausible? Your answer should be"
    " based on the events in the video and ignore the quality of the simulation. Answer only with yes or no.",
    "text": "Is the following scenario physically plausible? Do not assume that mechanisms or forces are at play other"
    " than the ones described in the text. Answer only with yes or no.\nA sphere rolls.",
    "question": "Will it end?\nAnswer with one word: true or false.",
    "pair": "Which would float?\nAnswer with Object 1 or Object 2.",
    "material": "Which is wood?\nAnswer with Object 1 or Object 2.",
    "choice": "Which of the four is the next image of the sequence? Answer with A, B, C or D.",
}


@pytest.mark.parametrize(("slug", "strategy"), REWORDED, ids=lambda one: getattr(one, "name", one))
def test_every_wording_differs_and_the_first_is_as_written(slug, strategy):
    (kind,) = strategy.kinds
    asked = [(one.of(PROMPTS[kind]), one.rotated) for one in strategy.wordings]
    assert strategy.wordings[0] is AS_WRITTEN
    assert asked[0] == (PROMPTS[kind], 0)
    assert len({*asked}) == len(asked) >= 4
    assert len({one.name for one in strategy.wordings}) == len(asked)
    assert all(one.ours for one in strategy.wordings[1:])


def test_craft_has_wordings_for_every_kind_of_answer():
    for kind in ("Boolean", "Shape", "Color", "Count"):
        texts = {one.of(prompt("Is it?", kind)) for one in BENCHMARKS["craft"].strategy("craft-wordings").wordings}
        assert len(texts) == 4
        assert all(text.startswith("Is it?\n") for text in texts)


def test_moved_pictures_are_read_as_the_pictures_that_were_meant():
    offered = [Say(f"Picture {letter}:") for letter in "ABCD"]
    shown = [Say("", clip=f"choice {place}") for place in range(4)]
    talk = tuple(part for pair in zip(offered, shown, strict=True) for part in pair)
    letters = ("a", "b", "c", "d")
    for wording in BENCHMARKS["giraffe"].strategy("patterns-choice-wordings").wordings:
        moved = [part.clip for part in reworded(talk, wording) if part.clip]
        assert sorted(moved) == [f"choice {place}" for place in range(4)]
        for place, letter in enumerate(letters):
            assert moved[place] == f"choice {letters.index(wording.option_meant(letter, letters))}"
    assert wording.option_meant(None, letters) is None


@pytest.mark.django_db
def test_a_run_asks_each_question_in_every_wording_and_reads_the_pictures_back():
    """A model that always answers A means another picture in each wording, since the pictures rotate."""
    pack = make_pack(benchmark="giraffe")
    values = {"kind": "choice", "options": [*"abcd"], "expected": "c", "answer_kind": "label"}
    item = make_item(pack, text=PROMPTS["choice"], facets={"level": ("4",), "split": ("all",)}, **values)
    clip, shown = make_clip(pack), (("image", 0), *(("choice", place) for place in range(4)))
    ItemMedia.objects.bulk_create(ItemMedia(item=item, clip=clip, role=role, position=at) for role, at in shown)
    model = make_model(kind="scripted", options={"default": "A"})
    run = start_run(model=model, pack=pack, strategy="patterns-choice-wordings", condition="question-only")
    assert run.seeds == [0, 1, 2, 3, 4]
    work()
    run.refresh_from_db()
    assert (run.state, run.reason) == ("finished", "")
    responses = ModelResponse.objects.order_by("cell__seed")
    read = responses.values_list("readings__answer", "readings__scores__value")
    assert list(read) == [("a", 0.0), ("b", 0.0), ("c", 1.0), ("d", 0.0), ("a", 0.0)]
    texts = [turns[-2]["text"] for turns in responses.values_list("turns", flat=True)]
    assert texts[:4] == [PROMPTS["choice"]] * 4
    assert "single letter" in texts[4]


OFF, SOMETIMES, NONE = ({"thinking": thinking} for thinking in ("off", "sometimes", "0"))
IMPOSSIBLE = [
    ("binary-wordings", "scripted", {"seeds": (3, 9)}, "the numbers of its wordings: two or more of 0 to 4"),
    ("binary-wordings", "scripted", {"seeds": (2,)}, "two or more of 0 to 4"),
    ("binary-constrained", "random", {}, "models of kind random can't be held to the options"),
    ("binary-constrained", "openai", {}, "say by the option choice_as"),
    ("binary", "random", {"sampling": OFF}, "thinking can't be set for models of kind random"),
    ("binary", "openai", {"sampling": OFF}, "say by the option thinking_as"),
    ("binary", "transformers", {"sampling": SOMETIMES}, "on, off, or the most tokens"),
    ("binary", "transformers", {"sampling": NONE}, "1 to 131072"),
]


@pytest.mark.django_db
def test_what_can_not_be_asked_is_one_sentence():
    pack = make_pack()
    make_item(pack)
    for strategy, kind, how, sentence in IMPOSSIBLE:
        with pytest.raises(RunMisused, match=sentence):
            start_run(model=make_model(kind=kind), pack=pack, strategy=strategy, condition="question-only", **how)


@pytest.mark.django_db
def test_runs_that_differ_in_thinking_are_never_one_row():
    pack = make_pack()
    make_item(pack)
    model = make_model(kind="transformers", options={"path": "x"})
    how = {"model": model, "pack": pack, "strategy": "binary", "condition": "question-only"}
    settings = [{}, {"thinking": "on"}, {"thinking": "off"}, {"thinking": "512"}, {"thinking": 512}]
    runs = [start_run(**how, sampling=one) for one in settings]
    assert len({run.identity for run in runs}) == 4
    asked = [Asking(run).question(run.cells.get()).request.thinking for run in runs]
    assert asked == [None, True, False, 512, 512]
    assert STRATEGIES["binary-constrained"].constrained
