"""API calls by which programs, and the page's own script, send a clip set in parts and learn what its check found."""

import re

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import BasePermission, IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.authentication import InScope
from accounts.throttling import UploadThrottle, UserThrottle
from benchmarks.errors import ContentRefused
from extensions.generated.clipsets import uploads
from extensions.generated.models import ClipSet, ClipSetState, PromptPack

RANGE = re.compile(r"bytes (\d{1,15})-\d{1,15}/\d{1,15}", re.ASCII)


class BegunClipSetSerializer(serializers.Serializer):
    """The archive that is to come: a ZIP of card.toml, manifest.csv and the clips."""

    pack = serializers.SlugRelatedField("slug", queryset=PromptPack.objects.exclude(prompts=None))
    name = serializers.CharField(max_length=200, help_text="of the file")
    size = serializers.IntegerField(min_value=1, help_text="in bytes")
    right = serializers.BooleanField(help_text="you may show these clips to raters and on this site")

    def validate_right(self, has_right: bool) -> bool:
        if not has_right:
            raise ValidationError("only clips that you may show to raters and on this site can be sent")
        return has_right


class ClipSetSerializer(serializers.ModelSerializer[ClipSet]):
    """A clip set of yours: how much of it is here, and what its check found by line of the manifest or field."""

    address = serializers.SerializerMethodField(help_text="where its parts go by PUT, and its state is read")
    page = serializers.CharField(source="get_absolute_url")
    state = serializers.CharField(help_text=", ".join(ClipSetState.values))
    part = serializers.IntegerField(default=lambda: uploads.PART, help_text="the most bytes of a part")
    findings = serializers.ListField(child=serializers.DictField(), help_text="weight, place, code and text")

    class Meta:
        model = ClipSet
        fields = (
            *("address", "page", "title", "state", "size", "received", "part"),
            *("clips_done", "clips_total", "findings"),
        )

    def get_address(self, clip_set: ClipSet) -> str:
        return reverse("api-clip-set", args=[clip_set.key])


class MaySend(BasePermission):
    message = "Your account may send no clip sets: ask the site's staff for the role of an author."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return bool(request.user.has_perm("generated.add_clipset"))


class ClipSetsView(APIView):
    """Clip sets that are sent."""

    permission_classes = [IsAuthenticated, InScope, MaySend]
    throttle_classes = [UserThrottle, UploadThrottle]

    @extend_schema(request=BegunClipSetSerializer, responses={201: ClipSetSerializer, 422: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """Begin to send a clip set, or go on with the same file: `received` says from which byte."""
        sent = BegunClipSetSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        pack, name, size = (sent.validated_data[field] for field in ("pack", "name", "size"))
        try:
            clip_set = uploads.begin(pack=pack, archive=name, size=size, uploader_id=request.user.pk)
        except ContentRefused as refused:
            return Response({"detail": str(refused)}, status=422)
        return Response(ClipSetSerializer(clip_set).data, status=201)


class ClipSetView(APIView):
    """One clip set that you sent."""

    permission_classes = [IsAuthenticated, InScope, MaySend]

    @extend_schema(responses={200: ClipSetSerializer})
    def get(self, request: Request, key: str) -> Response:
        """The state of a clip set that you sent, and what its check found."""
        return Response(ClipSetSerializer(self._own(request, key)).data)

    @extend_schema(
        parameters=[OpenApiParameter("Content-Range", str, OpenApiParameter.HEADER, description="bytes 0-99/1000")],
        request={"application/octet-stream": OpenApiTypes.BINARY},
        responses={200: ClipSetSerializer, 409: ClipSetSerializer, 422: OpenApiTypes.OBJECT},
    )
    def put(self, request: Request, key: str) -> Response:
        """The next bytes of its archive; 409 if others are wanted, from `received` on."""
        clip_set = self._own(request, key)
        place, status = RANGE.fullmatch(request.headers.get("Content-Range", "")), 200
        if place is None:
            raise ValidationError({"Content-Range": "is needed, such as bytes 0-99/1000"})
        try:
            uploads.add_part(clip_set, int(place[1]), request.body)
        except uploads.OtherPartWanted:
            status = 409
        except ContentRefused as refused:
            return Response({"detail": str(refused)}, status=422)
        clip_set.refresh_from_db()
        return Response(ClipSetSerializer(clip_set).data, status=status)

    def _own(self, request: Request, key: str) -> ClipSet:
        own: QuerySet[ClipSet] = ClipSet.objects.filter(uploader_id=request.user.pk)
        return get_object_or_404(own, key=key)
