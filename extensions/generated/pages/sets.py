"""Pages of clip sets: the list with the upload, and each set with its state, card, findings, changes and clips."""

import re
import tomllib
from pathlib import Path
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmarks.errors import BenchmarkError
from benchmarks.gallery.query import page_of
from benchmarks.number_fields import TypedInteger
from benchmarks.policy import LIMITS
from benchmarks.storage.ranged_responses import serve_stored
from extensions.generated.clipsets import moderation, uploads
from extensions.generated.models import ClipSet, ClipSetState, GeneratedClip, PromptPack
from extensions.generated.naming import are_named
from extensions.generated.pages.figures import BoardAddress

SENDS, DECIDES = "generated.add_clipset", "generated.change_clipset"
PUBLIC_STATES = (ClipSetState.LISTED, ClipSetState.WITHDRAWN)
SECTION = {"section": "boards"}
CLIPS_A_PAGE = 12
RANGE = re.compile(r"bytes (\d{1,15})-\d{1,15}/\d{1,15}", re.ASCII)
REMEDIES = tomllib.loads((Path(uploads.__file__).with_name("remedies.toml")).read_text(encoding="utf-8"))
MORE = ("templater", "sampling", "seeds", "licence", "provider", "date", "source", "report", "comments")  # of cards


class ClipSetForm(forms.Form):
    """A clip set's archive, or without the file its name and size: then its parts follow."""

    pack = forms.ModelChoiceField(
        PromptPack.objects.exclude(prompts=None).order_by("title"),
        to_field_name="slug",
        label="Prompts",
        empty_label=None,
    )
    archive = forms.FileField(
        label="ZIP",
        required=False,
        help_text=f"card.toml, manifest.csv and the clips; at most {LIMITS['clip set'].words}",
    )
    name = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)
    size = TypedInteger(required=False, min_value=1, widget=forms.HiddenInput)
    right = forms.BooleanField(label="I may show these clips to raters and on this site")

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if not (cleaned.get("archive") or cleaned.get("size")):
            self.add_error("archive", "Choose the ZIP of the clip set.")
        return cleaned


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sets(request: HttpRequest) -> HttpResponse:
    """The sets that the reader may see; POST takes a whole archive, or begins one that comes in parts."""
    may_send = request.user.has_perm(SENDS)
    if request.method == "POST" and not may_send:
        raise PermissionDenied
    form = ClipSetForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            return _begun(request, form.cleaned_data)
        except BenchmarkError as error:
            form.add_error("archive", str(error))
    if form.errors and "size" in request.POST:
        return JsonResponse(
            {"problem": " ".join(str(text) for texts in form.errors.values() for text in texts)}, status=422
        )
    rows = visible_to(request).select_related("pack", "uploader").annotate(count=Count("clips")).order_by("-pk")
    facts = {
        "page": page_of(request, rows, 50),
        "form": form if may_send else None,
        "decides": request.user.has_perm(DECIDES),
    }
    return render(request, "generated/sets.html", SECTION | facts, status=422 if form.errors else 200)


def _begun(request: HttpRequest, sent: dict[str, Any]) -> HttpResponse:
    """The upload's row: with a whole archive its page, else where its parts go."""
    assert request.user.pk is not None, "only signed-in people have a permission"
    archive = sent["archive"]
    name, size = (archive.name, archive.size) if archive else (sent["name"], sent["size"])
    clip_set = uploads.begin(pack=sent["pack"], archive=name, size=size, uploader_id=request.user.pk)
    if not archive:
        parts = reverse("clip-set-part", args=[clip_set.slug])
        facts = {
            "address": clip_set.get_absolute_url(),
            "parts": parts,
            "received": clip_set.received,
            "part": uploads.PART,
        }
        return JsonResponse(facts)
    archive.seek(clip_set.received)
    while content := archive.read(uploads.PART):
        clip_set.received = uploads.add_part(clip_set, clip_set.received, content)
    return redirect(clip_set)


@never_cache
@login_required
@permission_required(SENDS, raise_exception=True)
@require_http_methods(["PUT"])
def part(request: HttpRequest, slug: str) -> JsonResponse:
    """Bytes of an archive, as Content-Range says; the answer says how many are here, also if others were wanted."""
    clip_set = get_object_or_404(ClipSet, key=slug, uploader_id=request.user.pk)
    place = RANGE.fullmatch(request.headers.get("Content-Range", ""))
    if place is None:
        return JsonResponse({"problem": "needs a Content-Range such as bytes 0-99/1000"}, status=400)
    try:
        return JsonResponse({"received": uploads.add_part(clip_set, int(place[1]), request.body)})
    except uploads.OtherPartWanted as other:
        return JsonResponse({"received": other.received, "problem": str(other)}, status=409)
    except BenchmarkError as error:
        return JsonResponse({"problem": str(error)}, status=422)


