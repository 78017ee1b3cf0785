"""Pages of material for annotation: the user's list, the review of clips, and the files."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from benchmarks.errors import BenchmarkError
from benchmarks.gallery.query import page_of
from benchmarks.leasing import queue_task
from benchmarks.storage.ranged_responses import serve_stored
from extensions.annotation.material.forms import DecisionForm, NewMaterialForm, UploadForm
from extensions.annotation.material.make_pack import order_pack
from extensions.annotation.material.review import REASONS, clips_of, decide, overview, undo
from extensions.annotation.material.uploads import (
    PACK,
    READ,
    FileKnown,
    StoredFile,
    begin_material,
    here_already,
    known,
    remove_file,
    remove_material,
    stored_name,
    take_in,
)
from extensions.annotation.models import Material, MaterialClip, MaterialFile

MAKES, SEES_ALL = "annotation.add_material", "annotation.change_material"
PAGE = 24
FILTERS = {
    "all": lambda clip: True,
    "kept": lambda clip: clip.is_kept,
    "dropped": lambda clip: not clip.is_kept,
    "open": lambda clip: clip.decision is None,
}
KINDS = {"mp4": "video/mp4", "jpg": "image/jpeg"}
View = Callable[..., HttpResponseBase]


def of_material(view: View) -> View:
    """Decorate a view: pass it the material of the URL if the signed-in user may work on it."""

    @login_required
    @never_cache
    @wraps(view)
    def inner(request: HttpRequest, slug: str, **arguments: Any) -> HttpResponseBase:
        material = get_object_or_404(Material.objects.select_related("pack"), slug=slug)
        is_own = request.user.has_perm(MAKES) and material.author_id == request.user.pk
        if not (is_own or request.user.has_perm(SEES_ALL)):
            raise PermissionDenied
        return view(request, material, **arguments)

    return inner


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def materials(request: HttpRequest) -> HttpResponse:
    """The user's materials (staff: all), and the form for a new one."""
    if not request.user.has_perm(MAKES):
        raise PermissionDenied
    form = NewMaterialForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            return redirect(begin_material(author_id=request.user.pk, **form.cleaned_data))
        except BenchmarkError as error:
            form.add_error("slug", str(error))
    found = Material.objects.select_related("pack")
    if not request.user.has_perm(SEES_ALL):
        found = found.filter(author_id=request.user.pk)
    rows = [(material, overview(material, clips_of(material))) for material in found[:100]]
    context = {"section": "trials", "form": form, "rows": rows}
    return render(request, "annotation/materials.html", context, status=400 if form.errors else 200)


@of_material
@require_http_methods(["GET", "HEAD", "POST"])
def material(request: HttpRequest, material: Material) -> HttpResponse:
    """The review page: the files, and every clip with the reason for dropping it; POST uploads files."""
    form = UploadForm(request.POST, request.FILES) if request.method == "POST" else UploadForm()
    if request.method == "POST" and form.is_valid():
        _take_in(request, material, form)
        return redirect(material)
    clips = clips_of(material)
    show = request.GET.get("show", "all")
    if show not in FILTERS:
        raise Http404("no such choice")
    page = page_of(request, [clip for clip in clips if FILTERS[show](clip)], PAGE, or_nearest=True)
    context = _facts(material, clips) | {"form": form, "page": page, "show": show}
    return render(request, "annotation/material.html", context, status=400 if form.errors else 200)


def _facts(material: Material, clips: list[MaterialClip]) -> dict[str, Any]:
    return {
        "section": "trials",
        "material": material,
        "files": list(material.files.all()),
        "production": material.production,
        "is_closed": material.is_closed,
        "overview": overview(material, clips),
        "counts": [(name, sum(map(shows, clips))) for name, shows in FILTERS.items()],
        "reasons": REASONS,
    }


def _take_in(request: HttpRequest, material: Material, form: UploadForm) -> None:
    """Store each file separately: report refused files, and queue the others."""
    taken, before = 0, []
    for sent in form.cleaned_data["videos"]:
        try:
            file = take_in(material=material, name=sent.name, chunks=sent.chunks())
        except FileKnown as error:
            before.append(known(error))
        except BenchmarkError as error:
            messages.error(request, str(error))
        else:
            transaction.on_commit(partial(queue_task, READ, file.pk))
            taken += 1
    if taken:
        messages.success(request, f"{taken} {'file has' if taken == 1 else 'files have'} arrived, to be read now.")
    _tell_of(request, before, len(form.cleaned_data["videos"]))


