"""Standings and snapshots in the admin, read-only; results of later papers, which two members of staff enter."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from accounts.models import User
from benchmarks.admin.packs import ImmutableAdmin
from benchmarks.definitions.registry import BENCHMARKS
from leaderboard.models import PublishedResult, Snapshot, Standing
from leaderboard.publications.later_results import PLACE, mistakes_in


@admin.register(Standing)
class StandingAdmin(ImmutableAdmin):
    list_display = ("name", "kind", "pack", "split", "strategy", "condition", "computed_at")
    list_filter = ("kind", "pack", "split", "strategy", "condition")
    list_select_related = ("pack",)
    search_fields = ("name",)


@admin.register(Snapshot)
class SnapshotAdmin(ImmutableAdmin):
    list_display = ("slug", "benchmark", "sha256", "created_at")
    list_filter = ("benchmark",)
    search_fields = ("slug", "sha256")


class PublishedResultForm(ModelForm):
    """One figure, with the same checks as in an imported file."""

    benchmark = forms.ChoiceField(choices=lambda: [(slug, one.title) for slug, one in BENCHMARKS.items()])

    link = forms.URLField(required=False, max_length=300, assume_scheme="https")

    class Meta:
        model = PublishedResult
        fields = (*PLACE, "figure", "link", "date")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        raise_mistakes({name: " ".join(str(value or "").split()) for name, value in cleaned.items()})
        return cleaned


def raise_mistakes(entry: dict[str, str]) -> None:
    """Report each mistake at its field."""
    found: dict[str, list[str]] = {}
    for mistake in mistakes_in(entry | {"checked_by": "a second reader"}):
        name, _, what = mistake.partition(": ")
        found.setdefault(name, []).append(what)
    if found:
        raise ValidationError(found)


@admin.register(PublishedResult)
class PublishedResultAdmin(admin.ModelAdmin):
    """One member of staff enters a figure; it is shown once another has read it in its source and confirmed it."""

    form = PublishedResultForm
    list_display = ("row", "benchmark", "level", "strategy", "cell", "figure", "source", "entered_by", "checked_by")
    list_filter = ("benchmark", "level", ("checked_by", admin.EmptyFieldListFilter))
    list_select_related = ("entered_by",)
    search_fields = ("row", "source")
    actions = ("confirm",)

    def has_change_permission(self, request: HttpRequest, obj: PublishedResult | None = None) -> bool:
        """A confirmed result can't be changed; it can be deleted and entered again."""
        return super().has_change_permission(request, obj) and not (obj and obj.checked_by)

    def save_model(self, request: HttpRequest, obj: PublishedResult, form: ModelForm, change: bool) -> None:
        assert isinstance(request.user, User)
        obj.entered_by = request.user
        super().save_model(request, obj, form, change)

    @admin.action(description="Confirm: I have read these figures in their source", permissions=["change"])
    def confirm(self, request: HttpRequest, results: QuerySet[PublishedResult]) -> None:
        own = results.filter(checked_by="", entered_by=request.user.pk).count()
        others = [one for one in results.filter(checked_by="") if one.entered_by_id != request.user.pk]
        for result in others:
            result.checked_by = request.user.get_username()
            result.save(update_fields=["checked_by", "updated_at"])
        if others or not own:
            messages.success(request, f"Confirmed: {len(others)}")
        if own:
            messages.warning(request, f"Entered by you, so that somebody else has to confirm: {own}")
