"""Addresses of this app: results for readers, desks of authors, and the road of participants."""

from django.urls import path

from humantrials import author_views, clip_views, desk_views, pay_views, road_views, views

urlpatterns = [
    path("trials/", views.trials, name="trials"),
    path("trials/new/", author_views.new_trial, name="new-trial"),
    path("trials/<slug:slug>/", views.trial, name="trial"),
    path("trials/<slug:slug>/manage/", author_views.manage, name="manage-trial"),
    path("trials/<slug:slug>/manage/panel/", author_views.panel_of, name="trial-panel"),
    path("trials/<slug:slug>/manage/pilot/", author_views.pilot_answers, name="trial-pilot"),
    path("trials/<slug:slug>/watch/", desk_views.watch_trial, name="watch-trial"),
    path("trials/<slug:slug>/people/", desk_views.people, name="trial-people"),
    path("trials/<slug:slug>/people/<slug:code>/", desk_views.person, name="trial-person"),
    path("trials/<slug:slug>/pay/", pay_views.pay, name="trial-pay"),
    path("trials/<slug:slug>/pay/list.csv", pay_views.pay_list, name="trial-pay-list"),
    path("trials/<slug:slug>/pay/approve/", pay_views.approve_recommended, name="trial-pay-approve"),
    path("trials/<slug:slug>/pay/<slug:code>/", pay_views.pay_one, name="trial-pay-one"),
    path("trials/<slug:slug>/sheets/", desk_views.sheets, name="trial-sheets"),
    path("trials/<slug:slug>/sheets/<int:order>/", desk_views.sheet, name="trial-sheet"),
    path("trials/<slug:slug>/manage/<slug:name>/", author_views.act_on_trial, name="trial-act"),
    path("t/<slug:slug>/", road_views.entry, name="trial-entry"),
    path("p/<slug:token>/", road_views.road, name="road"),
    path("withdraw/", road_views.withdrawal, name="withdraw"),
    path("p/<slug:token>/leave/", road_views.leave, name="road-leave"),
    path("p/<slug:token>/answer/", road_views.answer, name="road-answer"),
    path("p/<slug:token>/code/", road_views.code, name="road-code"),
    path("p/<slug:token>/beat/", road_views.beat, name="road-beat"),
    path("p/<slug:token>/problem/", road_views.problem, name="road-problem"),
    path("p/<slug:token>/sound/<slug:side>/", clip_views.sound, name="road-sound"),
    path("p/<slug:token>/m/practice", clip_views.practice_clip, name="road-practice-clip"),
    path("p/<slug:token>/m/practice/<int:place>", clip_views.practice_clip, name="road-practice-clip-at"),
    path("p/<slug:token>/m/practice/<int:place>/frame", clip_views.practice_frame, name="road-practice-frame"),
    path("p/<slug:token>/m/<int:position>", clip_views.clip, name="road-clip"),
    path("p/<slug:token>/m/<int:position>/<int:place>", clip_views.clip, name="road-clip-at"),
    path("p/<slug:token>/m/<int:position>/<int:place>/picture", clip_views.picture, name="road-picture"),
    path("p/<slug:token>/m/<int:position>/<int:place>/frame", clip_views.frame, name="road-frame"),
]
