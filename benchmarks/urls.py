"""URLs of this app."""

from django.urls import path

from benchmarks.gallery import file_upload, views
from benchmarks.material import views as material_views

urlpatterns = [
    path("benchmarks/", views.benchmarks, name="benchmarks"),
    path("benchmarks/<slug:slug>/", views.benchmark, name="benchmark"),
    path("benchmarks/<slug:slug>/progress.json", views.progress, name="benchmark-progress"),
    path("benchmarks/<slug:slug>/items/", views.items, name="items"),
    path("benchmarks/<slug:slug>/items.jsonl", views.items_download, name="items-download"),
    path("benchmarks/<slug:slug>/items/<slug:public_id>/ground-truth.zip", views.truth_download, name="ground-truth"),
    path(
        "benchmarks/<slug:slug>/items/<slug:public_id>/without/<int:uid>.mp4", views.clip_without, name="clip-without"
    ),
    path("benchmark-files/", file_upload.upload, name="benchmark-files"),
    path("material/", material_views.materials, name="materials"),
    path("material/<slug:slug>/", material_views.material, name="material"),
    path("material/<slug:slug>/discard/", material_views.discard, name="material-discard"),
    path("material/<slug:slug>/pack/", material_views.pack, name="material-pack"),
    path("material/<slug:slug>/files/<int:pk>/remove/", material_views.remove, name="material-remove"),
    path("material/<slug:slug>/clips/<int:pk>/", material_views.decision, name="material-decision"),
    path("material/<slug:slug>/clips/<int:pk>.<slug:kind>", material_views.clip_file, name="material-clip"),
    path("media/<str:name>", views.media, name="media"),
]
