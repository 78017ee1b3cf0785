"""The four pages without JavaScript: what is stored, what comes back and why, and what a language changes."""

import re

import pytest

from benchmarks.models import Item
from extensions.generated.rating.pages import BreakPlayer
from humantrials.models import Judgment
from humantrials.protocols import find_protocol
from tests.humantrials.plain_client import Walker

PROMPT = "A green ball falls behind a screen."


def walker(client, trial, **parameters):
    walker = Walker(client, trial, **parameters).agree()
    return walker.press(step="instructions")


def send(walker, **fields):
    """Send the form in view as a browser without JavaScript does, with these answers."""
    page = walker.page.content.decode()
    hidden = dict(re.findall(r'<input type="hidden" name="(asked|length)" value="([^"]*)"', page))
    return walker.answer("next", **hidden, **posted(fields))


def posted(fields):
    """The fields of a form: those of its radio buttons have names of their own."""
    return {name if name in ("asked", "moment") else f"choice-{name}": value for name, value in fields.items()}


def stored():
    return list(Judgment.objects.order_by("pk").values_list("answer", flat=True))


def heading(walker):
    return re.search(r"<h1[^>]*>(.*?)</h1>", walker.page.content.decode(), re.DOTALL)[1].strip()


def open_groups(walker):
    """Names of the radio groups that can be answered."""
    fieldsets = re.findall(r'<fieldset class="radios.*?</fieldset>', walker.page.content.decode(), re.DOTALL)
    return [re.search('data-group="([\\w.]+)"', one)[1] for one in fieldsets if " hidden disabled" not in one]


def test_a_clip_is_rated_without_its_prompt_and_then_with_it(client, study):
    person = walker(client, study("rate"))
    assert heading(person) == "How do you rate this clip?"
    assert open_groups(person) == ["PC", "persistence"]
    assert "Next: the text" in person.page.content.decode()
    send(person, PC="2", persistence="na")
    assert heading(person) == f"“{PROMPT}”"
    assert open_groups(person) == ["SA"]
    assert "before is saved and closed" in person.page.content.decode()
    send(person, SA="4")
    assert heading(person) == "How do you rate this clip?"
    assert stored() == ["PC=2 persistence=na", "SA=4"]


def test_the_same_clip_is_on_both_pages_and_no_address_tells_its_set(client, study):
    trial = study("rate", replicates=1)
    person = walker(client, trial)
    while person.reader.positions:
        page = person.page.content.decode()
        assert not re.search(r"\bs\d\.\d|maker", page)
        send(person, PC="1", persistence="1") if open_groups(person) != ["SA"] else send(person, SA="1")
    items = list(Item.objects.filter(slots__sheet__given_to=person.person).order_by("slots__position"))
    assert [item.clip for item in items[::2]] == [item.clip for item in items[1::2]]
    assert len({item.facet_values("prompt")[0] for item in items}) == 3
    assert person.person.completion_code


@pytest.mark.parametrize("fields", [{}, {"PC": "2"}, {"persistence": "3"}])
def test_a_partial_form_comes_back_with_a_message_at_each_question_and_what_was_chosen(client, study, fields):
    person = walker(client, study("rate"))
    send(person, **fields)
    page = person.page.content.decode()
    assert person.page.status_code == 400
    for name in ("PC", "persistence"):
        fieldset = re.search(f'data-group="{name}".*?</fieldset>', page, re.DOTALL)[0]
        assert ("Please choose one of these." in fieldset) == (name not in fields)
        assert re.findall(r'value="(\w+)"[^>]*checked', fieldset) == [fields.get(name)] * (name in fields)
    assert stored() == []


def test_a_form_of_an_earlier_question_leaves_nothing_on_the_next(client, study):
    person = walker(client, study("rate"))
    send(person, PC="2", persistence="2")
    send(person, SA="2")
    person.wait()
    late = {"position": "0", **posted({"asked": "PC persistence", "PC": "4"})}
    page = client.post(f"{person.road}answer/", late).content.decode()
    assert 'name="position" value="2"' in page
    assert " checked" not in page


def test_a_form_that_was_made_up_is_refused(client, study):
    person = walker(client, study("rate"))
    forms = (
        {"asked": "PC", "PC": "2"},
        {"asked": "PC persistence SA", "PC": "2", "persistence": "1", "SA": "1"},
        {"asked": "PC persistence", "PC": "9", "persistence": "1"},
        {"asked": "PC persistence", "PC": "2 SA=5", "persistence": "1"},
        {"asked": "", "PC": "2", "persistence": "1"},
        {"asked": "PC other", "PC": "2", "other": "1"},
    )
    for form in forms:
        person.wait()
        reply = client.post(f"{person.road}answer/", {"position": "0", **posted(form)}, HTTP_ACCEPT="application/json")
        assert reply.status_code == 409, form
    assert stored() == []


