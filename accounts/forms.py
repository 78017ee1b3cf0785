"""Forms of the account pages."""

from django import forms
from django.contrib.auth.forms import UserCreationForm
from django.utils.translation import gettext_lazy as _

from accounts.models import Token, User


class SignUpForm(UserCreationForm):
    """Name, e-mail and password; nothing else is asked."""

    email = forms.EmailField(label=_("E-mail"), help_text=_("Only the site's staff see it."))

    class Meta(UserCreationForm.Meta):
        model = User
        fields = ("username", "email")


class ProfileForm(forms.ModelForm):
    class Meta:
        model = User
        fields = ("first_name", "last_name", "email")


class TokenForm(forms.ModelForm):
    class Meta:
        model = Token
        fields = ("name",)
        labels = {"name": _("What it is for")}
