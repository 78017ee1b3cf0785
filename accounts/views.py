"""Pages of the user's own account."""

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.forms import ProfileForm, TokenForm
from accounts.models import new_token
from accounts.typing import SignedInRequest

RUNS = 50
SPENT = "spent-key-forms"  # session key: ids of forms that have made their key
SPENT_STORED = 20


@never_cache
@login_required
def account(request: SignedInRequest) -> HttpResponse:
    """The user's name, API keys and runs."""
    form = ProfileForm(request.POST or None, instance=request.user)
    if form.is_valid():
        form.save()
        return redirect("account")
    return _account_page(request, profile=form)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def make_token(request: SignedInRequest) -> HttpResponse:
    """Make a key and show it once: it is in no redirect, cookie or session. Sending the same form again, for example by
    reloading the page, makes no second key."""
    if request.method != "POST":
        return redirect("account")
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _account_page(request, new_key=form)
    cleaned = form.cleaned_data
    if not _spend(request, str(cleaned["sheet"])):
        messages.error(request, "This form has made its key, and a key is shown only once. Not copied? Make another.")
        return redirect("account")
    plain = new_token(user=request.user, name=cleaned["name"], days=cleaned["days"], scopes=cleaned["scopes"])
    return _account_page(request, plain_token=plain)


@never_cache
@login_required
def revoke_token(request: SignedInRequest, pk: int) -> HttpResponse:
    """Ask for confirmation, then delete one of the user's own keys."""
    token = get_object_or_404(request.user.tokens, pk=pk)
    if request.method != "POST":
        return render(request, "accounts/revoke.html", {"section": "account", "token": token})
    token.delete()
    messages.success(request, f"The key “{token.name}” is revoked.")
    return redirect("account")


def _spend(request: SignedInRequest, sheet: str) -> bool:
    """Whether this form is sent for the first time; marks it as sent."""
    spent = request.session.get(SPENT, [])
    if sheet in spent:
        return False
    request.session[SPENT] = [*spent, sheet][-SPENT_STORED:]
    return True


def _account_page(
    request: SignedInRequest,
    *,
    profile: ProfileForm | None = None,
    new_key: TokenForm | None = None,
    plain_token: str = "",
) -> HttpResponse:
    user = request.user
    user.refresh_from_db()  # an invalid name must not show in the header
    context = {
        "section": "account",
        "profile": profile or ProfileForm(instance=user),
        "new_key": new_key or TokenForm(),
        "plain_token": plain_token,
        "tokens": user.tokens.order_by("-created_at"),
        "now": timezone.now(),
        "has_second_factor": is_mfa_enabled(user),
        "has_mail": bool(settings.EMAIL_URL),
        "runs": user.run_set.select_related("model", "pack")[:RUNS],
    }
    return render(request, "accounts/account.html", context)
