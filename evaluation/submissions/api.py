"""The API's door for uploads: the same file and header as on the page, sent with a key of the account page."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import InScope
from evaluation.models import Run, RunKind
from evaluation.submissions.headers import FIELDS, OPTIONAL
from evaluation.submissions.problems import SubmissionRefused
from evaluation.submissions.submitting import SubmissionHasProblems, submit

NEWEST = 100


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
    problems = ProblemSerializer(many=True)
    run = serializers.IntegerField(required=False)
    listing = serializers.CharField(required=False)


class OwnSubmissionSerializer(serializers.Serializer):
    """One submission of yours and where it stands."""

    run = serializers.IntegerField()
    model = serializers.CharField()
    benchmark = serializers.CharField()
    pack = serializers.CharField()
    strategy = serializers.CharField()
    condition = serializers.CharField()
    split = serializers.CharField()
    listing = serializers.CharField()
    rows = serializers.IntegerField()
    score = serializers.FloatField(allow_null=True)
    history = serializers.ListField(child=serializers.DictField())


class SubmissionsView(APIView):
    """Upload a file of answers."""

    permission_classes = [IsAuthenticated, InScope]
    parser_classes = [MultiPartParser]

    @extend_schema(responses={200: OwnSubmissionSerializer(many=True)}, operation_id="submissions_list")
    def get(self, request: Request) -> Response:
        """Your newest submissions and where they stand, the newest first."""
        runs = Run.objects.filter(kind=RunKind.UPLOADED, owner=request.user).select_related("model", "pack")
        return Response([_own(run) for run in runs[:NEWEST]])

    @extend_schema(
        request=SubmissionSerializer, responses={201: SubmissionReportSerializer, 422: SubmissionReportSerializer}
    )
    def post(self, request: Request) -> Response:
        """Lint the file and store it as a private run; problems come back by line and item, with nothing stored."""
        sent = SubmissionSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        given = {name: sent.validated_data[name] for name in (*FIELDS, *OPTIONAL) if name in sent.validated_data}
        try:
            run = submit(file=sent.validated_data["file"], user=request.user, header=given)
        except SubmissionHasProblems as refusal:
            return Response(refusal.report.facts, status=422)
        except SubmissionRefused as refusal:
            return Response({"detail": str(refusal)}, status=409)
        return Response(_stored(run), status=201)


def _own(run: Run) -> dict[str, object]:
    found = run.card["lint"]
    return {
        "run": run.pk, "model": run.model.name, "benchmark": run.pack.benchmark, "pack": run.pack.name,
        "strategy": run.strategy, "condition": run.condition, "split": run.split, "listing": run.listing,
        "rows": found["rows"], "score": found["score"], "history": run.card["history"],
    }  # fmt: skip


def _stored(run: Run) -> dict[str, object]:
    found = run.card["lint"]
    return {
        "ok": True, "rows": found["rows"], "score": found["score"], "problems": [],
        "run": run.pk, "listing": run.listing,
    }  # fmt: skip
