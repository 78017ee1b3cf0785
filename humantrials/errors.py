"""
TrialError             a mistake of the caller, in one sentence
├── UnknownProtocol    no protocol of this name: choose one that exists
├── UnknownExclusion   no way of leaving people out has this name: choose one that exists
├── BadSetting         a setting that does not exist, or a value that it can't have
├── EmptyPool          the pack holds nothing that this protocol asks: choose another pack
├── WrongState         the trial can't go there from where it is
├── AlreadyPaid        the person has this kind of pay already
└── BadAnswer          not an answer to this question, or not this person's question
    └── NotFinished    answers are still missing
"""


class TrialError(ValueError):
    """A mistake of the caller, in one sentence."""


class UnknownProtocol(TrialError):
    """No protocol has this name."""


class UnknownExclusion(TrialError):
    """No way of leaving people out has this name."""


class BadSetting(TrialError):
    """A trial has no such setting, or the setting can't have this value."""


class EmptyPool(TrialError):
    """The pack holds nothing that this protocol asks."""


class WrongState(TrialError):
    """The trial can't go there from where it is."""


class AlreadyPaid(TrialError):
    """The person has this kind of pay already."""


class BadAnswer(TrialError):
    """Not an answer to this question, or not this person's question."""


class NotFinished(BadAnswer):
    """Answers are still missing."""
