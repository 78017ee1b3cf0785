"""Pages of one's own account."""

from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import PasswordChangeView
from django.contrib.messages.views import SuccessMessageMixin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from accounts.forms import ProfileForm, SignUpForm, TokenForm
from accounts.models import new_token
from accounts.requests import SignedInRequest

RUNS = 50


@sensitive_post_parameters()
@never_cache
def sign_up(request: HttpRequest) -> HttpResponse:
    """Make an account and sign in to it."""
    if request.user.is_authenticated:
        return redirect("account")
    form = SignUpForm(request.POST or None)
    if form.is_valid():
        login(request, form.save())
        return redirect("account")
    return render(request, "registration/signup.html", {"section": "account", "form": form})


@never_cache
@login_required
def account(request: SignedInRequest) -> HttpResponse:
    """Name, keys and runs of the one who is signed in."""
    form = ProfileForm(request.POST or None, instance=request.user)
    if form.is_valid():
        form.save()
        return redirect("account")
    return _account_page(request, profile=form)


@never_cache
@login_required
@require_POST
def make_token(request: SignedInRequest) -> HttpResponse:
    """Make a key and show it, this once: it is in no redirect, cookie or session."""
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _account_page(request, new_key=form)
    plain = new_token(user=request.user, name=form.cleaned_data["name"])
    return _account_page(request, plain_token=plain)


@login_required
@require_POST
def revoke_token(request: SignedInRequest, pk: int) -> HttpResponse:
    """Delete one of one's own keys."""
    get_object_or_404(request.user.tokens, pk=pk).delete()
    return redirect("account")


class ChangePassword(SuccessMessageMixin, PasswordChangeView):
    """Change the password; other places where one is signed in are signed out."""

    success_url = reverse_lazy("account")
    success_message = _("Your password is changed.")
    extra_context = {"section": "account"}


def _account_page(
    request: SignedInRequest,
    *,
    profile: ProfileForm | None = None,
    new_key: TokenForm | None = None,
    plain_token: str = "",
) -> HttpResponse:
    user = request.user
    user.refresh_from_db()  # a refused name must not show in the header
    context = {
        "section": "account",
        "profile": profile or ProfileForm(instance=user),
        "new_key": new_key or TokenForm(),
        "plain_token": plain_token,
        "tokens": user.tokens.order_by("-created_at"),
        "now": timezone.now(),
        "runs": user.run_set.select_related("model", "pack")[:RUNS],
    }
    return render(request, "accounts/account.html", context)
