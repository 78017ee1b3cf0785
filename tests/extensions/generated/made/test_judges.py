import tomllib
from statistics import fmean

import pytest

from evaluation.adapters.base import Request, Turn
from evaluation.errors import ModelMisused
from evaluation.models import ModelRole
from evaluation.runs.add_model import check_options
from extensions.generated.made.generators import GENERATORS
from extensions.generated.made.judges import JUDGES, KIND, MadeJudge, ensure_judges
from extensions.generated.models import Generator, PromptPack
from tests.extensions.generated.rating.rounds import TOML, make_round, name_generators

pytestmark = pytest.mark.django_db
DIMENSIONS = {record["name"]: record for record in tomllib.loads(TOML)["dimensions"]}
MADE = {"s1": "Faults in 60 % (simulated)", "s2": "Perfect (simulated)", "s3": "Ugly but right (simulated)"}
PAIR = "Which is better, a or b?"


@pytest.fixture
def pack():
    """A round of three generators, of which the first breaks everywhere."""
    pack, clips = make_round(sets=3, prompts=10)
    truth = {"kind": "falls", "onset": 1.0, "visible_from": 1.0, "severity": 3}
    name_generators(pack, clips, lambda code, prompt: truth | {"is_broken": code == "s1"})
    PromptPack.objects.update(definition=list(DIMENSIONS.values()))
    for code, title in MADE.items():
        Generator.objects.filter(slug=f"maker-{code}").update(title=title)
    return pack


def answers(pack, defect, code, question, *, page=1, seed=1):
    """The judge's answers about a set, or about pairs such as s1-s2."""
    items = pack.items.filter(facets__value=f"{code}.1" if "-" in code else f"{code}.1.{page}").exclude(kind="break")
    requests = [Request((Turn(question),), key=item.public_id, seed=seed * number) for number, item in enumerate(items)]
    replies = list(MadeJudge(defect=defect).answer(requests))
    assert [reply.error for reply in replies] == [""] * 10
    return [reply.text for reply in replies]


def steps(pack, defect, code, name="PC", **how):
    page = 2 if DIMENSIONS[name].get("shows_prompt") else 1
    return [int(text) for text in answers(pack, defect, code, DIMENSIONS[name]["question"], page=page, **how)]


def test_names_of_generators_are_those_of_the_cards():
    assert set(MADE.values()) <= {made.name for made in GENERATORS}


def test_a_good_judge_follows_the_truth_and_is_steady(pack):
    broken, whole = steps(pack, "none", "s1"), steps(pack, "none", "s2")
    assert fmean(broken) < fmean(whole) - 1.5
    assert steps(pack, "none", "s1", seed=7) == broken
    assert fmean(steps(pack, "none", "s1", "SA")) > fmean(broken) + 1
    assert set(answers(pack, "none", "s1-s2", PAIR)) == {"b"}
    assert set(answers(pack, "none", "s2-s1", PAIR)) == {"a"}


def test_each_judge_has_its_defect_and_no_other(pack):
    whole = {code: fmean(steps(pack, "none", code)) for code in MADE}
    assert steps(pack, "constant", "s1") == [5] * 10
    assert answers(pack, "empty", "s1", DIMENSIONS["PC"]["question"]) == [""] * 10
    assert fmean(steps(pack, "pretty", "s3")) < whole["s3"] - 1
    assert fmean(steps(pack, "pretty", "s2")) == pytest.approx(whole["s2"], abs=0.3)
    assert set(answers(pack, "order", "s1-s2", PAIR) + answers(pack, "order", "s2-s1", PAIR)) == {"a"}
    assert fmean(steps(pack, "order", "s1")) < fmean(steps(pack, "order", "s2")) - 1.5
    assert fmean(steps(pack, "shift", "s1")) == pytest.approx(whole["s1"] + 1, abs=0.3)
    assert steps(pack, "noise", "s2", seed=3) != steps(pack, "noise", "s2", seed=4)
    assert steps(pack, "noise", "s2", seed=3) == steps(pack, "noise", "s2", seed=3)


def test_nothing_is_said_of_clips_that_were_not_made_here():
    pack, clips = make_round(sets=2, prompts=2)
    name_generators(pack, clips)
    replies = list(MadeJudge().answer([Request((Turn(PAIR),), key=item.public_id) for item in pack.items.all()]))
    assert {reply.error for reply in replies} == {"nothing is known of this clip: it was not made here"}
    assert all(reply.is_lasting for reply in replies)


def test_judges_are_models_that_say_they_are_simulated():
    models = ensure_judges()
    assert ensure_judges() == models
    assert {model.options["defect"] for model in models} == set(JUDGES)
    assert {model.role for model in models} == {ModelRole.CONTROL}
    assert all("(simulated)" in model.name for model in models)
    with pytest.raises(ModelMisused, match="no defect 'odd'"):
        MadeJudge(defect="odd")


def test_such_a_judge_can_be_added_like_any_model():
    check_options(KIND, {"defect": "shift"})
