"""Adds a model in the admin site: one behind an OpenAI-compatible server.

Folders of weights and programs are added by `benchsite add_model` on the machine itself: a shell there may run
programs, a browser session of staff may not.
"""

from typing import Any

from django import forms

from evaluation.errors import RunMisused
from evaluation.models import Model
from evaluation.runs.adding.add_model import check_options, check_slug

KIND = "openai"
EXAMPLE = {"base_url": "http://127.0.0.1:8000/v1", "model": "", "key_variable": ""}


class ServerModelForm(forms.ModelForm):
    """The form for such a model; options are checked as by `add_model`."""

    class Meta:
        model = Model
        fields = ("slug", "name", "revision", "options")
        help_texts = {
            "revision": "What tells these weights from others under the same name.",
            "options": "As in docs/models.md. key_variable is the name of an environment variable that ends in"
            " _API_KEY, never the key.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["options"].initial = EXAMPLE
        self.instance.kind = KIND

    def clean_slug(self) -> str:
        return self._checked(check_slug, self.cleaned_data["slug"])

    def clean_options(self) -> dict[str, Any]:
        from evaluation.adapters.hosts import is_named
        from evaluation.adapters.openai.options import ServerOptions

        typed = self.cleaned_data["options"]
        if not isinstance(typed, dict):
            raise forms.ValidationError("an object of option names and values")
        options = {name: value for name, value in typed.items() if value != ""}
        self._checked(check_options, KIND, options)
        if not is_named(host := ServerOptions(**options).host):
            raise forms.ValidationError(
                f"option base_url: {host} is not named by MODEL_HOSTS; who runs the site names it there, or adds the"
                " model by `benchsite add_model`"
            )
        return options

    def _checked(self, check: Any, *values: Any) -> Any:
        try:
            return check(*values)
        except RunMisused as error:
            raise forms.ValidationError(str(error)) from error