def _tell_of(request: HttpRequest, before: list[StoredFile], sent: int) -> None:
    """Add messages about files that were uploaded before."""
    for one in before:
        if one.problem:
            messages.error(request, f"{one.problem} (it came before)")
    if here := [one for one in before if not one.problem]:
        messages.info(request, f"{here_already(here, sent)}. Their clips are among those below.")


@of_material
@require_POST
def decision(request: HttpRequest, material: Material, pk: int) -> HttpResponse:
    """Keep or drop a clip, or undo the latest decision; the script gets the card and the figures, others a redirect."""
    clip = get_object_or_404(MaterialClip.objects.select_related("file__material"), file__material=material, pk=pk)
    form, show = DecisionForm(request.POST), request.GET.get("show", "all")
    if not form.is_valid():
        problem = "; ".join(f"{name}: {errors[0]}" for name, errors in form.errors.items())
    else:
        problem = _decided(clip, form, request)
    if request.headers.get("X-Part") == "card":
        clips = clips_of(material)
        context = _facts(material, clips) | {"clip": clip, "problem": problem, "show": show, "is_part": True}
        return render(request, "annotation/parts/material_decided.html", context, status=400 if problem else 200)
    if problem:
        messages.error(request, problem)
    page = request.GET.get("page", "1")
    return redirect(f"{material.get_absolute_url()}?show={show}&page={page}#clip-{clip.pk}")


def _decided(clip: MaterialClip, form: DecisionForm, request: HttpRequest) -> str:
    """Carry out the decision; return why it was refused, or an empty string."""
    act = form.cleaned_data["act"]
    try:
        if act == "undo":
            undo(clip=clip)
        else:
            decide(clip=clip, keeps=act == "keep", reason=form.why, by_id=request.user.pk)
    except BenchmarkError as error:
        return str(error)
    return ""


@of_material
@require_safe
def clip_file(request: HttpRequest, material: Material, pk: int, kind: str) -> HttpResponseBase:
    """The clip, or its middle frame."""
    clip = get_object_or_404(MaterialClip.objects.select_related("file"), file__material=material, pk=pk)
    name = stored_name(clip.file, f"{clip.number}.{kind}")
    sent = serve_stored(request, name, KINDS[kind], cache="private, no-store") if kind in KINDS else None
    if sent is None:
        raise Http404("no such file")
    return sent


@of_material
@require_POST
def remove(request: HttpRequest, material: Material, pk: int) -> HttpResponse:
    """Remove a file and its clips."""
    file = get_object_or_404(MaterialFile, material=material, pk=pk)
    try:
        remove_file(file)
        messages.success(request, f"{file.name} is taken out, with its clips.")
    except BenchmarkError as error:
        messages.error(request, str(error))
    return redirect(material)


@of_material
@require_http_methods(["GET", "HEAD", "POST"])
def discard(request: HttpRequest, material: Material) -> HttpResponse:
    """Ask for confirmation, then remove the whole material."""
    if request.method != "POST":
        return _asks(request, material, "discard")
    try:
        remove_material(material)
    except BenchmarkError as error:
        messages.error(request, str(error))
        return redirect(material)
    messages.success(request, f"{material.title} is removed, with its files and clips.")
    return redirect("materials")


def _asks(request: HttpRequest, material: Material, what: str) -> HttpResponse:
    """A page with the consequences and a button for the action; a closed material redirects to its page."""
    if material.is_closed:
        return redirect(material)
    context = _facts(material, clips_of(material))
    return render(request, f"annotation/material_{what}.html", context)


@of_material
@require_http_methods(["GET", "HEAD", "POST"])
def pack(request: HttpRequest, material: Material) -> HttpResponse:
    """Ask for confirmation, then freeze the material and order the pack of the kept clips."""
    if request.POST.get("confirmed") != "1":
        return _asks(request, material, "pack")
    try:
        production = order_pack(material)
        transaction.on_commit(partial(queue_task, PACK, production.pk))
        messages.success(request, "The pack is being made; nothing of the material changes any more.")
    except BenchmarkError as error:
        messages.error(request, str(error))
    return redirect(material)
