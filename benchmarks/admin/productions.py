"""Productions and imports in the admin site: order an import, and watch its progress."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html
from django.utils.safestring import SafeString

from benchmarks.admin.packs import nobody
from benchmarks.definitions.registry import BUILT_IN, find_benchmark
from benchmarks.errors import BenchmarkError
from benchmarks.generation.distributed import ORDERED
from benchmarks.generation.ordered_imports import folders, order_import
from benchmarks.leasing import queue_task
from benchmarks.models import Production


class ImportForm(forms.ModelForm):
    """The order of an import: folder, benchmark, pack name and split."""

    benchmark = forms.ChoiceField(choices=[(slug, one.title) for slug, one in sorted(BUILT_IN.items())])
    folder = forms.ChoiceField()
    pack_name = forms.SlugField(
        max_length=60,
        label="Name of the pack",
        help_text="Small letters, digits and hyphens. The same content under its own name changes nothing.",
        error_messages={"invalid": "Use small letters, digits and hyphens alone."},
    )
    split = forms.CharField(
        max_length=40, required=False, help_text="Import the items of this split alone; all when left empty."
    )

    class Meta:
        model = Production
        fields = ()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        found = folders()
        self.fields["folder"] = forms.ChoiceField(choices=[(name, name) for name in found])
        self.fields["folder"].help_text = (
            f"A release, unpacked into a folder of its own in {settings.RELEASES_DIR} on the server."
            + ("" if found else " There is none yet: put one there and open this page again.")
        )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if self.errors:
            return cleaned
        try:
            self.production = order_import(
                find_benchmark(cleaned["benchmark"]),
                folder=cleaned["folder"],
                pack_name=cleaned["pack_name"],
                split=cleaned["split"].strip(),
            )
        except BenchmarkError as error:
            raise ValidationError(str(error)) from None
        return cleaned

    def _post_clean(self) -> None:
        """Does nothing: `order_import` has validated and saved the row, replacing an earlier import of this name."""

    def save(self, commit: bool = True) -> Production:
        return self.production

    def save_m2m(self) -> None:
        """Does nothing: there are no related rows."""


@admin.register(Production)
class ProductionAdmin(admin.ModelAdmin):
    """Ordering an import here, or `benchsite generate_benchmark`, adds a row; rows can't be edited."""

    form = ImportForm
    list_display = ("pack_name", "benchmark", "state", "progress", "updated_at", "note")
    list_filter = ("state", "benchmark")
    show_full_result_count = False
    has_change_permission = has_delete_permission = nobody

    def get_fields(self, request: HttpRequest, obj: Production | None = None) -> tuple[str, ...]:
        if obj is None:
            return ("benchmark", "folder", "pack_name", "split")
        return ("benchmark", "pack_name", "state", "progress", "note", "order", "started_at", "updated_at")

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        return super().add_view(request, form_url, {"title": "Order an import"} | (extra_context or {}))

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The list, which refreshes itself while a production runs."""
        is_busy = Production.objects.exclude(state__in=Production.ENDED).exists()
        return super().changelist_view(request, {"is_busy": is_busy} | (extra_context or {}))

    def response_add(self, request: HttpRequest, obj: Production, post_url_continue: Any = None) -> HttpResponse:
        """Redirect to the list, which shows the progress."""
        self.message_user(request, f"The import of {obj.pack_name} is ordered; this list shows how far it is.")
        return redirect("admin:benchmarks_production_changelist")

    @admin.display(description="clips")
    def progress(self, production: Production) -> SafeString | str:
        if not production.clips_total:
            return "–"
        bar = '<progress max="{}" value="{}" aria-label="clips done"></progress> {} of {}'
        done, total = production.clips_done, production.clips_total
        return format_html(bar, total, done, f"{done:,}", f"{total:,}")

    def save_model(self, request: HttpRequest, obj: Production, form: Any, change: bool) -> None:
        """Queue the import after the commit; the form has already saved the row."""
        transaction.on_commit(lambda: queue_task(ORDERED, obj.pk))
