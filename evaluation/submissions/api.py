"""API views for uploads: they take the same file and header as the page, with an API key from the account page."""

from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import InScope
from accounts.throttling import UploadThrottle, UserThrottle
from evaluation.models import Run, Upload, UploadState
from evaluation.runs.results import accuracies
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.files.rows import FIELDS, OPTIONAL
from evaluation.submissions.lint import reports
from evaluation.submissions.store.submit import facts_of_stored
from evaluation.submissions.store.upload_queue import receive

NEWEST = 100
STATUS: dict[str, int] = {UploadState.STORED: 201, UploadState.CHECKED: 200, UploadState.REFUSED: 422}


class SubmissionSerializer(serializers.Serializer):
    """What may be sent: a file and, for tables and result files without a header line, the header's fields."""

    file = serializers.FileField()
    benchmark = serializers.CharField(required=False)
    pack = serializers.CharField(required=False)
    model = serializers.CharField(required=False)
    strategy = serializers.CharField(required=False)
    condition = serializers.CharField(required=False)
    split = serializers.CharField(required=False)
    revision = serializers.CharField(required=False)
    parser = serializers.CharField(
        required=False, help_text="which rule reads raw replies; the benchmark's own without"
    )
    check = serializers.BooleanField(default=False, help_text="only lint the file, and store nothing")


class ProblemSerializer(serializers.Serializer):
    """One thing that is wrong with a file."""

    line = serializers.IntegerField(allow_null=True)
    item = serializers.CharField(allow_null=True)
    what = serializers.CharField()


class SubmissionReportSerializer(serializers.Serializer):
    """What was found, and the run that was stored when nothing was wrong."""

    ok = serializers.BooleanField()
    rows = serializers.IntegerField()
    score = serializers.FloatField(allow_null=True)
    parser = serializers.CharField(required=False, help_text="rule and version that read the answers")
    notes = serializers.ListField(child=serializers.CharField(), help_text="what was chosen among the file's answers")
    problems = ProblemSerializer(many=True)
    run = serializers.IntegerField(required=False)
    listing = serializers.CharField(required=False)


class UploadSerializer(serializers.Serializer):
    """A file that was sent: its state, and its result once it has been checked."""

    upload = serializers.CharField()
    state = serializers.ChoiceField(choices=UploadState.choices)
    rows = serializers.IntegerField()
    reason = serializers.CharField(allow_blank=True)
    url = serializers.CharField()
    result = SubmissionReportSerializer(allow_null=True)


class OwnSubmissionSerializer(serializers.Serializer):
    """One of your submissions and its state; the context has scores of answers that were loaded since the upload."""

    run = serializers.IntegerField(source="pk")
    model = serializers.CharField(source="model.name")
    benchmark = serializers.CharField(source="pack.benchmark")
    pack = serializers.CharField(source="pack.name")
    strategy = serializers.CharField()
    condition = serializers.CharField()
    split = serializers.CharField()
    listing = serializers.CharField()
    rows = serializers.IntegerField(source="card.lint.rows")
    score = serializers.SerializerMethodField()
    history = serializers.ListField(source="card.history", child=serializers.DictField())

    def get_score(self, run: Run) -> float | None:
        at_upload: float | None = run.card["lint"]["score"]
        return self.context["since"].get(run.pk) if at_upload is None else at_upload


class SubmissionsView(APIView):
    """Upload a file of answers."""

    permission_classes = [IsAuthenticated, InScope]
    parser_classes = [MultiPartParser]
    throttle_classes = [UserThrottle, UploadThrottle]

    @extend_schema(responses={200: OwnSubmissionSerializer(many=True)}, operation_id="submissions_list")
    def get(self, request: Request) -> Response:
        """Your latest submissions and their states, newest first."""
        runs = Run.objects.submissions().filter(owner=request.user).select_related("model", "pack")
        newest = list(runs[:NEWEST])
        since = accuracies(run for run in newest if run.card["lint"]["score"] is None)
        return Response(OwnSubmissionSerializer(newest, many=True, context={"since": since}).data)

    @extend_schema(
        request=SubmissionSerializer,
        responses={
            200: SubmissionReportSerializer,
            201: SubmissionReportSerializer,
            202: UploadSerializer,
            422: SubmissionReportSerializer,
        },
    )
    def post(self, request: Request) -> Response:
        """Lint the file and store it as a private run; problems come back by line and item, with nothing stored.

        With `check` nothing is stored, and a good file is 200.
        A file that takes more than a moment to check is 202, and `url` says where to ask what became of it.
        """
        sent = SubmissionSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        fields = {name: sent.validated_data[name] for name in (*FIELDS, *OPTIONAL) if name in sent.validated_data}
        try:
            file, only_check = sent.validated_data["file"], sent.validated_data["check"]
            upload = receive(file=file, name=file.name, user=request.user, header=fields, only_check=only_check)
            found = _upload(upload)
        except SubmissionRefused as refusal:
            return Response({"detail": str(refusal)}, status=409)
        if found["result"]:
            return Response(found["result"], status=STATUS[upload.state])
        return Response(found, status=202)


class UploadView(APIView):
    """One file that you sent."""

    permission_classes = [IsAuthenticated, InScope]

    @extend_schema(responses={200: UploadSerializer}, operation_id="submissions_upload")
    def get(self, request: Request, key: str) -> Response:
        """The state of one of the files that you sent, and its result."""
        return Response(_upload(get_object_or_404(Upload, key=key, owner=request.user)))


def _upload(upload: Upload) -> dict[str, object]:
    result = facts_of_stored(upload.run) if upload.run else None
    if upload.report and upload.owner and (report := reports.find(key=upload.report, user=upload.owner)):
        problems = [{name: each[name] or None for name in ("line", "item", "what")} for each in report["problems"]]
        result = {"ok": not problems, **{name: report.get(name, "") for name in ("rows", "score", "parser")}}
        result |= {"notes": report["notes"], "problems": problems}
    return {
        "upload": upload.key,
        "state": upload.state,
        "rows": upload.rows,
        "reason": upload.reason,
        "url": reverse("api-upload", args=[upload.key]),
        "result": result,
    }
