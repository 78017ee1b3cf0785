"""Trials, participants and judgments in the admin. External ids are visible to superusers only."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from benchmarks.admin.bulk_preview import Confirmation, previewed
from benchmarks.admin.packs import ImmutableAdmin, NotDeletedHere
from humantrials.errors import TrialError
from humantrials.models import Judgment, Participant, Sheet, Trial
from humantrials.models.identity import Identity
from humantrials.running.transitions import ACTS

ABOUT = {
    "open": "Open: let people in and hide the items",
    "pause": "Pause: nobody new can begin; people at work may finish",
    "close": "Close: show the items again; later answers are surplus",
    "archive": "Archive: remove from the list of trials for good",
}


def _action(name: str) -> Confirmation:
    """The act on several trials, after a preview of what it would do to each, or why it can not be done."""
    act = ACTS[name]

    def becomes(trial: Trial) -> str:
        if trial.state not in act.of:
            return f"is {trial.state}: it can't be {act.done} from there"
        return " ".join(act.will(trial))

    def do(own: Any, request: HttpRequest, trials: QuerySet[Trial]) -> None:
        own.do_each(
            request, trials, lambda trial: act.do(trial=trial, by=request.user), done=act.done, refusal=TrialError
        )

    do.__name__ = f"{name}_trials"
    return admin.action(description=ABOUT[name], permissions=["change"])(previewed(becomes)(do))


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
    actions = tuple(_action(name) for name in ABOUT)


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
