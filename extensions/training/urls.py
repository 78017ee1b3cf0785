"""URLs of trainings."""

from django.urls import path

from extensions.training.pages import views

urlpatterns = [path("trainings/", views.trainings, name="trainings")]
