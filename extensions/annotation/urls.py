"""URLs of this extension."""

from django.urls import path

from extensions.annotation.material import views

urlpatterns = [
    path("material/", views.materials, name="materials"),
    path("material/<slug:slug>/", views.material, name="material"),
    path("material/<slug:slug>/discard/", views.discard, name="material-discard"),
    path("material/<slug:slug>/pack/", views.pack, name="material-pack"),
    path("material/<slug:slug>/files/<int:pk>/remove/", views.remove, name="material-remove"),
    path("material/<slug:slug>/clips/<int:pk>/", views.decision, name="material-decision"),
    path("material/<slug:slug>/clips/<int:pk>.<slug:kind>", views.clip_file, name="material-clip"),
]
