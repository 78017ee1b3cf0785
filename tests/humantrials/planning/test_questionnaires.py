"""Questions that an author writes as text: every kind is parsed, and errors name the bad line."""

import pytest

from humantrials.errors import BadSetting
from humantrials.planning.authored_texts import rendered
from humantrials.planning.questionnaires import QUIZ_START, START, QuestionKind, read_questions, read_quiz


def test_the_start_has_every_kind():
    found = read_questions(START)
    assert [one.name for one in found] == ["age", "vision", "hearing", "experience", "years", "comment"]
    assert {one.kind for one in found} == set(QuestionKind)
    assert [one.is_required for one in found] == [True, *[False] * 5]
    assert found[3].options[:2] == (("1", "1 never"), ("2", "2"))
    assert len(found[3].options) == 5
    assert (found[4].low, found[4].high) == (0, 100)


ANSWERS = "".join(f"\n- {number}" for number in range(20))


def test_as_much_is_read_as_may_be():
    assert len(read_questions("\n\n".join(f"q{n}: text\nWhat?" for n in range(40)))) == 40
    (choice, scale) = read_questions(f"age: choice\nHow old?{ANSWERS}\n\ntired: scale 0 to 10\nHow tired?")
    assert (len(choice.options), len(scale.options)) == (20, 11)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("age\nHow old?", "line 1: “age” is not the first line of a question"),
        ("age: choice", "line 1: the question 'age' has no text"),
        ("age: choice\nHow old?\n- one", "line 1: a choice has 2 to 20 answers, this one has 1"),
        ("age: choice\nHow old?\n- one\ntwo", "line 4: “two” is not an answer option"),
        ("age: choice\nHow old?\n- one\n- one", "line 1: two answers are the same"),
        ("\n\ntired: scale 4 to 4\nHow tired?", "line 3: 4 to 4 has fewer than two steps"),
        ("tired: scale\nHow tired?", "line 1: a scale needs its ends"),
        ("tired: scale 1 to 50\nHow tired?", "line 1: a scale has at most 11 steps, this one has 50"),
        ("tired: scale 1 to 5\nHow tired?\n7 = very", "line 3: “7 = very” labels no step"),
        ("years: number 9 to 2\nHow many?", "line 1: 9 to 2 has fewer than two steps"),
        ("note: text\nWhat?\n- one", "line 3: a text has no answers to choose from"),
        ("note: text 1 to 5\nWhat?", "line 1: a text has no range"),
        ("a: text\nWhat?\n\na: text\nWhat else?", "line 4: there is a question 'a' already"),
        ("\n\n".join(f"q{n}: text\nWhat?" for n in range(41)), "41 questions: at most 40"),
        (f"age: choice\nHow old?{ANSWERS}\n- 20", "line 1: a choice has 2 to 20 answers, this one has 21"),
    ],
)
def test_a_bad_line_is_named(body, said):
    with pytest.raises(BadSetting) as refusal:
        read_questions(body)
    assert str(refusal.value).startswith(said)


def test_a_quiz_has_a_right_answer_and_perhaps_an_explanation():
    (one,) = read_quiz(QUIZ_START)
    assert (one.name, one.right, one.why) == ("object", "1", "The box is drawn on the picture below the video.")
    assert [words for _value, words in one.options] == ["the one in the red box", "the largest one", "the loudest one"]
    (one,) = read_quiz("a: choice\nWhich?\n- this\n+ that")
    assert (one.right, one.why) == ("2", "")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("a: choice\nWhich?\n- this\n- that", "line 1: one answer is right and begins with +, here none do"),
        ("a: choice\nWhich?\n+ this\n+ that", "line 1: one answer is right and begins with +, here 2 do"),
        ("\na: scale 1 to 5\nHow?", "line 2: a quiz has choices only, this is a scale"),
        ("a: choice\nWhich?\n+ this\n! why\n- that", "line 4: “! why” is not an answer option"),
        ("a: choice\n! why", "line 1: the question 'a' has no text"),
        ("a: choice\nWhich?\n+ this", "line 1: a choice has 2 to 20 answers"),
    ],
)
def test_a_bad_line_of_a_quiz_is_named(body, said):
    with pytest.raises(BadSetting) as refusal:
        read_quiz(body)
    assert str(refusal.value).startswith(said)
    with pytest.raises(BadSetting):
        read_questions("a: choice\nWhich?\n- this\n+ that")


@pytest.mark.parametrize(
    ("body", "html"),
    [
        ("# Who asks\n\n*We* do.", "<h2>Who asks</h2>\n<p><em>We</em> do.</p>"),
        ("<script>alert(1)</script>hello", "<p>hello</p>"),
        ("[site](javascript:alert(1))", '<p><a rel="noopener noreferrer">site</a></p>'),
        ("![x](https://example.org/x.png)", "<p></p>"),
        ('<p style="color:red" onclick="x()">a</p>', "<p>a</p>"),
        ("[us](https://example.org)", '<p><a href="https://example.org" rel="noopener noreferrer">us</a></p>'),
    ],
)
def test_markdown_is_safe(body, html):
    assert rendered(body).strip() == html
