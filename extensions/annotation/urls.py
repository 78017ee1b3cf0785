"""URLs of this extension."""

from django.urls import path

from benchmarks.models import RenditionKind
from extensions.annotation.desk import answer_views
from extensions.annotation.desk import views as desk_views
from extensions.annotation.material import views

FRAME = {"kind": RenditionKind.POSTER, "content_type": "image/jpeg"}
CLIP = {"kind": RenditionKind.ORIGINAL, "content_type": "video/mp4"}

urlpatterns = [
    path("trials/<slug:slug>/annotation/", desk_views.annotation, name="annotation"),
    path("trials/<slug:slug>/annotation/questions/", desk_views.questions, name="annotation-questions"),
    path("trials/<slug:slug>/annotation/rounds/", desk_views.rounds, name="annotation-rounds"),
    path("trials/<slug:slug>/annotation/answers/", answer_views.answers, name="annotation-answers"),
    path("trials/<slug:slug>/annotation/answers/<int:pk>/", answer_views.answer_decision, name="annotation-answer"),
    path("trials/<slug:slug>/annotation/data-set.zip", desk_views.data_set, name="annotation-data-set"),
    path("trials/<slug:slug>/annotation/<int:number>.jpg", desk_views.object_file, FRAME, name="annotation-frame"),
    path("trials/<slug:slug>/annotation/<int:number>.mp4", desk_views.object_file, CLIP, name="annotation-clip"),
    path("material/", views.materials, name="materials"),
    path("material/<slug:slug>/", views.material, name="material"),
    path("material/<slug:slug>/discard/", views.discard, name="material-discard"),
    path("material/<slug:slug>/pack/", views.pack, name="material-pack"),
    path("material/<slug:slug>/files/<int:pk>/remove/", views.remove, name="material-remove"),
    path("material/<slug:slug>/clips/<int:pk>/", views.decision, name="material-decision"),
    path("material/<slug:slug>/clips/<int:pk>.<slug:kind>", views.clip_file, name="material-clip"),
]
