"""Withheld answers: loaded by an admin, used for scores, and never served."""

import json
import re

import pytest
from django.core.management import CommandError

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import known_answers
from benchmarks.models import Item
from benchmarks.packs.import_release import import_release
from evaluation.models import Score
from leaderboard.board.query import available_packs, view_of
from leaderboard.publications.snapshot import NothingToFreeze, content_of
from leaderboard.standings.refresh import refresh
from tests.benchmarks.pacs_releases import small
from tests.commands import told
from tests.factories import answer_to, make_answer, make_item, make_run, sealed

pytestmark = pytest.mark.django_db
VARYING = ("Content-Security-Policy", "X-Request-ID", "Server-Timing", "Date", "Content-Length", "ETag")
PAIR, QUESTION = "object0003_object0002", "question0001"
LABELS = {PAIR: {QUESTION: {"label": 1, "text": "Which?"}}}


@pytest.fixture
def item(tmp_path) -> Item:
    root = small(tmp_path / "release", test_data={PAIR: {QUESTION: {"text": "Which?"}}})
    import_release(BENCHMARKS["pacs"], root)
    return Item.objects.get(~known_answers())


def load(tmp_path, content, name="answers.json") -> dict:
    """What the command says about a file of this content; None is a file that is not there."""
    if content is not None:
        (tmp_path / name).write_text(content if isinstance(content, str) else json.dumps(content))
    return told("import_benchmark", "--answers", "pacs", tmp_path / name)


def unscored(item, answer):
    """A reply of a listed run to a question without a known answer."""
    run = make_run(item.pack, strategy="pair", split="test", parser="pacs-object", condition="question-only")
    make_answer(run, item, answer).delete()
    return run


@pytest.mark.parametrize(("said", "value"), [("object 2", 1.0), ("object 1", 0.0), (None, 0.0)])
def test_what_was_said_before_is_scored_when_the_answer_comes(item, tmp_path, said, value):
    run = unscored(item, said)
    assert load(tmp_path, LABELS) == {"benchmark": "pacs", "loaded": 1, "known": 0, "waiting": 0}
    assert [score.value for score in Score.objects.of_run(run)] == [value]
    before = run.answers_version
    run.refresh_from_db()
    assert run.answers_version == before + 1
    assert load(tmp_path, LABELS)["known"] == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", '{{"item": "{id}", "answer": "Object 2"}}\n'),
        ("a.jsonl", '{{"item": "{key}", "answer": 1}}\n'),
        ("a.csv", "item,answer\n{id},object 2\n"),
        ("a.csv", "item,answer\n{key},1\n"),
    ],
)
def test_lines_and_tables_are_taken_too(item, tmp_path, name, content):
    assert load(tmp_path, content.format(id=item.public_id, key=item.key), name)["loaded"] == 1
    item.refresh_from_db()
    assert answer_to(item) == "object 2"


def test_a_key_of_several_questions_names_none_of_them(item, tmp_path):
    make_item(item.pack, key=item.key, kind="other", options=item.options)
    with pytest.raises(CommandError, match="several questions are called"):
        load(tmp_path, LABELS)
    assert answer_to(item) is None


def test_a_loaded_answer_is_nowhere_to_be_seen(item, tmp_path, client):
    run = unscored(item, "object 2")
    load(tmp_path, LABELS)
    refresh()
    page = client.get(f"/benchmarks/pacs/items/{item.public_id}/").content.decode()
    assert "The answer to this question is withheld" in page
    assert "object 2" not in page.replace("object 1, object 2", "")
    assert item.public_id not in client.get(f"/runs/{run.pk}/").content.decode()
    view = view_of(BENCHMARKS["pacs"], {"split": "test", "condition": "question-only"}, available_packs("pacs"))
    with pytest.raises(NothingToFreeze, match="withheld"):
        content_of(view)
    lines = b"".join(client.get("/benchmarks/pacs/items.jsonl").streaming_content).decode()
    assert item.public_id in lines
    assert "expected" not in lines
    assert "1 answer is withheld: no page tells what is right" in client.get("/benchmarks/pacs/").content.decode()


def test_no_list_or_page_shows_whether_a_withheld_answer_was_loaded(item, tmp_path, client, django_user_model):
    unscored(item, "object 2")
    submitter = client.__class__()
    submitter.force_login(django_user_model.objects.create_user("ada"))
    addresses = (
        *("/benchmarks/pacs/", "/benchmarks/pacs/items/", f"/benchmarks/pacs/items/{item.public_id}/"),
        *(f"/api/v1/items/{item.public_id}/", "/api/v1/items/?benchmark=pacs", "/api/v1/packs/"),
        *("/benchmarks/pacs/items.jsonl", f"/submit/empty/?pack=pacs/{item.pack.name}&strategy=pair&split=test"),
    )

    def seen():
        visitors = (client, submitter)
        return {(address, who): without_secrets(who.get(address)) for address in addresses for who in visitors}

    before = seen()
    load(tmp_path, LABELS)
    for place, content in seen().items():
        assert content == before[place]


def without_secrets(answer):
    """Status, headers and content, without random parts of each response."""
    content = answer.getvalue().decode()
    assert answer.status_code == 200, content[:500]
    content = re.sub(r'name="csrfmiddlewaretoken" value="\w+"|signed=[\w:-]+|nonce[=-]"?[\w+/=-]+', "", content)
    return content, {name: value for name, value in answer.headers.items() if name not in VARYING}


WRONG = [
    ({PAIR: {"question0009": {"label": 1}}}, "there is no question 'object0003_object0002/question0009' here"),
    ({PAIR: {QUESTION: {"label": 2}}}, "2 is no answer; there is: object 1, object 2"),
    ({PAIR: {QUESTION: {"text": "Which?"}}}, "has no label"),
    ({PAIR: []}, "object0003_object0002 holds no questions by id"),
    ([1], "a JSON object of pairs is expected"),
    ("nonsense", "line 1: no JSON"),
    ("[" * 5000, "line 1: no JSON (nested too deeply)"),
    ('{"item": "x"}\n{"answer": 1}', "line 1: needs item and answer"),
    ({}, "holds no answers"),
    ({"object0002_object0001": {QUESTION: {"label": 1}}}, "has another answer already; answers never change"),
]
WRONG_TABLES = [
    ("item;label\n", "line 1: the columns item and answer are needed", "a.csv"),
    ('{"item": "ID", "answer": 0}\n{"item": "ID", "answer": 1}\n', "line 2: ", "a.jsonl"),
    (None, "can't be read", "b.json"),
]


@pytest.mark.parametrize(("content", "said", "name"), [*((*case, "a.json") for case in WRONG), *WRONG_TABLES])
def test_a_file_that_is_wrong_changes_nothing_and_says_where(item, tmp_path, content, said, name):
    if name == "a.jsonl":
        content = content.replace("ID", item.public_id)
    with pytest.raises(CommandError) as caught:
        load(tmp_path, content, name)
    assert said in str(caught.value)
    assert caught.value.returncode == 2
    item.refresh_from_db()
    assert (answer_to(item), Item.objects.filter(sealed()).count()) == (None, 0)
