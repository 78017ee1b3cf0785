"""URLs of this app: results for readers, the desk for authors, and the participant's pages."""

from django.urls import path

from humantrials.desk import annotation_views, answer_views, payment_views, people_views, study_views
from humantrials.participation import annotation_views as task_views
from humantrials.participation import media_views
from humantrials.participation import views as participant_views
from humantrials.results import views

urlpatterns = [
    path("trials/", views.trials, name="trials"),
    path("trials/new/", study_views.new_trial, name="new-trial"),
    path("trials/<slug:slug>/", views.trial, name="trial"),
    path("trials/<slug:slug>/manage/", study_views.manage, name="manage-trial"),
    path("trials/<slug:slug>/manage/panel/", study_views.panel_of, name="trial-panel"),
    path("trials/<slug:slug>/manage/pilot/", study_views.pilot_answers, name="trial-pilot"),
    path("trials/<slug:slug>/watch/", people_views.watch_trial, name="watch-trial"),
    path("trials/<slug:slug>/annotation/", annotation_views.annotation, name="annotation"),
    path("trials/<slug:slug>/annotation/questions/", annotation_views.questions, name="annotation-questions"),
    path("trials/<slug:slug>/annotation/rounds/", annotation_views.rounds, name="annotation-rounds"),
    path("trials/<slug:slug>/annotation/answers/", answer_views.answers, name="annotation-answers"),
    path("trials/<slug:slug>/annotation/answers/<int:pk>/", answer_views.answer_decision, name="annotation-answer"),
    path("trials/<slug:slug>/annotation/boxes/", annotation_views.boxes, name="annotation-boxes"),
    path("trials/<slug:slug>/annotation/data-set.zip", annotation_views.data_set, name="annotation-data-set"),
    path("trials/<slug:slug>/annotation/<int:number>.jpg", annotation_views.object_frame, name="annotation-frame"),
    path("trials/<slug:slug>/annotation/<int:number>.mp4", annotation_views.object_clip, name="annotation-clip"),
    path("trials/<slug:slug>/people/", people_views.people, name="trial-people"),
    path("trials/<slug:slug>/people/<slug:code>/", people_views.person, name="trial-person"),
    path("trials/<slug:slug>/pay/", payment_views.pay, name="trial-pay"),
    path("trials/<slug:slug>/pay/list.csv", payment_views.pay_list, name="trial-pay-list"),
    path("trials/<slug:slug>/pay/approve/", payment_views.approve_recommended, name="trial-pay-approve"),
    path("trials/<slug:slug>/pay/<slug:code>/", payment_views.pay_one, name="trial-pay-one"),
    path("trials/<slug:slug>/sheets/", people_views.sheets, name="trial-sheets"),
    path("trials/<slug:slug>/sheets/<int:order>/", people_views.sheet, name="trial-sheet"),
    path("trials/<slug:slug>/manage/<slug:name>/", study_views.act_on_trial, name="trial-act"),
    path("t/<slug:slug>/", participant_views.entry, name="trial-entry"),
    path("p/<slug:token>/", participant_views.road, name="road"),
    path("withdraw/", participant_views.withdrawal, name="withdraw"),
    path("p/<slug:token>/leave/", participant_views.leave, name="road-leave"),
    path("p/<slug:token>/answer/", participant_views.answer, name="road-answer"),
    path("p/<slug:token>/code/", participant_views.code, name="road-code"),
    path("p/<slug:token>/beat/", participant_views.beat, name="road-beat"),
    path("p/<slug:token>/problem/", participant_views.problem, name="road-problem"),
    path("p/<slug:token>/sound/<slug:side>/", media_views.sound, name="road-sound"),
    path("p/<slug:token>/task/", task_views.work, name="road-work"),
    path("p/<slug:token>/another/", task_views.another, name="road-another"),
    path("p/<slug:token>/w/<int:position>/<int:place>", task_views.work_clip, name="road-work-clip"),
    path("p/<slug:token>/w/<int:position>/<int:place>/frame", task_views.work_frame, name="road-work-frame"),
    path("p/<slug:token>/m/practice", media_views.practice_clip, name="road-practice-clip"),
    path("p/<slug:token>/m/practice/<int:place>", media_views.practice_clip, name="road-practice-clip-at"),
    path("p/<slug:token>/m/practice/<int:place>/frame", media_views.practice_frame, name="road-practice-frame"),
    path("p/<slug:token>/m/<int:position>", media_views.clip, name="road-clip"),
    path("p/<slug:token>/m/<int:position>/<int:place>", media_views.clip, name="road-clip-at"),
    path("p/<slug:token>/m/<int:position>/<int:place>/picture", media_views.picture, name="road-picture"),
    path("p/<slug:token>/m/<int:position>/<int:place>/frame", media_views.frame, name="road-frame"),
]
