"""The page for a benchmark as a file: a ZIP of its folder is checked, previewed and imported by a worker."""

import json
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from benchmarks.definitions.files.schema import Mistake
from benchmarks.errors import BenchmarkError
from benchmarks.gallery.folder_queue import PACKED, import_checked, receive
from benchmarks.models import FolderUpload
from benchmarks.policy import LIMITS

# Who has the second alone may send folders of extensions: the queue knows which folders these are.
SENDS = ("benchmarks.add_benchmarkfile", "benchmarks.add_folderupload")
STATUS = {"mistakes": 422, "refusal": 422, "away": 503}  # of an answer with this result


class BenchmarkUploadForm(forms.Form):
    """A ZIP of a folder with a benchmark.toml."""

    folder = forms.FileField(
        label="ZIP of the folder", help_text=f"at most {LIMITS['benchmark'].words}; larger ones by import_benchmark"
    )

    def clean_folder(self) -> Any:
        file = self.cleaned_data["folder"]
        if file.size > PACKED:
            raise forms.ValidationError(
                f"The file has more than {LIMITS['benchmark'].words}; import it with the command."
            )
        return file


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """Check a folder and preview the benchmark; the second button imports it without a second upload."""
    if not any(request.user.has_perm(permission) for permission in SENDS):
        raise PermissionDenied
    if request.method != "POST":
        return _page(request, BenchmarkUploadForm(), FolderUpload.objects.filter(owner_id=request.user.pk).first())
    key = "" if request.FILES else request.POST.get("checked", "")
    form = BenchmarkUploadForm() if key else BenchmarkUploadForm(request.POST, request.FILES)
    try:
        received = import_checked(key=key, user_id=_person(request)) if key else _received(request, form)
    except BenchmarkError as error:
        return render(request, "benchmarks/file_upload.html", _context(form) | {"refusal": str(error)}, status=422)
    return _answered(request, form, received)


def _received(request: HttpRequest, form: BenchmarkUploadForm) -> FolderUpload | None:
    """The queued upload; None if the form has an error."""
    if not form.is_valid():
        return None
    file = form.cleaned_data["folder"]
    return receive(file=file, name=file.name, user_id=_person(request), imports="import" in request.POST)


def _answered(request: HttpRequest, form: BenchmarkUploadForm, received: FolderUpload | None) -> HttpResponse:
    """The result if it is there already, else the page that waits for it; an imported benchmark's own page."""
    if received is None:
        return _page(request, form, None, status=422)
    if received.is_open:
        return redirect("benchmark-files")
    result = json.loads(received.result)
    if "imported" in result:
        messages.success(request, result["line"])
        return redirect(result["address"] if "address" in result else reverse("benchmark", args=[result["imported"]]))
    refused = bool(result.get("other", {}).get("errors"))
    return _page(
        request,
        form,
        received,
        status=next((STATUS[name] for name in STATUS if name in result), 422 if refused else 200),
    )


def _page(
    request: HttpRequest, form: BenchmarkUploadForm, received: FolderUpload | None, status: int = 200
) -> HttpResponse:
    context = _context(form) | {"upload": received}
    if received and not received.is_open:
        result = json.loads(received.result)
        context |= result | {"mistakes": [Mistake(*mistake) for mistake in result.get("mistakes", ())]}
        is_good = "report" in result or not result.get("other", {"errors": True})["errors"]
        context["checked"] = received.key if is_good else ""
    return render(request, "benchmarks/file_upload.html", context, status=status)


def _person(request: HttpRequest) -> int:
    assert request.user.pk is not None, "the page is for signed-in staff"
    return request.user.pk


def _context(form: BenchmarkUploadForm) -> dict[str, Any]:
    return {"section": "benchmarks", "form": form}
