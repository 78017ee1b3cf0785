"""The data set of a trial by API key, for those who may manage the trial."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound, PermissionDenied, ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.authentication import InScope
from humantrials.desk.export_views import NOT_YET, PLAN
from humantrials.kinds import kind_of
from humantrials.models import Trial
from humantrials.permissions import may_manage
from humantrials.results.data_set import Source, as_zip, files_of, may_leave

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
        name = {"Content-Disposition": f'attachment; filename="{trial.slug}.zip"'}
        return HttpResponse(as_zip(source), content_type="application/zip", headers=name)


def _trial_of(request: Request, slug: str) -> Trial:
    trial = get_object_or_404(Trial.objects.select_related("pack"), slug=slug)
    if not may_manage(request.user, trial) or "export" not in {tab.name for tab in kind_of(trial).tabs}:
        raise NotFound
    return trial