def test_a_scale_without_a_way_out_refuses_it(client, study):
    person = walker(client, study("rate"))
    send(person, PC="1", persistence="1")
    assert "Can’t tell" not in re.search('data-group="SA".*?</fieldset>', person.page.content.decode(), re.DOTALL)[0]
    send(person, SA="na")
    assert stored() == ["PC=1 persistence=1"]


OF_THREE = {"A.PC": "2", "B.PC": "5", "C.PC": "na", "A.persistence": "1", "B.persistence": "1", "C.persistence": "3"}


def test_three_clips_are_rated_beside_each_other_each_by_itself(client, study):
    person = walker(client, study("triples"))
    assert heading(person) == "How do you rate each clip?"
    assert open_groups(person) == [*OF_THREE]
    assert "C: Do things stay the things they are?" in person.page.content.decode()
    for short in ({"B.PC": ""}, {"C.persistence": "3/1"}, {"A.PC": "6"}):
        send(person, **OF_THREE | short)
        assert stored() == []
    send(person, **OF_THREE)
    assert heading(person) == f"“{PROMPT}”"
    assert open_groups(person) == ["A.SA", "B.SA", "C.SA"]
    send(person, **dict.fromkeys(open_groups(person), "4"))
    assert stored() == ["PC=2/5/na persistence=1/1/3", "SA=4/4/4"]


def test_two_clips_are_compared(client, study):
    person = walker(client, study("pairs"))
    assert heading(person) == "In which clip is more of it possible in the real world?"
    for value in ("a", "equal", "na"):
        send(person, pair=value)
    assert stored() == ["a", "equal", "na"]


BROKEN = {"seen": "break", "moment": "0.7", "kind": "falls", "severity": "2"}


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        (BROKEN, "break=0.7 kind=falls severity=2"),
        (BROKEN | {"moment": "٠٫٧٥"}, "break=0.75 kind=falls severity=2"),
        (BROKEN | {"seen": "none"}, "none"),
        (BROKEN | {"seen": "na", "moment": "x"}, "na"),
        ({"seen": "none"}, "none"),
    ],
)
def test_a_break_has_a_moment_and_who_saw_none_has_not(client, study, fields, answer):
    send(walker(client, study("break")), **fields)
    assert stored() == [answer]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "Please choose one of these."),
        (BROKEN | {"seen": ""}, "Please choose one of these."),
        (BROKEN | {"moment": ""}, "Please write the second at which it starts"),
        (BROKEN | {"moment": "soon"}, "Please write the second at which it starts"),
        (BROKEN | {"moment": "2.5"}, "The clip lasts from 0 to 2 seconds."),
        (BROKEN | {"moment": "-1"}, "The clip lasts from 0 to 2 seconds."),
        (BROKEN | {"kind": ""}, "Please choose one of these."),
        (BROKEN | {"severity": "", "moment": "9"}, "The clip lasts from 0 to 2 seconds."),
    ],
)
def test_a_break_that_lacks_something_comes_back_with_all_that_was_filled_in(client, study, fields, said):
    person = walker(client, study("break"))
    send(person, **fields)
    page = person.page.content.decode()
    assert person.page.status_code == 400
    assert said in page
    chosen = dict(re.findall(r'name="choice-(\w+)" value="(\w+)"[^>]*checked', page))
    assert chosen == {name: value for name, value in fields.items() if value and name != "moment"}
    assert f'value="{fields.get("moment", "")}" data-seconds' in page
    assert stored() == []


def test_a_made_up_break_is_none():
    player = BreakPlayer.__new__(BreakPlayer)
    clip = type("Clip", (), {"seconds": 2.0})
    item = type("Item", (), {"clip": clip})
    good = "break=1.5 kind=falls severity=2"
    assert player.accepts(good, item)
    for bad in (
        good.replace("1.5", "2.5"),
        good.replace("falls", "x"),
        good.replace("=2", "=4"),
        f"{good} ",
        "break=1",
    ):
        assert not player.accepts(bad, item), bad


def test_words_on_an_answer_are_those_of_its_dimensions(study):
    player = find_protocol(study("rate").protocol).player
    assert player.label("PC=2 persistence=na") == "Plausibility: 2, persistence: na"


@pytest.mark.parametrize(("language", "words"), [("de", "Weiter: der Text"), ("ar", "التالي: النص")])
@pytest.mark.parametrize("name", ["rate", "triples", "pairs", "break"])
def test_pages_speak_the_language_of_the_person_but_for_the_authors_words(client, study, name, language, words):
    person = walker(client, study(name), lang=language)
    page = person.page.content.decode()
    assert (words in page) == (name in ("rate", "triples"))
    assert ("How much of what happens" in page) == (name in ("rate", "triples"))
    assert "Can’t tell" not in page
    assert 'data-length="2"' in page
