"""URLs of this app."""

from django.urls import path

from benchmarks.gallery import file_upload, views

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
    path("media/<str:name>", views.media, name="media"),
]
