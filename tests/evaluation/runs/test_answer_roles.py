"""What uploaded answers make of their answerer: a baseline if they are the same to everything or within each test."""

import pytest

from accounts.models import User
from evaluation.models import ModelRole, Run
from evaluation.parsing import PARSERS
from evaluation.runs.add_model import add_model, ensure_heuristics
from evaluation.runs.answer_roles import role_of_answers
from evaluation.submissions.store.submit import submit
from evaluation.workers.rereading import read_again
from tests.evaluation.submissions.uploads import header, json_lines, upload
from tests.factories import answer_to, make_item, make_model, make_pack, make_run, set_expected

pytestmark = pytest.mark.django_db
TESTS = ("Color", "Shape")


@pytest.fixture
def pack():
    found = make_pack(name="roles")
    for place in range(12):
        facets = {"split": ("all",), "test": (TESTS[place % 2],), "level": ("1",)}
        make_item(found, public_id=f"role{place}", expected="yes" if place < 6 else "no", facets=facets)
    return found


def role(pack, answer_of):
    rows = [{"item": item.public_id, "answer": answer_of(item)} for item in pack.items.order_by("pk")]
    user, _ = User.objects.get_or_create(username="ada")
    return submit(file=upload(json_lines(header(pack), *rows)), user=user).role


def test_answers_tell_a_guesser_and_a_counter_from_a_model(pack):
    for wanted, answer_of in (
        (ModelRole.GUESSER, lambda item: "yes"),
        (ModelRole.GUESSER, lambda item: "no"),
        (ModelRole.COUNTER, lambda item: {"Color": "yes", "Shape": "no"}[item.facets.get(name="test").value]),
        (ModelRole.MODEL, answer_to),
        (ModelRole.MODEL, lambda item: "no" if item.public_id in ("role0", "role1") else "yes"),
    ):
        assert role(pack, answer_of) == wanted


def test_one_answer_is_a_models_where_it_is_right_everywhere_and_withheld_ones_may_differ(pack):
    set_expected(pack.items.all(), "yes")
    assert role(pack, lambda item: "yes") == ModelRole.MODEL
    set_expected(pack.items.all(), None)
    assert role(pack, lambda item: "no") == ModelRole.GUESSER


def test_replies_that_are_parsed_again_get_their_role_again(pack):
    replies = {item: "No way, yes" if item.public_id in ("role0", "role6") else "Yes" for item in pack.items.all()}
    rows = [{"item": item.public_id, "reply": reply} for item, reply in replies.items()]
    user = User.objects.create_user("grace")
    run = submit(file=upload(json_lines(header(pack), *rows)), user=user)
    Run.objects.update(role=ModelRole.CONTROL)
    read_again(run=run, parser=PARSERS["one-option"])
    assert ModelRole.CONTROL != Run.objects.get().role == role_of_answers(run)


def test_models_have_the_role_of_their_kind():
    assert {model.role for model in ensure_heuristics()} == {ModelRole.GUESSER}
    found, _ = add_model(slug="own", kind="scripted", options={})
    assert found.role == ModelRole.MODEL


def test_a_baseline_is_one_by_model_answers_or_badge(pack):
    for model, run, is_baseline in (
        ({"kind": "scripted"}, {}, False),
        ({"kind": "scripted", "role": ModelRole.TRAINED}, {}, True),
        ({"kind": "random"}, {}, True),
        ({"kind": "uploaded"}, {"role": ModelRole.COUNTER}, True),
        ({"kind": "uploaded"}, {"marks": ["baseline"]}, True),
        ({"kind": "uploaded"}, {"marks": ["verified"]}, False),
    ):
        assert make_run(pack, model=make_model(**model), **run).is_baseline == is_baseline
