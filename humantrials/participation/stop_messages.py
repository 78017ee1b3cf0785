"""How a study ends for a participant: the messages of an early end, the code to show, and the way back to the panel."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.functional import Promise as LazyText
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from humantrials.identities import NotLetIn, setup_of, visit_of
from humantrials.kinds import kind_of
from humantrials.models import Participant, ParticipantState, Trial, TrialState
from humantrials.panels import PANELS, panel


@dataclass(frozen=True)
class Stop:
    """One reason why the study ends early."""

    title: LazyText
    text: LazyText


CLOSED = Stop(_("This study is over"), _("Thank you for coming. As many people as were needed have taken part."))
UNKNOWN = Stop(
    _("There is nothing at this address"),
    _("The link seems to be incomplete. Please open the one that you were given once more."),
)
NOT_OUR_SIMULATOR = Stop(
    _("This simulator is not known here"),
    _("The request names a simulator, but not the one of this site. Nothing was stored."),
)
NOT_EQUIPPED = Stop(
    _("This study needs other equipment"),
    _("Nothing is lost: open the same link again with what is named here, and you can take part."),
)

# For somebody who left or was excluded; they do not reveal what staff noted about them.
LEFT = {
    ParticipantState.DECLINED: Stop(
        _("You are not taking part"), _("That is all right. We store only that you said no. You may close this page.")
    ),
    ParticipantState.WITHDRAWN: Stop(
        _("Your answers are deleted"), _("All your answers are deleted. If you had a completion code, it stays valid.")
    ),
    ParticipantState.EXCLUDED: Stop(
        _("Your part is over"), _("Thank you for taking part. If you had a completion code, it stays valid.")
    ),
    ParticipantState.STOPPED: Stop(
        _("You have stopped"),
        _("Thank you for taking part. Your place is free for somebody else; the answers you gave are kept."),
    ),
    ParticipantState.SCREENED: Stop(
        _("This study does not fit this time"),
        _(
            "Thank you for your time. Some questions on the instructions were not answered correctly, so your place"
            " goes to somebody else. You are not rejected."
        ),
    ),
}
BY_TRIAL = {
    TrialState.DRAFT: Stop(
        _("This study has not begun"), _("Nobody can take part yet. Please try again later at the same address.")
    ),
    TrialState.OPEN: Stop(
        _("All places are taken"),
        _(
            "Thank you for coming. As many people as are needed are taking part already, so there is nothing to do for"
            " you."
        ),
    ),
    TrialState.PAUSED: Stop(
        _("This study is paused"),
        _("Thank you for coming. Nobody can begin at the moment. Please try again later at the same address."),
    ),
    TrialState.CLOSED: CLOSED,
    TrialState.ARCHIVED: CLOSED,
}
AT_THE_DOOR = {
    "unqualified": Stop(
        _("This study is for invited people"),
        _(
            "Only people who took part in an earlier step can come here. Please use the link of your panel as it was"
            " sent."
        ),
    ),
    "incomplete": UNKNOWN,
    "placeholder": Stop(
        _("This link is not filled in"),
        _(
            "Its parameter “{parameter}” holds a placeholder, or letters that can't be read, where your id belongs."
            " Please tell the people who gave you the link: they have to put each person's id there, or let their panel"
            " replace the placeholder."
        ),
    ),
    "long": Stop(
        _("This link is not right"),
        _("Its parameter “{parameter}” has more than 200 letters. Please open the link exactly as it was sent to you."),
    ),
    "looking": Stop(
        _("This is a preview of the study"), _("You would answer one question after another. Accept the task to begin.")
    ),
    "unsigned": Stop(
        _("This link can't be checked"),
        _("Please open the study once more from the page of your panel. The link may have become too old."),
    ),
    "busy": Stop(_("Too many people are coming at once"), _("Please try again in a minute at the same address.")),
    "crowded": Stop(
        _("Several people came from your network"),
        _("This study takes only a few people from one network address, and they have come. Thank you for coming."),
    ),
    "later": Stop(
        _("Enough people have come for now"),
        _("Thank you for coming. Please try again in an hour at the same address."),
    ),
    "uninvited": Stop(
        _("This link is no invitation"),
        _("Please open the link exactly as it was sent to you, or ask the person who sent it."),
    ),
    "no author": Stop(
        _("Only authors can look at a preview"), _("Please sign in first, or open the link without preview.")
    ),
    "no pilot": Stop(
        _("This pilot link is not valid"), _("Please ask the person who gave it to you for the whole link.")
    ),
    "no simulator": NOT_OUR_SIMULATOR,
    "begun": Stop(
        _("Somebody has begun with this link"),
        _(
            "If it was you, go on in the browser in which you began, or with your receipt code. The link alone opens"
            " nobody's answers, because other people may know it."
        ),
    ),
}


def stop_at_the_door(refusal: NotLetIn) -> Stop:
    """The message for somebody whom the panel's link does not admit."""
    stop = AT_THE_DOOR[refusal.reason]
    return replace(stop, text=format_lazy(str(stop.text), parameter=refusal.parameter))


def stop_without_sheet(trial: Trial) -> Stop:
    """The message for a person who could get no sheet."""
    own = kind_of(trial).without_sheet(trial) if trial.state == TrialState.OPEN else None
    return own or BY_TRIAL[TrialState(trial.state)]


OUTCOME = {
    ParticipantState.DECLINED: panel.DECLINED,
    ParticipantState.STOPPED: panel.STOPPED,
    ParticipantState.WITHDRAWN: panel.STOPPED,
    ParticipantState.SCREENED: panel.SCREENED,
    ParticipantState.FINISHED: panel.FINISHED,
    ParticipantState.EXCLUDED: panel.STOPPED,
}


def return_context(person: Participant, *, leaves_now: bool = False) -> dict[str, Any]:
    """Context of the last page, `code` and `way_back`; empty before the end, and for previews and pilots.

    With `leaves_now`, also for somebody who may come back later, as if they stopped now.
    """
    outcome = _outcome(person)
    if outcome is None and leaves_now and person.own_code:
        outcome = panel.STOPPED
    if outcome is None or person.is_apart:
        return {}
    code = person.completion_code if outcome == panel.FINISHED else person.partial_code
    return way_out(person.trial, outcome, code, visit_of(person))


def way_out(trial: Trial, outcome: str, own: str, visit: Mapping[str, str]) -> dict[str, Any]:
    """Context of a page that leads back to the panel; `own` is the person's code, "" for somebody who is not stored."""
    sender, setup = PANELS[trial.panel], setup_of(trial)
    return {"code": sender.code(setup, outcome, own), "way_back": sender.way_back(setup, outcome, own, visit)}


def _outcome(person: Participant) -> str | None:
    """How the visit ended, None before its end; a whole sheet stays one, whatever the person does later."""
    if person.finished_at:
        return panel.FINISHED
    return panel.PARTIAL if person.repair_at else OUTCOME.get(ParticipantState(person.state))
