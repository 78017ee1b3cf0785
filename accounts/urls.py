"""Addresses of this app."""

from django.contrib.auth import views
from django.urls import path

from accounts.views import ChangePassword, account, make_token, revoke_token, sign_up

HERE = {"section": "account"}

urlpatterns = [
    path("account/", account, name="account"),
    path("account/tokens/", make_token, name="make-token"),
    path("account/tokens/<int:pk>/revoke/", revoke_token, name="revoke-token"),
    path("account/sign-up/", sign_up, name="signup"),
    path(
        "account/sign-in/",
        views.LoginView.as_view(redirect_authenticated_user=True, extra_context=HERE),
        name="login",
    ),
    path("account/sign-out/", views.LogoutView.as_view(), name="logout"),
    path("account/password/", ChangePassword.as_view(), name="password_change"),
]
