"""Trials, participants and judgments in the admin. External ids are visible to superusers only."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from benchmarks.admin.bulk_preview import previewed
from benchmarks.admin.packs import ImmutableAdmin, NotDeletedHere
from humantrials.errors import TrialError
from humantrials.models import Judgment, Participant, Sheet, Trial
from humantrials.models.identity import Identity
from humantrials.running.lifecycle import archive_trial, close_trial, open_trial, pause_trial
from humantrials.running.transitions import ACTS


def _becomes(name: str) -> Callable[[Trial], str]:
    """Return a function that says what this act would do to a trial, or why it is not possible."""
    act = ACTS[name]

    def becomes(trial: Trial) -> str:
        if trial.state not in act.of:
            return f"is {trial.state}: it can't be {act.done} from there"
        return " ".join(act.will(trial))

    return becomes


@admin.register(Trial)
class TrialAdmin(NotDeletedHere):
    """Trials are created on authors' pages or by `create_trial`; here they are opened, paused, closed and archived."""

    list_display = ("slug", "title", "protocol", "pack", "state", "is_simulated", "created_at")
    list_filter = ("state", "protocol", "is_simulated", "pack")
    list_select_related = ("pack",)
    search_fields = ("slug", "title")
    readonly_fields = ("slug", "protocol", "pack", "seed", "settings", "state", "is_simulated", "design_hash",
                       "practice", "has_own_practice", "panel", "panel_settings", "pay_amount", "pay_currency",
                       "answers_version", "author", "created_at")  # fmt: skip
    actions = ("open_trials", "pause_trials", "close_trials", "archive_trials")

    @admin.action(description="Open: let people in and hide the items", permissions=["change"])
    @previewed(_becomes("open"))
    def open_trials(self, request: HttpRequest, trials: QuerySet[Trial]) -> None:
        self._each(request, trials, open_trial, "open")

    @admin.action(description="Pause: nobody new can begin; people at work may finish", permissions=["change"])
    @previewed(_becomes("pause"))
    def pause_trials(self, request: HttpRequest, trials: QuerySet[Trial]) -> None:
        self._each(request, trials, pause_trial, "paused")

    @admin.action(description="Close: show the items again; later answers are surplus", permissions=["change"])
    @previewed(_becomes("close"))
    def close_trials(self, request: HttpRequest, trials: QuerySet[Trial]) -> None:
        self._each(request, trials, close_trial, "closed")

    @admin.action(description="Archive: remove from the list of trials for good", permissions=["change"])
    @previewed(_becomes("archive"))
    def archive_trials(self, request: HttpRequest, trials: QuerySet[Trial]) -> None:
        self._each(request, trials, archive_trial, "archived")

    def _each(self, request: HttpRequest, trials: QuerySet[Trial], act: Callable[..., None], done: str) -> None:
        self.do_each(request, trials, lambda trial: act(trial=trial, by=request.user), done=done, refusal=TrialError)


@admin.register(Participant)
class ParticipantAdmin(ImmutableAdmin):
    """`token` opens the participant's own pages, so it is not shown."""

    list_display = ("code", "trial", "kind", "state", "language", "created_at", "finished_at")
    list_filter = ("trial", "kind", "state", "language")
    list_select_related = ("trial",)
    search_fields = ("code", "=completion_code", "=partial_code")
    exclude = ("token", "receipt_code")


@admin.register(Sheet)
class SheetAdmin(ImmutableAdmin):
    list_display = ("order", "trial", "state", "holder", "epoch", "lease_until")
    list_filter = ("trial", "state")
    list_select_related = ("trial", "holder")


@admin.register(Judgment)
class JudgmentAdmin(ImmutableAdmin):
    list_display = ("pk", "trial", "participant", "item", "answer", "counts", "is_surplus", "seconds", "created_at")
    list_filter = ("trial", "counts", "is_surplus")
    list_select_related = ("trial", "participant", "item")
    search_fields = ("participant__code", "item__public_id")


@admin.register(Identity)
class IdentityAdmin(ImmutableAdmin):
    """The external id behind a code, needed only for payment."""

    list_display = ("participant", "trial", "panel", "external_id")
    list_filter = ("trial", "panel")
    list_select_related = ("participant", "trial")
    search_fields = ("=external_id", "participant__code")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_superuser)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)
