"""URLs of this app: results for readers, the desk for authors, and the participant's pages."""

from django.urls import path

from humantrials.desk import export_views, payment_views, people_views, plan_views, study_views, text_views
from humantrials.desk.export_views import TrialExportView
from humantrials.participation import door
from humantrials.participation import views as participant_views
from humantrials.results import views

urlpatterns = [
    path("trials/", views.trials, name="trials"),
    path("trials/new/", study_views.new_trial, name="new-trial"),
    path("trials/<slug:slug>/", views.trial, name="trial"),
    path("trials/<slug:slug>/human-baseline.pdf", views.baseline_report, name="trial-report"),
    path("trials/<slug:slug>/manage/", study_views.manage, name="manage-trial"),
    path("trials/<slug:slug>/manage/panel/", study_views.panel_of, name="trial-panel"),
    path("trials/<slug:slug>/manage/panel/invitations.csv", study_views.invitations, name="trial-invitations"),
    path("trials/<slug:slug>/manage/pilot/", study_views.pilot_answers, name="trial-pilot"),
    path("trials/<slug:slug>/settings/", plan_views.trial_settings, name="trial-settings"),
    path("trials/<slug:slug>/plan/", plan_views.plan, name="trial-plan"),
    path("trials/<slug:slug>/texts/", text_views.texts, name="trial-texts"),
    path("trials/<slug:slug>/texts/<slug:part>/<slug:language>/", text_views.text, name="trial-text"),
    path(
        "trials/<slug:slug>/texts/<slug:part>/<slug:language>/<int:version>/",
        text_views.text_version,
        name="trial-text-version",
    ),
    path("trials/<slug:slug>/export/", export_views.export, name="trial-export"),
    path("trials/<slug:slug>/export.zip", export_views.export_archive, name="trial-export-archive"),
    path("trials/<slug:slug>/export/<path:path>", export_views.export_file, name="trial-export-file"),
    path("api/v1/trials/<slug:slug>/export/", TrialExportView.as_view(), name="api-trial-export"),
    path("trials/<slug:slug>/watch/", people_views.watch_trial, name="watch-trial"),
    path("trials/<slug:slug>/people/", people_views.people, name="trial-people"),
    path("trials/<slug:slug>/people/<slug:code>/", people_views.person, name="trial-person"),
    path("trials/<slug:slug>/pay/", payment_views.pay, name="trial-pay"),
    path("trials/<slug:slug>/pay/list.csv", payment_views.pay_list, name="trial-pay-list"),
    path("trials/<slug:slug>/pay/approve/", payment_views.approve_recommended, name="trial-pay-approve"),
    path("trials/<slug:slug>/pay/<slug:code>/", payment_views.pay_one, name="trial-pay-one"),
    path("trials/<slug:slug>/sheets/", people_views.sheets, name="trial-sheets"),
    path("trials/<slug:slug>/sheets/<int:order>/", people_views.sheet, name="trial-sheet"),
    path("trials/<slug:slug>/manage/<slug:name>/", study_views.act_on_trial, name="trial-act"),
    path("t/<slug:slug>/", door.entry, name="trial-entry"),
    path("withdraw/", participant_views.withdrawal, name="withdraw"),
]
