"""URLs of this app. Signing in and second factors are allauth's views, under the names that allauth expects."""

from allauth.account import views
from django.urls import include, path, re_path

from accounts.views import account, make_token, revoke_token

KEY = r"^account/password/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[-\w]+)/$"

urlpatterns = [
    path("account/", account, name="account"),
    path("account/tokens/", make_token, name="make-token"),
    path("account/tokens/<int:pk>/revoke/", revoke_token, name="revoke-token"),
    path("account/sign-up/", views.signup, name="account_signup"),
    path("account/sign-in/", views.login, name="account_login"),
    path("account/sign-out/", views.logout, name="account_logout"),
    path("account/again/", views.reauthenticate, name="account_reauthenticate"),
    path("account/switched-off/", views.account_inactive, name="account_inactive"),
    path("account/email/", views.email, name="account_email"),
    path("account/email/sent/", views.email_verification_sent, name="account_email_verification_sent"),
    re_path(r"^account/email/confirm/(?P<key>[-:\w]+)/$", views.confirm_email, name="account_confirm_email"),
    path("account/password/", views.password_change, name="account_change_password"),
    path("account/password/set/", views.password_set, name="account_set_password"),
    path("account/password/forgotten/", views.password_reset, name="account_reset_password"),
    path("account/password/sent/", views.password_reset_done, name="account_reset_password_done"),
    re_path(KEY, views.password_reset_from_key, name="account_reset_password_from_key"),
    path("account/password/done/", views.password_reset_from_key_done, name="account_reset_password_from_key_done"),
    path("account/second-factor/", include("allauth.mfa.urls")),
]
