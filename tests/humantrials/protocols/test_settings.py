"""Settings of a study: what can be no value of one is refused with what is wanted."""

import pytest

from humantrials.errors import BadSetting
from humantrials.protocols.settings import SETTINGS, read_settings

REFUSED = {
    "seal": ("perhaps",),
    "replicates": ("many", "0"),
    "completion_url": ("javascript:alert(1)",),
    "gates": ("laptop", "width=ten", "width=99999", "computer=1"),
    "frames": ("0", "65", "few"),
    "layout": ("heap",),
    "break_seconds": ("30", "60 to 30", "-1 to 5", "700 to 900", "0 to 4000", "a to b"),
    "confidence": ("1", "8", "5, guessing", "5, , certain", "²"),
    "why": ("1.5", "nan", "some"),
    "precision": ("0.4", "51", "nan"),
    "quiz_attempts": ("0", "6"),
    "attention": ("easy:", "a pack!"),
}
RULES = {
    "strait-lining": "'strait-lining' is no rule; there are: answered-too-few",
    "straight-lining=3": "straight-lining=3: this rule has no limit",
    "below-chance=0.2": "p of so few right answers by guessing, at least: a number from 0 to 0.01",
    "left-the-page=0.1": "a number from 0.333333 to 1",
    "clip-not-seen=much": "a number from 0 to 1",
    "clip-not-seen=nan": "a number from 0 to 1",
}


def refusal(name: str, value: str) -> str:
    try:
        return f"taken: {read_settings({name: value})}"
    except BadSetting as error:
        return str(error)


def test_what_can_be_no_value_is_refused_with_what_is_wanted():
    said = {(name, value): refusal(name, value) for name, values in REFUSED.items() for value in values}
    wanted = {(name, value): f"{name}={value}: {SETTINGS[name].about}" for name, value in said}
    assert said == wanted
    assert "no setting 'colour'; it has: seal" in refusal("colour", "red")


@pytest.mark.parametrize("typed", RULES)
def test_a_rule_that_can_not_be_is_refused_by_name(typed):
    assert RULES[typed] in refusal("rules", typed)
