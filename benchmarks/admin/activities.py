"""The experts' review queue of Charades in the admin site: video, text, cut and each expert's verdict."""

import mimetypes
from pathlib import Path
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from benchmarks.admin.drafts import whole_sentences
from benchmarks.models.activity_drafts import EXPERTS, ActivityDraft, review
from benchmarks.models.pattern_drafts import DraftState
from benchmarks.storage.ranged_responses import serve_ranged

VERDICTS = [
    ("", "save, and say nothing yet"),
    (DraftState.ACCEPTED, "accept it as shown here"),
    (DraftState.REFUSED, "refuse it"),
]


class ActivityForm(forms.ModelForm):
    """Validates each field separately, so that the error appears beside it."""

    verdict = forms.ChoiceField(
        choices=VERDICTS,
        required=False,
        label="my verdict",
        help_text=f"{EXPERTS} experts have to accept the same text and cut; a change asks all of them again",
    )

    class Meta:
        model = ActivityDraft
        fields = ("context", "target", "starts", "note")

    def clean_context(self) -> str:
        return whole_sentences(self.cleaned_data["context"])

    def clean_target(self) -> str:
        return whole_sentences(self.cleaned_data["target"])

    def clean_starts(self) -> float:
        seconds: float = self.cleaned_data["starts"]
        if not seconds > 0:
            raise ValidationError("cut after the beginning: something must come before")
        return seconds


@admin.register(ActivityDraft)
class ActivityDraftAdmin(admin.ModelAdmin):
    """Text and cut are corrected here; `prepare_giraffe reviewed --out FOLDER` exports the accepted drafts."""

    form = ActivityForm
    list_display = ("key", "state", "agreeing", "starts", "target", "note")
    list_filter = ("state", "code")
    search_fields = ("key", "context", "target")
    fields = (
        "key",
        "video",
        "context",
        "target",
        "starts",
        "code",
        "note",
        "verdict",
        "state",
        "expert_statements",
        "as_proposed",
    )
    readonly_fields = ("key", "video", "code", "state", "expert_statements", "as_proposed")
    actions = ("accept", "refuse")

    def get_queryset(self, request: HttpRequest) -> QuerySet[ActivityDraft]:
        return super().get_queryset(request).prefetch_related("reviews")

    def get_urls(self) -> list[URLPattern]:
        own = path("<int:pk>/video/", self.admin_site.admin_view(self.serve_video), name="activity-video")
        return [own, *super().get_urls()]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: ActivityDraft, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        review(draft=obj, expert=request.user.get_username(), verdict=form.cleaned_data["verdict"])

    def serve_video(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        """Serve the whole video: experts also watch what follows the cut."""
        file = Path(get_object_or_404(ActivityDraft, pk=pk).file)
        if not file.is_file():
            raise Http404(f"{file.name or 'the video'} is not on this server")
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        return serve_ranged(request, file, kind, cache="private, no-store")

    @admin.display(description="to be watched")
    def video(self, draft: ActivityDraft) -> SafeString | str:
        """A player that stops at the cut and can continue."""
        if not draft.file or not Path(draft.file).is_file():
            return "not here: prepare_giraffe charades FOLDER --videos FOLDER tells where the videos lie"
        return format_html(
            '<video controls muted preload="metadata" width="320" src="{}#t=0,{}" aria-label="Video {}"></video>'
            "<p>It stops at the cut; play on to see what happens then.</p>",
            reverse("admin:activity-video", args=[draft.pk]),
            f"{draft.starts:g}",
            draft.key,
        )

    @admin.display(description="accepted by")
    def agreeing(self, draft: ActivityDraft) -> str:
        return f"{list(draft.verdicts().values()).count(DraftState.ACCEPTED)} of {EXPERTS}"

    @admin.display(description="what experts said")
    def expert_statements(self, draft: ActivityDraft) -> SafeString | str:
        current = draft.verdicts()
        rows = [
            (one.expert, one.verdict, "" if one.expert in current else " what it was before", f"{one.at:%F %R}")
            for one in draft.reviews.all()
        ]
        return (
            format_html("<ul>{}</ul>", format_html_join("", "<li>{}: {}{}, {}</li>", rows)) if rows else "nothing yet"
        )

    @admin.display(description="as the three steps left it")
    def as_proposed(self, draft: ActivityDraft) -> SafeString:
        rows = [(name, draft.proposed.get(name, "")) for name in ("context", "target", "starts", "code")]
        return format_html("<dl>{}</dl>", format_html_join("", "<dt>{}</dt><dd>{}</dd>", rows))

    @admin.action(description="Accept as they are")
    def accept(self, request: HttpRequest, drafts: QuerySet[ActivityDraft]) -> None:
        self._decide(request, drafts, DraftState.ACCEPTED)

    @admin.action(description="Refuse")
    def refuse(self, request: HttpRequest, drafts: QuerySet[ActivityDraft]) -> None:
        self._decide(request, drafts, DraftState.REFUSED)

    def _decide(self, request: HttpRequest, drafts: QuerySet[ActivityDraft], verdict: DraftState) -> None:
        for draft in drafts:
            review(draft=draft, expert=request.user.get_username(), verdict=verdict)
            self.log_change(request, draft, verdict.label.lower())
        self.message_user(request, f"{len(drafts)} {verdict.label.lower()}")
