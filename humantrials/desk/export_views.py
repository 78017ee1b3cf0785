"""What leaves the site for those who may manage a trial: the data set in files, as an archive or by API; the plan."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound, PermissionDenied, ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.authentication import InScope
from accounts.typing import SignedInRequest
from humantrials.desk.study_views import ZIP, at_the_desk, desk, download, need_tab
from humantrials.kinds import kind_of
from humantrials.models import Trial
from humantrials.permissions import may_manage
from humantrials.planning.preregistration import preregistration_of
from humantrials.results.data_set import Source, as_zip, files_of, may_leave

TYPES = {"md": "text/markdown", "json": "application/json", "csv": "text/csv", "R": "text/plain", "py": "text/plain"}
NOT_YET = "The answers can be downloaded once the study is closed and none of its items is sealed."
PLAN = "documentation/preregistration"  # may be read before the answers


@at_the_desk
def export(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """The files of the data set, and the plan that was frozen."""
    need_tab(trial, "export")
    source = Source(trial)
    return desk(
        request,
        "export",
        trial,
        "export",
        files=files_of(source).items(),
        is_ready=may_leave(trial),
        plan=preregistration_of(trial),
        plan_paths=[path for path in files_of(source) if path.startswith(PLAN)],
    )


@at_the_desk
def export_archive(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """All files in one archive; with `?people=codes` under random codes, which is logged."""
    need_tab(trial, "export")
    if request.GET.get("people", "numbers") not in ("numbers", "codes"):
        raise Http404
    if not may_leave(trial):
        messages.warning(request, NOT_YET)
        return redirect("trial-export", trial.slug)
    has_codes = request.GET.get("people") == "codes"
    if has_codes:
        trial.events.create(kind="export", note="with random codes and times", by=request.user)
    return download(as_zip(Source(trial, is_anonymous=not has_codes)), f"{trial.slug}.zip", ZIP)


@at_the_desk
def export_file(request: SignedInRequest, trial: Trial, path: str) -> HttpResponse:
    """One anonymous file of the data set; with `?excel=1` a table begins with the mark by which Excel knows UTF-8."""
    need_tab(trial, "export")
    source = Source(trial)
    file = files_of(source).get(path)
    if file is None:
        raise Http404
    if not (may_leave(trial) or path.startswith(PLAN)):
        messages.warning(request, NOT_YET)
        return redirect("trial-export", trial.slug)
    name = path.rpartition("/")[2]
    mark = "\ufeff" if request.GET.get("excel") == "1" and path.endswith(".csv") else ""
    return download((mark + file.text(source)).encode(), name, f"{TYPES[name.rpartition('.')[2]]}; charset=utf-8")


PARAMETERS = ("file",)


class TrialExportView(APIView):
    """The anonymous data set of one study."""

    permission_classes = [IsAuthenticated, InScope]

    @extend_schema(
        summary="Data set of a study, for its author",
        parameters=[OpenApiParameter("file", OpenApiTypes.STR, description="one path of the folder; else all, zipped")],
        responses={(200, "application/zip"): OpenApiTypes.BINARY, 400: OpenApiTypes.OBJECT, 403: OpenApiTypes.OBJECT},
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        """A Psych-DS folder without random codes, times of day and free text, once the study is closed."""
        trial, path = _trial_of(request, slug), request.query_params.get("file", "")
        if unknown := sorted(set(request.query_params) - set(PARAMETERS)):
            raise ValidationError({unknown[0]: f"does not exist; there is: {', '.join(PARAMETERS)}"})
        source = Source(trial)
        files = files_of(source)
        if path and path not in files:
            raise ValidationError({"file": f"does not exist; there is: {', '.join(files)}"})
        if not (may_leave(trial) or path.startswith(PLAN)):
            raise PermissionDenied(NOT_YET)
        if path:
            return HttpResponse(files[path].text(source), content_type="text/plain; charset=utf-8")
        return download(as_zip(source), f"{trial.slug}.zip", ZIP)


def _trial_of(request: Request, slug: str) -> Trial:
    trial = get_object_or_404(Trial.objects.select_related("pack"), slug=slug)
    if not may_manage(request.user, trial) or "export" not in {tab.name for tab in kind_of(trial).tabs}:
        raise NotFound
    return trial
