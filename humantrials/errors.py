"""What goes wrong in studies, most of it by a mistake of the caller, which the error says in one sentence."""

from collections.abc import Mapping


class TrialError(ValueError):
    """A mistake of the caller, in one sentence."""


class BadSetting(TrialError):
    """A trial has no such setting, or the setting can't have this value; `name` is the setting's name if known."""

    def __init__(self, why: str, name: str = "") -> None:
        super().__init__(why)
        self.name = name


class EmptyPool(TrialError):
    """The pack has no items for this protocol."""


class WrongState(TrialError):
    """The trial's state does not allow this change."""


class AlreadyPaid(TrialError):
    """The person has this kind of pay already."""


class BadAnswer(TrialError):
    """Not an answer to this question, or not this person's question."""


class BadForm(BadAnswer):
    """The form lacks something; the sentence is for the person, in their language, as are those beside its fields."""

    def __init__(self, why: object, problems: Mapping[str, str] | None = None) -> None:
        super().__init__(why)
        self.problems = dict(problems or {})  # name of a field -> sentence
