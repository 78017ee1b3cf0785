"""Packs, clips and items in the admin site: imported content is read-only."""

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import QuerySet
from django.forms import CharField
from django.http import HttpRequest

from benchmarks.admin.bulk_preview import previewed
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure.doors import policy_of
from benchmarks.models import Clip, Item, ItemFacet, ItemMedia, Pack, Rendition
from benchmarks.storage.access import withdraw

POLICIES = {"public": "everybody", "participants": "participants of a trial alone", "none": "nobody"}


def nobody(own: Any, request: HttpRequest, obj: Any = None) -> bool:
    """The permission that nobody has."""
    return False


class ImmutableAdmin(admin.ModelAdmin):
    """Read-only: imported content and answers can't be added, changed or deleted here."""

    show_full_result_count = False
    has_add_permission = has_change_permission = has_delete_permission = nobody


class ImmutableInline(admin.TabularInline):
    """Read-only rows on the page of their parent."""

    extra = 0
    can_delete = False
    has_add_permission = has_change_permission = nobody


class NotDeletedHere(admin.ModelAdmin):
    """Rows that other rows depend on: functions elsewhere create and delete them with all that belongs to them."""

    has_add_permission = has_delete_permission = nobody

    def do_each(
        self,
        request: HttpRequest,
        rows: Iterable[Any],
        act: Callable[[Any], object],
        *,
        done: str,
        refusal: type[Exception],
    ) -> None:
        """Apply `act` row by row; report each refusal, and log the rows that succeeded."""
        for row in rows:
            try:
                act(row)
            except refusal as sentence:
                self.message_user(request, str(sentence), messages.ERROR)
            else:
                self.log_change(request, row, done)
                self.message_user(request, f"{row}: {done}")


@admin.register(Pack)
class PackAdmin(NotDeletedHere):
    """A pack's title and note can be changed, its content can't."""

    list_display = ("name", "benchmark", "title", "origin", "profile", "definition_version", "created_at")
    list_filter = ("benchmark", "origin", "profile")
    search_fields = ("name", "title", "manifest_hash")
    fields = (
        "title",
        "note",
        "benchmark",
        "name",
        "media_policy",
        "origin",
        "profile",
        "definition_version",
        "manifest_hash",
        "problems",
        "changes",
        "created_at",
    )
    readonly_fields = fields[2:]

    @admin.display(description="who may see its clips")
    def media_policy(self, pack: Pack) -> str:
        """The media policy; it is part of the benchmark's definition, beside the licence, and no page changes it."""
        policy = policy_of(pack) if pack.benchmark in BENCHMARKS else "none"
        return f"{POLICIES.get(policy, policy)} (stated with the benchmark's licence in its definition)"


class RenditionInline(ImmutableInline):
    model = Rendition
    fields = readonly_fields = ("kind", "name", "size", "sha256")


class WhyForm(ActionForm):
    """The choice of an action, and the reason stored with it."""

    reason = CharField(required=False, max_length=300, label="Reason")


def what_goes(clip: Clip) -> str:
    """A sentence about what a withdrawal deletes."""
    if clip.withdrawn_at:
        return f"was withdrawn on {clip.withdrawn_at:%Y-%m-%d}; the new reason takes the place of the old one"
    uses = clip.uses.values("item").distinct().count()
    files = clip.renditions.count() + bool(clip.trajectory)
    return (
        f"goes for good: {_counted(files, 'stored file')}, its decoded frames, and {_counted(uses, 'question')} "
        "about it; "
        "standings no longer count what was answered there, which stays stored. A note with the reason stays. "
        "It can't be taken back."
    )


def _counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


@admin.register(Clip)
class ClipAdmin(ImmutableAdmin):
    """A clip is withdrawn here, or by `benchsite change_pack withdraw-clip`, with its files and standings."""

    action_form = WhyForm
    actions = ("withdraw_for_good",)

    list_display = ("pk", "pack", "key", "seconds", "problem", "withdrawn_at")
    list_filter = ("pack", ("problem", admin.EmptyFieldListFilter), ("withdrawn_at", admin.EmptyFieldListFilter))
    list_select_related = ("pack",)
    search_fields = ("key", "sha256", "renditions__name")
    inlines = (RenditionInline,)

    def has_withdraw_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("benchmarks.change_clip")

    @admin.action(description="Withdraw, for the reason beside", permissions=["withdraw"])
    @previewed(what_goes, wants_reason=True)
    def withdraw_for_good(self, request: HttpRequest, clips: QuerySet[Clip]) -> None:
        for clip in clips:
            withdraw(clip=clip, why=request.POST["reason"].strip()[:300])
            self.log_change(request, clip, "withdrawn")
        self.message_user(request, f"{len(clips)} withdrawn")


class FacetInline(ImmutableInline):
    model = ItemFacet


class MediaInline(ImmutableInline):
    model = ItemMedia


@admin.register(Item)
class ItemAdmin(ImmutableAdmin):
    list_display = ("public_id", "pack", "key", "kind", "variant")
    list_filter = ("pack", "kind", "answer_kind")
    list_select_related = ("pack",)
    search_fields = ("public_id", "key")
    inlines = (FacetInline, MediaInline)
