"""Parsing of a stage's form: all bad input is reported at once, each at its field."""

import pytest

from extensions.annotation.work.form_parsing import (
    BadWork,
    read_answers,
    read_box,
    read_flag,
    read_materials,
    read_questions,
)

BOX = {"left": ["10"], "top": ["20"], "width": ["30"], "height": ["40"], "name": ["cup"]}
WRITTEN = {
    "text-0": ["Which object would dent a table more if it fell?"],
    "answer-0": ["1"],
    "properties-0": ["hard", "weight"],
    "other-0": ["Texture, hard"],
}


def wrong(read, *arguments, **options) -> dict[str, str]:
    with pytest.raises(BadWork) as caught:
        read(*arguments, **options)
    return caught.value.errors


def test_a_box_is_kept_as_its_edges_with_how_we_know_it():
    kept = {"box": [10, 20, 40, 60], "name": "cup"}
    assert read_box(BOX | {"shown": ["10 20 30 40"]}, 640, 360) == kept | {"proof": "shown"}
    assert read_box(BOX | {"shown": [""]}, 640, 360) == kept | {"proof": "typed"}

    digits_of_other_scripts = BOX | {"left": ["١٠"], "top": ["２０"], "shown": ["10 20 30 40"]}
    assert read_box(digits_of_other_scripts, 640, 360)["box"] == [10, 20, 40, 60]


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        *(
            ({"shown": [text]}, "showed another box")
            for text in ("10 20 30 41", "none", "10 20 30", "[10, 20, 30, 40]")
        ),
        ({"width": ["0"]}, "no area"),
        ({"height": ["3"]}, "too small"),
        ({"width": ["-30"]}, "no area"),
        ({"left": ["620"]}, "leaves the picture"),
        ({"top": ["-1"]}, "leaves the picture"),
        ({"left": [""]}, "Draw a box"),
        ({"left": ["1.5"]}, "Draw a box"),
        ({"left": ["2,5"]}, "Draw a box"),
        ({"left": ["99999999999999999"]}, "Draw a box"),
    ],
)
def test_a_box_that_is_none_is_named(sent, said):
    assert said in wrong(read_box, BOX | sent, 640, 360)["box"]


def test_everything_that_is_wrong_is_said_at_once():
    assert set(wrong(read_box, {}, 640, 360)) == {"box", "name"}
    assert set(wrong(read_materials, {"confidence": ["6"]})) == {"materials", "confidence"}


def test_materials_are_those_of_the_list_and_one_of_their_own():
    sent = {"materials": ["glass", "wood", "gold"], "other": ["  Shaving   Cream "], "confidence": ["4"]}
    assert read_materials(sent) == {"materials": ["wood", "glass", "shaving cream"], "confidence": 4}


def test_a_flag_needs_its_reason():
    assert read_flag({"flag": ["silent"]}) is None
    assert read_flag({"flagging": ["1"], "flag": ["silent"]}) == {"flag": "silent"}
    assert "flag" in wrong(read_flag, {"flagging": ["1"], "flag": ["no such"]})


def test_a_question_comes_with_its_answer_and_properties():
    (question,) = read_questions(WRITTEN)["questions"]
    assert question == {"text": WRITTEN["text-0"][0], "answer": 1, "properties": ["weight", "hard", "texture"]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Write a question"),
        ("Which would roll?", "too short"),
        ("Which object would " + "very " * 45 + "likely roll?", "too long"),
        ("Which object would roll down a hill", "question mark"),
        ("Which object is larger than the other?", "only asks for a property"),
        ("Which object is easier to break?", "only asks for a property"),
        ("Which object is more sticky?", "only asks for a property"),
        ("Which of the two things feels smoother?", "only asks for a property"),
    ],
)
def test_what_is_no_question_is_named(text, said):
    assert said in wrong(read_questions, WRITTEN | {"text-0": [text]})["text-0"]


def test_a_question_needs_an_answer_and_a_property():
    sent = WRITTEN | {"answer-0": [], "properties-0": [], "other-0": [" , "]}
    assert set(wrong(read_questions, sent)) == {"answer-0", "properties-0"}


def test_the_second_question_may_be_left_out_but_not_half_written():
    assert len(read_questions(WRITTEN | {"text-1": [" "]})["questions"]) == 1
    assert set(wrong(read_questions, WRITTEN | {"answer-1": ["0"]})) == {"text-1", "properties-1"}
    again = {name.replace("-0", "-1"): values for name, values in WRITTEN.items()}
    assert "repeats" in wrong(read_questions, WRITTEN | again)["text-1"]


def test_every_line_has_an_answer_or_is_a_bad_question():
    sent = {"choice-0": ["1"], "choice-1": ["irrelevant"], "bad-2": ["1"]}
    answers = read_answers(sent, range(3), may_be_irrelevant=True)["answers"]
    assert [(answers[place]["choice"], answers[place]["bad"]) for place in "012"] == [
        ("1", False),
        ("irrelevant", False),
        ("", True),
    ]
    assert set(wrong(read_answers, sent, range(3), may_be_irrelevant=False)) == {"choice-1"}
    assert set(wrong(read_answers, sent, range(1), may_be_irrelevant=True, needs_why=True)) == {"why-0"}
