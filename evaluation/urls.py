"""Addresses of this app."""

from django.urls import URLPattern, URLResolver, include, path

from evaluation import acts, film, views

urlpatterns: list[URLPattern | URLResolver] = [
    path("models/", views.model_list, name="models"),
    path("models/<slug:slug>/", views.model_page, name="model"),
    path("runs/<int:pk>/", views.run_page, name="run"),
    path("runs/<int:pk>/card.json", views.run_card, name="run-card"),
    path("runs/<int:pk>/cancel/", acts.cancel, name="cancel-run"),
    path("runs/<int:pk>/resume/", acts.resume, name="resume-run"),
    path("runs/<int:pk>/retry/", acts.retry, name="retry-run"),
    path("runs/<int:pk>/priority/", acts.priority, name="run-priority"),
    path("runs/<int:pk>/replies/<int:response>/frames/<int:position>.jpg", film.picture, name="run-picture"),
    path("", include("evaluation.submissions.urls")),
]
