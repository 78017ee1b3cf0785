"""Packs, clips and items in the administration: imported content is looked at and never changed."""

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest

from benchmarks import draft_admin  # noqa: F401  (registers its pages)
from benchmarks.models import Clip, Item, ItemFacet, ItemMedia, ItemSeal, Pack, Production, Rendition


class ImmutableAdmin(admin.ModelAdmin):
    """What was imported or answered stays as it is: nobody adds, changes or deletes a row here."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ImmutableInline(admin.TabularInline):
    """Rows of such a table on the page of what they belong to."""

    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class NotDeletedHere(admin.ModelAdmin):
    """Rows that others hang on: made and ended elsewhere, by functions that say what goes with them."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def do_each(
        self, request: HttpRequest, rows: Iterable[Any], act: Callable[[Any], object], *, done: str,
        refusal: type[Exception],
    ) -> None:  # fmt: skip
        """Do it row by row: what is refused is said, and the others are done and logged all the same."""
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
    """The words about a pack can be changed, its content can't."""

    list_display = ("name", "benchmark", "title", "origin", "profile", "definition_version", "created_at")
    list_filter = ("benchmark", "origin", "profile")
    search_fields = ("name", "title", "manifest_hash")
    fields = ("title", "note", "benchmark", "name", "origin", "profile", "definition_version", "manifest_hash",
              "problems", "created_at")  # fmt: skip
    readonly_fields = fields[2:]


class RenditionInline(ImmutableInline):
    model = Rendition
    fields = readonly_fields = ("kind", "name", "size", "sha256")


@admin.register(Clip)
class ClipAdmin(ImmutableAdmin):
    """`manage.py withdraw_clip` takes a clip out, with its files and standings."""

    list_display = ("pk", "pack", "key", "seconds", "problem", "withdrawn_at")
    list_filter = ("pack", ("problem", admin.EmptyFieldListFilter), ("withdrawn_at", admin.EmptyFieldListFilter))
    list_select_related = ("pack",)
    search_fields = ("key", "sha256", "renditions__name")
    inlines = (RenditionInline,)


class FacetInline(ImmutableInline):
    model = ItemFacet


class MediaInline(ImmutableInline):
    model = ItemMedia


class SealInline(ImmutableInline):
    model = ItemSeal


@admin.register(Item)
class ItemAdmin(ImmutableAdmin):
    list_display = ("public_id", "pack", "key", "kind", "variant", "expected")
    list_filter = ("pack", "kind", "answer_kind")
    list_select_related = ("pack",)
    search_fields = ("public_id", "key")
    inlines = (FacetInline, MediaInline, SealInline)


@admin.register(Production)
class ProductionAdmin(ImmutableAdmin):
    list_display = ("pack_name", "benchmark", "state", "clips_done", "clips_total", "updated_at", "note")
    list_filter = ("state", "benchmark")
