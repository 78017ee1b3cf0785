"""Questions that raters answer: a file's dimensions, its table, and what the site does with them."""

from io import StringIO

import pytest
from django.core.management.base import CommandError

from benchmarks.definitions.files.compile import BenchmarkText
from benchmarks.definitions.files.contradictions import read_text
from benchmarks.definitions.files.schema import BadDefinition
from benchmarks.definitions.rated_dimensions import rating_text, ratings_in
from benchmarks.definitions.registry import find_benchmark
from benchmarks.disclosure import PUBLIC, Fact, open_facts
from benchmarks.models import AnswerKind, Item
from evaluation.prompting.strategies import find_strategy
from tests.benchmarks.grasp_release import write_clip
from tests.commands import say

TOML = """\
schema = 1
slug = "made"
title = "Made clips"
question = "How good are these clips?"
version = "1"
licence = "CC0"
levels = [
  { number = "d1", title = "Physical plausibility" },
  { number = "d2", title = "Fits the prompt" },
  { number = "p", title = "Pairs" },
  { number = "b", title = "First break" },
]
facets = [{ name = "cell", title = "Cell", tells = true }]
kinds = [
  { name = "clip", answer = "rating", levels = ["d1", "d2"] },
  { name = "pair", answer = "pair", level = "p" },
  { name = "break", answer = "break", level = "b" },
]

[[dimensions]]
name = "PC"
question = "How much of it could happen?"
anchors = ["None", "Half", "All"]
level = "d1"

[[dimensions]]
name = "SA"
question = "How much of the text is in the clip?"
anchors = ["Nothing", "All"]
first = 0
level = "d2"
shows_prompt = true

[[prompts]]
name = "made-rate-plausibility-of-the-clip"
title = "rate PC"
kinds = ["clip"]
level = "d1"
text = "How much of it could happen, from 1 to 3? Answer with the number alone."

[[prompts]]
name = "made-rate-SA"
title = "rate SA"
kinds = ["clip"]
level = "d2"
text = "{question} Is it there, 0 or 1?"

[[prompts]]
name = "made-pair"
kinds = ["pair"]
text = "Which is better, a or b?"
"""
ROWS = """\
id,clip,kind,question,level,cell
one,a.mp4,clip,How is this clip?,d1,s1.1.1
two,a.mp4,clip,A ball falls,d2,s1.1.2
three,a.mp4|b.mp4,pair,Which is better?,,s1-s2.1
four,a.mp4,break,Where does it break?,,s1.1.1
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "benchmark.toml").write_text(TOML)
    (tmp_path / "items.csv").write_text(ROWS)
    for name in ("a", "b"):
        write_clip(tmp_path / "clips" / f"{name}.mp4")
    return tmp_path


@pytest.fixture
def rated(folder, db):
    say("import_benchmark", str(folder), stdout=StringIO())
    return {item.key: item for item in Item.objects.filter(pack__benchmark="made")}


def test_questions_have_steps_and_no_right_answer(rated):
    [*answers] = [(item.answer_kind, item.options) for item in (rated["one"], rated["three"], rated["four"])]
    assert answers == [
        (AnswerKind.RATING, ["1", "2", "3", "0", "na"]),
        (AnswerKind.PAIR, ["a", "b", "equal", "bad", "na"]),
        (AnswerKind.RATING, ["none", "break", "na"]),
    ]
    assert rated["two"].facet_values("level") == ["d2"]
    assert {fact for item in rated.values() for fact in open_facts(item, to=PUBLIC)} == {*Fact}  # nothing is withheld


def test_dimensions_apply_by_law_and_have_values(rated):
    first, second = find_benchmark("made").dimensions
    assert (first.values, first.answers, second.values) == (("1", "2", "3"), ("1", "2", "3", "na"), ("0", "1"))
    assert [first.applies_to([]), second.shows_prompt] == [True, True]
    assert ratings_in(rating_text({"PC": "2", "SA": "na"})) == {"PC": "2", "SA": "na"}


def test_models_are_asked_by_dimension_and_have_no_board(rated, client):
    assert find_strategy("made", "made-rate-SA").is_scored_apart
    benchmark = find_benchmark("made")
    asked = Item.objects.filter(pack__benchmark="made").for_strategy(benchmark, benchmark.strategy("made-rate-SA"))
    assert [item.key for item in asked] == ["two"]
    assert not benchmark.has_boards
    assert client.get("/leaderboard/made/").status_code == 404
    for page in ("/", "/leaderboard/", "/benchmarks/", "/benchmarks/made/", "/sitemap.xml", "/api/v1/boards/"):
        assert client.get(page).status_code == 200, page
    assert "/leaderboard/made/" not in client.get("/sitemap.xml").content.decode()
    assert "made" not in [board["benchmark"] for board in client.get("/api/v1/boards/").json()["boards"]]


def test_answer_of_a_rated_question_is_refused_in_the_table_and_later(folder, db, tmp_path):
    answered = ROWS.replace("level,cell", "level,cell,answer").replace("s1.1.1\nt", "s1.1.1,3\nt")
    (folder / "items.csv").write_text(answered)
    with pytest.raises(CommandError, match="line 2: answer: raters answer questions of kind clip: leave it empty"):
        say("import_benchmark", str(folder))
    (folder / "items.csv").write_text(ROWS)
    say("import_benchmark", str(folder), stdout=StringIO())
    (tmp_path / "answers.csv").write_text("item,answer\none,3\n")
    with pytest.raises(CommandError, match="has no right answer"):
        say("import_benchmark", "made", str(tmp_path / "answers.csv"), "--answers")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("first = 0", 'values = ["no"]', "dimensions[2].values"),
        ('anchors = ["Nothing", "All"]\nfirst = 0', 'anchors = ["N", "A"]\nvalues = ["no", "na"]', "'na' is stored"),
        ('anchors = ["Nothing", "All"]\nfirst = 0', 'anchors = ["N", "A"]\nvalues = ["n", "s", "a"]', "3 values for 2"),
        ('level = "d1"\n\n[[dim', 'level = "d9"\n\n[[dim', "d9"),
        ('name = "PC"', 'name = "SA"', "'SA' appears twice"),
        ('kinds = ["pair"]', 'kinds = ["clip", "pair"]', "its kinds are of several levels"),
        ('answer = "pair"', 'answer = "yes-no"', None),
    ],
)
def test_contradictions_are_named(before, after, said):
    changed = TOML.replace(before, after, 1)
    assert changed != TOML
    if said is None:
        assert isinstance(read_text(changed.replace("Which is better", "{question}")), BenchmarkText)
        return
    with pytest.raises(BadDefinition) as wrong:
        read_text(changed)
    assert any(said in str(mistake) for mistake in wrong.value.mistakes), wrong.value.mistakes


def test_ratings_need_dimensions_and_short_names_elsewhere():
    start = TOML.index("[[dimensions]]")
    with pytest.raises(BadDefinition) as wrong:
        read_text(TOML[:start] + TOML[TOML.index("[[prompts]]") :])
    assert any("needs [[dimensions]]" in str(mistake) for mistake in wrong.value.mistakes)
    with pytest.raises(BadDefinition) as wrong:
        read_text(TOML.replace('answer = "rating"', 'answer = "free"'))
    assert any("is too long; at most 28" in str(mistake) for mistake in wrong.value.mistakes)