def visible_to(request: HttpRequest) -> QuerySet[ClipSet]:
    """What was listed; to those who sent a set also theirs, and to staff all."""
    if request.user.has_perm(DECIDES):
        return ClipSet.objects.all()
    return ClipSet.objects.filter(Q(state__in=PUBLIC_STATES) | Q(uploader_id=request.user.pk, uploader__isnull=False))


@never_cache
@require_safe
def clip_set(request: HttpRequest, slug: str) -> HttpResponse:
    """One set. While it waits, its key is its address, which leads to the new one later."""
    found = get_object_or_404(visible_to(request).select_related("pack", "generator"), Q(slug=slug) | Q(key=slug))
    if found.slug != slug:
        return redirect(found)
    clips = found.clips.select_related("prompt", "clip_set").order_by("prompt__key", "take", "pk")
    facts = {
        "set": found,
        "errors": [finding | {"remedy": REMEDIES.get(finding["code"], "")} for finding in _findings(found, "error")],
        "more": [(name.capitalize(), found.card[name]) for name in MORE if name in found.card],
        "notes": _findings(found, "note"),
        "changes": found.changes.all(),
        "figures": _figures_of(found),
        "count": len(clips),
        "page": page_of(request, clips, CLIPS_A_PAGE) if may_see_clips(request, found) else None,
        "decides": request.user.has_perm(DECIDES),
        "is_own": _is_own(request, found),
    }
    return render(request, "generated/set.html", SECTION | facts)


def _figures_of(found: ClipSet) -> dict[str, Any] | None:
    """Its row on the board that its pack's address opens; None where it has none."""
    address = BoardAddress(found.pack, found.pack.rounds.first())
    if found.state != ClipSetState.LISTED or address.round is None or not address.columns:
        return None
    board = address.board(address.columns[0])
    rows = [row for row in (*board["ranked_rows"], *board["line_rows"]) if row[0].row.slug == found.slug]
    return {"line": rows[0][0], "cells": rows[0][1], "column": address.columns[0]} if rows else None


def _findings(found: ClipSet, weight: str) -> list[dict[str, str]]:
    return [finding for finding in found.findings if finding["weight"] == weight]


def _is_own(request: HttpRequest, found: ClipSet) -> bool:
    return found.uploader_id is not None and found.uploader_id == request.user.pk


def may_see_clips(request: HttpRequest, found: ClipSet) -> bool:
    """Whether the reader may see who made which clip of a set."""
    if request.user.has_perm(DECIDES) or _is_own(request, found):
        return found.state in (ClipSetState.CHECKED, ClipSetState.LISTED)
    return found.state == ClipSetState.LISTED and are_named(found.clips.all())


@require_safe
def clip(request: HttpRequest, slug: str, pk: int) -> HttpResponseBase:
    """The file of one clip."""
    found = get_object_or_404(visible_to(request), slug=slug)
    chosen = get_object_or_404(GeneratedClip.objects.select_related("clip_set"), clip_set=found, pk=pk)
    sent = (
        serve_stored(request, chosen.stored, "video/mp4", cache="private, no-store")
        if may_see_clips(request, found)
        else None
    )
    if sent is None:
        raise Http404("no such file")
    return sent


@login_required
@require_POST
def decision(request: HttpRequest, slug: str) -> HttpResponse:
    """List or withdraw a set, or append a line to its changes; whoever sent one may withdraw it."""
    found = get_object_or_404(visible_to(request), slug=slug)
    act, decides, is_own = request.POST.get("act"), request.user.has_perm(DECIDES), _is_own(request, found)
    what, requester = request.POST.get("what", "")[:450], request.POST.get("asked_by", "")[:120]
    if not (decides or (is_own and act == "withdraw")):
        raise PermissionDenied
    assert request.user.pk is not None, "the view is for signed-in people"
    try:
        if act == "list":
            moderation.list_set(clip_set=found, by_id=request.user.pk)
        elif act == "withdraw":
            by = moderation.STAFF if decides else moderation.UPLOADER
            moderation.withdraw(clip_set=found, reason=what, requester=by, by_id=request.user.pk)
        else:
            moderation.dispute(clip_set=found, requester=requester, what=what, by_id=request.user.pk)
    except BenchmarkError as error:
        messages.error(request, str(error))
    return redirect(found)
