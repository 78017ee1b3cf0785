"""The architecture's drawings match the code."""

import pytest

from tests.benchsite.documentation.drawings import AFTER, BEFORE, DRAWINGS, MODELS, OUT, PEOPLE, ROOT


@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_is_what_the_import_rules_and_steps_say(name):
    assert (OUT / name).read_text() == DRAWINGS[name](), "python -m tests.benchsite.documentation.drawings"


@pytest.mark.parametrize(("what", "where"), [*BEFORE, *MODELS, *PEOPLE, *AFTER])
def test_every_step_of_an_answer_has_its_file(what, where):
    assert (ROOT / where).is_file(), what
