"""URLs of this app."""

from django.urls import URLPattern, URLResolver, include, path

from evaluation.runs.pages import film_strip, views

urlpatterns: list[URLPattern | URLResolver] = [
    path("runs/<int:pk>/", views.run_page, name="run"),
    path("runs/<int:pk>/card.json", views.run_card, name="run-card"),
    path("runs/<int:pk>/cancel/", views.cancel, name="cancel-run"),
    path("runs/stop/", views.stop, name="stop-runs"),
    path("runs/<int:pk>/resume/", views.resume, name="resume-run"),
    path("runs/<int:pk>/retry/", views.retry, name="retry-run"),
    path("runs/<int:pk>/priority/", views.priority, name="run-priority"),
    path("runs/<int:pk>/replies/<int:response>/frames/<int:position>.jpg", film_strip.picture, name="run-picture"),
    path("", include("evaluation.submissions.urls")),
]
