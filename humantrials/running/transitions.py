"""The actions that move a trial from draft to archive: their names, their consequences, and when they are possible."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.disclosure.seals import closure
from benchmarks.leasing import free
from humantrials.judging.attention_checks import items_on_sheets
from humantrials.judging.pilot_exclusions import what_pilots_say
from humantrials.models import RUNNING, Sheet, SheetState, Trial, TrialState
from humantrials.planning.second_round import round_progress
from humantrials.running.lifecycle import BEFORE, archive_trial, close_trial, extend_trial, open_trial, pause_trial


@dataclass(frozen=True)
class TrialAction:
    """One action on a trial; `will` describes its consequences with the trial's own numbers."""

    name: str
    title: str
    done: str
    of: tuple[str, ...]
    will: Callable[[Trial], Sequence[str]]
    do: Callable[..., None]
    is_possible: Callable[[Trial], bool] = lambda trial: True


STANDING = {
    TrialState.DRAFT: "A draft: nobody can enter. Look at it in a preview, try it with a pilot, then open it.",
    TrialState.OPEN: "Open: people can enter, and every finished sheet counts.",
    TrialState.PAUSED: "Paused: nobody new can begin; people at work may finish, and their answers count.",
    TrialState.CLOSED: "Closed: nobody can begin any more, and the results are shown.",
    TrialState.ARCHIVED: "Archived: off the list of trials for good; its results stay at their address.",
}


def _opens(trial: Trial) -> list[str]:
    free_sheets = trial.sheets.filter(free(Sheet)).count()
    lines = [f"People can enter at /t/{trial.slug}/ at once; {_count(free_sheets, 'sheet')} can still be taken."]
    if trial.has_seal:
        lines += _hides(trial)
        lines.append("Results are hidden until then, because they could influence later participants.")
    else:
        lines.append("The items stay in the gallery, and the results are shown while people still answer.")
    if trial.state == TrialState.DRAFT:
        lines.append("The preregistration is frozen as it is now: design, sample, exclusions, analysis.")
        lines += [f"Rules for the results: {reason}"] if (reason := what_pilots_say(trial)) else []
    return lines


def _hides(trial: Trial) -> list[str]:
    """What a seal hides: the items on the sheets, and beside them those that would tell their answers."""
    items = items_on_sheets(trial)
    beside = len(closure(items) - items)
    lines = [f"{_count(len(items) + beside, 'item')} leave gallery, item pages and API until the trial is closed."]
    if beside:
        lines.append(
            f"Of these, {_count(beside, 'item')} would tell answers of the study:"
            " other clips of the same draws, other questions about the same clips or in the same groups."
        )
    return lines


def _extends(trial: Trial) -> list[str]:
    progress = round_progress(trial)
    assert progress  # only then is the action offered
    return [
        f"{_count(progress.wanted, 'sheet')} of the second round are drawn and can be taken at once.",
        "Every item gets a further answer at least; items on which people disagreed get more, and nobody sees which.",
        "The site does the same by itself soon after the last sheet of the first round is finished.",
    ]


def _is_due(trial: Trial) -> bool:
    progress = round_progress(trial)
    return progress is not None and progress.is_due


def _pauses(trial: Trial) -> list[str]:
    return [
        "Nobody new can begin; a page asks them to come again later.",
        f"{_working(trial)} People at work may finish, and their answers count.",
        "The items stay hidden. You can open the trial again at any time.",
    ]


def _closes(trial: Trial) -> list[str]:
    done, wanted = trial.sheets.filter(state=SheetState.DONE).count(), trial.sheets.count()
    return [
        f"{done} of {_count(wanted, 'sheet')} are filled{'; the others stay unfilled' if done < wanted else ''}.",
        f"{_working(trial)} People at work may finish and get a code, but their answers are surplus.",
        "The items are in the gallery again, and the results are shown.",
    ]


def _archives(trial: Trial) -> list[str]:
    return [
        "The trial leaves the list of trials; its results stay at their address.",
        "It can never be opened again. Completion codes and withdrawal keep working.",
    ]


def _working(trial: Trial) -> str:
    working = trial.sheets.filter(state=SheetState.LEASED).count()
    few = {0: "Nobody is at work now.", 1: "One person is at work now."}
    return few.get(working, f"{working} people are at work now.")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


ACTS = {
    act.name: act
    for act in (
        TrialAction("open", "Open", "open", BEFORE[TrialState.OPEN], _opens, open_trial),
        TrialAction("extend", "Extend", "in its second round", RUNNING, _extends, extend_trial, _is_due),
        TrialAction("pause", "Pause", "paused", BEFORE[TrialState.PAUSED], _pauses, pause_trial),
        TrialAction("close", "Close", "closed", BEFORE[TrialState.CLOSED], _closes, close_trial),
        TrialAction("archive", "Archive", "archived", BEFORE[TrialState.ARCHIVED], _archives, archive_trial),
    )
}


def acts_for(trial: Trial) -> list[TrialAction]:
    """The actions that are possible in the trial's current state."""
    return [act for act in ACTS.values() if trial.state in act.of and act.is_possible(trial)]
