"""Forms of the account pages."""

import uuid
from typing import Any

from allauth.account.forms import ChangePasswordForm, ResetPasswordKeyForm
from allauth.account.models import EmailAddress
from django import forms
from django.conf import settings

from accounts.models import Scope, Token, User

LIVES = {7: "a week", 30: "30 days", 90: "90 days", 365: "a year"}  # days


class ProfileForm(forms.ModelForm):
    """The name; and the e-mail address if the site can't send mail, else it is changed on its own page."""

    class Meta:
        model = User
        fields = ("first_name", "last_name", "email")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if settings.EMAIL_URL:
            del self.fields["email"]

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"]
        if email and User.objects.exclude(pk=self.instance.pk).filter(email__iexact=email).exists():
            raise forms.ValidationError("Another account has this address.")
        return email

    def save(self, commit: bool = True) -> User:
        """Save the user; allauth stores addresses separately and recreates this one at the next sign-in."""
        user: User = super().save(commit)
        if "email" in self.changed_data:
            EmailAddress.objects.filter(user=user).delete()
        return user


class TokenForm(forms.ModelForm):
    scopes = forms.MultipleChoiceField(
        label="Permissions", choices=Scope.choices, initial=Scope.values, widget=forms.CheckboxSelectMultiple
    )
    days = forms.TypedChoiceField(label="Expires in", choices=list(LIVES.items()), initial=90, coerce=int)
    sheet = forms.UUIDField(widget=forms.HiddenInput, initial=uuid.uuid4)  # each rendered form makes one key

    class Meta:
        model = Token
        fields = ("name",)
        labels = {"name": "Name"}


class EndingKeys(forms.Form):
    """A form for a new password that ends the API keys as well, unless its user wants to keep them."""

    user: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.user is not None and self.user.tokens.exists():
            self.fields["end_keys"] = forms.BooleanField(
                required=False,
                initial=True,
                label="End my API keys, too",
                help_text="Programs that use them are refused until they get new ones.",
            )

    def save(self) -> None:
        super().save()  # type: ignore[misc]  # allauth's, which comes next
        if self.cleaned_data.get("end_keys"):
            self.user.tokens.all().delete()


class NewPasswordForm(EndingKeys, ChangePasswordForm):
    """A new password in place of the one that is known."""


class ForgottenPasswordForm(EndingKeys, ResetPasswordKeyForm):
    """A new password by the link of a letter."""
