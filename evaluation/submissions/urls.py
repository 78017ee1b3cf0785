"""URLs of uploads."""

from django.urls import path

from evaluation.submissions.api import SubmissionsView, UploadView
from evaluation.submissions.views import (
    decide,
    delete,
    edit_card,
    empty_file,
    inbox,
    problems,
    propose,
    report,
    submission,
    submit_page,
    upload,
    withdraw,
)

urlpatterns = [
    path("submit/", submit_page, name="submit"),
    path("submit/empty/", empty_file, name="empty-submission"),
    path("submit/reports/<slug:key>/", report, name="submission-report"),
    path("submit/reports/<slug:key>/problems.csv", problems, name="submission-problems"),
    path("submit/uploads/<slug:key>/", upload, name="upload"),
    path("submit/<int:pk>/", submission, name="submission"),
    path("submit/inbox/", inbox, name="submission-inbox"),
    path("submit/<int:pk>/card/", edit_card, name="submission-card"),
    path("submit/<int:pk>/propose/", propose, name="propose-submission"),
    path("submit/<int:pk>/withdraw/", withdraw, name="withdraw-submission"),
    path("submit/<int:pk>/decide/", decide, name="decide-submission"),
    path("submit/<int:pk>/delete/", delete, name="delete-submission"),
    path("api/v1/submissions/", SubmissionsView.as_view(), name="api-submissions"),
    path("api/v1/submissions/uploads/<slug:key>/", UploadView.as_view(), name="api-upload"),
]
