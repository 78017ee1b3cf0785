"""The forms for a new trial and for a draft: name, pack, and one field for each setting of the protocol.

Rules of exclusion are check boxes, each with its limit and what it has cost so far.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any, cast

from django import forms
from django.core.cache import cache
from django.core.exceptions import NON_FIELD_ERRORS
from django.core.validators import MaxValueValidator
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.text import slugify

from benchmarks.models import Pack
from benchmarks.number_fields import TypedDecimal, TypedInteger
from humantrials.assignment.item_pool import packs_of
from humantrials.assignment.sheets import answers_in
from humantrials.errors import BadSetting
from humantrials.judging.answer_flags import flags_of
from humantrials.judging.exclusion_rules import RULES, planned
from humantrials.kinds import find_kind
from humantrials.models import OVER, PayKind, Trial
from humantrials.panels import Panel
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.rule_limits import LIMITS
from humantrials.protocols.settings import OF_THE_DESIGN, SETTINGS, protocol_value, read_settings, typed_settings

STUDIES = 5  # the newest closed ones
KEPT_SECONDS = 3600


class RuleBoxes(forms.Widget):
    """Boxes that give the text which `read_rules` reads; a limit that is typed chooses its rule, too."""

    def __init__(self, own: Mapping[str, float | None]) -> None:
        super().__init__()
        self.own = own  # the protocol's rules, which every study has

    def value_from_datadict(self, data: Any, _files: Any, name: str) -> str:
        chosen = data.getlist(name) if hasattr(data, "getlist") else [data.get(name) or ""]
        words = dict.fromkeys(" ".join(chosen).split())
        for rule in LIMITS:
            if limit := data.get(f"{name}-{rule}", "").strip():
                words.pop(rule, None)
                words[f"{rule}={limit}"] = None
        return " ".join(words)

    def render(self, name: str, value: str | None, attrs: Any = None, renderer: Any = None) -> SafeString:
        typed = {word.partition("=")[0]: word.partition("=")[2] for word in (value or "").split()}
        people, left_out = left_out_before()
        rules = [self._rule(rule, typed) | {"left_out": left_out[rule]} for rule in LIMITS]
        return render_to_string("humantrials/parts/rule_boxes.html", {"name": name, "rules": rules, "people": people})

    def _rule(self, name: str, typed: Mapping[str, str]) -> dict[str, Any]:
        usual = self.own.get(name, LIMITS[name].usual)
        return {
            "name": name,
            "says": f"People who {RULES[name].says}",
            "of": LIMITS[name].of,
            "usual": None if usual is None else f"{usual:g}",
            "limit": typed.get(name, ""),
            "is_own": name in self.own,
            "is_chosen": name in typed,
        }


def left_out_before() -> tuple[int, Counter[str]]:
    """People of the newest closed studies, and how many each rule would have left out at its usual limit."""
    return cast(tuple[int, Counter[str]], cache.get_or_set("rules-before", _left_out, KEPT_SECONDS))


def _left_out() -> tuple[int, Counter[str]]:
    people, out = 0, Counter[str]()
    over = Trial.objects.filter(state__in=OVER, is_simulated=False)
    for trial in over.order_by("-pk")[:STUDIES]:
        if not answers_in(trial).are_judgments:
            continue
        people += trial.judgments.filter(counts=True).values("participant").distinct().count()
        out.update(flag.name for own in flags_of(trial).values() for flag in own)
        out.update({name: len(rule.people(trial)) for name, rule in RULES.items() if not LIMITS[name].is_flag})
    return people, out


RESERVED = ("new",)  # addresses below /trials/ that are not trials
LARGEST_SEED = 2_147_483_647
AS_USUAL = (("", "yes (default)"), ("true", "yes"), ("false", "no"))
YES_OR_NO = {"seal": AS_USUAL, "qualification": AS_USUAL}
FIRST = ("title", "pack", "replicates", "per_test", "items")  # of a new study; the others wait below them
# Settings under one heading of the form each; all other fields come before these.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "Sample": ("split", "second_round", "precision", "writers", "qualification"),
    "Each question": ("frames", "layout", "confidence", "why", "break_every", "break_seconds"),
    "Checks and exclusion": ("quiz_attempts", "attention", "attention_items", "rules"),
    "Equipment": ("gates",),
    "Participants": (
        "contact",
        "ethics",
        "completion_url",
        "qualified",
        "newcomers",
        "people_per_address",
        "lease_seconds",
    ),
}
OF_STILLS = ("frames", "layout")


def amount_field(**options: Any) -> TypedDecimal:
    return TypedDecimal(min_value=0, max_digits=8, decimal_places=2, **options)


class PayForm(forms.Form):
    """The pay for a whole sheet."""

    pay_amount = amount_field(required=False, label="Pay per sheet")
    pay_currency = forms.RegexField(r"^[A-Z]{3}$", required=False, label="Currency", help_text="Such as EUR.")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("pay_amount") and not cleaned.get("pay_currency") and "pay_currency" not in self.errors:
            self.add_error("pay_currency", "An amount needs its currency, three capital letters.")
        return cleaned


class PayEntryForm(forms.Form):
    """One entry of the pay ledger."""

    kind = forms.ChoiceField(choices=PayKind.choices)
    amount = amount_field()
    reason = forms.CharField(max_length=200)


class PanelForm(forms.Form):
    """One field for each setting of a panel."""

    def __init__(self, panel: Panel, setup: Mapping[str, Any], *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.panel = panel
        for setting in panel.settings:
            widget = forms.Textarea(attrs={"rows": 6}) if setting.is_long else forms.TextInput()
            initial = _typed_again(setup.get(setting.name, ""))
            self.fields[setting.name] = forms.CharField(
                max_length=20_000,
                required=False,
                label=setting.title,
                help_text=setting.about,
                initial=initial,
                widget=widget,
            )

    def clean(self) -> dict[str, Any]:
        """Parse the settings; an unreadable value is reported at its field."""
        cleaned = super().clean() or {}
        settings: dict[str, Any] = {}
        for setting in self.panel.settings:
            try:
                settings |= {setting.name: setting.read(cleaned[setting.name])} if cleaned.get(setting.name) else {}
            except ValueError as error:
                self.add_error(setting.name, f"Expected: {error}.")
        if settings.get("signed") and not settings.get("keys") and "keys" not in self.errors:
            self.add_error("keys", "Signed addresses can't be checked without the key set.")
        return {"settings": settings}


def _typed_again(value: Any) -> str:
    """Format a stored value as somebody would type it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return json.dumps({"keys": [{"kty": "RSA", **key} for key in value]})
    return " ".join(value) if isinstance(value, list) else str(value)


class SettingsForm(forms.Form):
    """One field for each of these settings. An empty one means the protocol's default, which the field shows."""

    first_names: Sequence[str] = FIRST  # of the fields that are shown at once

    def __init__(self, protocol: Protocol, names: Iterable[str], *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.protocol = protocol
        self.setting_names = [name for name in names if _has(protocol, name)]
        for name in self.setting_names:
            self.fields[name] = _field(name, protocol)

    @property
    def first(self) -> list[forms.BoundField]:
        """The fields that are shown at once."""
        return [self[name] for name in self.first_names if name in self.fields]

    @property
    def grouped(self) -> list[tuple[str, list[forms.BoundField]]]:
        """All others under their headings; the first have none."""
        grouped = {*self.first_names, *(name for names in GROUPS.values() for name in names)}
        found = [("", [self[name] for name in self.fields if name not in grouped])]
        more = self.fields.keys() - set(self.first_names)
        found += [(title, [self[name] for name in names if name in more]) for title, names in GROUPS.items()]
        return [(title, fields) for title, fields in found if fields]

    @property
    def more_count(self) -> int:
        """How many fields are not shown at once."""
        return len(self.fields.keys() - set(self.first_names))

    @property
    def more_changed(self) -> bool:
        """Whether a setting that is not shown at once has a value of its own."""
        return any(self[name].value() for name in self.setting_names if name not in self.first_names)

    @property
    def is_more_wrong(self) -> bool:
        """Whether a field that is not shown at once has an error."""
        return bool(self.errors.keys() - {*self.first_names, NON_FIELD_ERRORS})

    def clean(self) -> dict[str, Any]:
        """`settings` as they were typed, those that were filled in; an invalid value is reported at its field."""
        cleaned = super().clean() or {}
        settings = {name: cleaned[name] for name in self.setting_names if cleaned.get(name)}
        for name, text in settings.items():
            try:
                read_settings({name: text})
            except BadSetting as error:
                wanted = f"“{text}” is not valid. Expected: {SETTINGS[name].wanted}."
                self.add_error(name, f"{str(error).partition(': ')[2]}." if name == "rules" else wanted)
        return {**cleaned, "settings": settings}


class DraftForm(SettingsForm):
    """The settings of a draft, but those that its sheets were made from."""

    first_names = ("confidence", "break_every", "contact", "completion_url")

    def __init__(self, trial: Trial, *arguments: Any) -> None:
        names = [name for name in SETTINGS if name not in OF_THE_DESIGN]
        super().__init__(find_protocol(trial.protocol), names, *arguments, initial=typed_settings(trial.settings))


class TrialForm(SettingsForm):
    """A new trial: its name, its pack, and its settings."""

    title = forms.CharField(max_length=120, help_text="What readers and participants see.")
    slug = forms.SlugField(
        max_length=60,
        required=False,
        label="Name in addresses",
        help_text="Small letters, digits and hyphens; if empty, it is made from the title.",
        error_messages={"invalid": "Use small letters, digits and hyphens alone."},
    )
    pack: forms.Field = forms.ModelChoiceField(Pack.objects.none())
    seed = TypedInteger(
        min_value=0,
        initial=0,
        validators=[MaxValueValidator(LARGEST_SEED)],
        help_text="Sheets are drawn from it and from a salt of this study, secret until the study closes. The same"
        " seed, salt, pack and settings give the same sheets everywhere.",
    )
    retention_days = TypedInteger(
        min_value=0,
        max_value=3650,
        initial=180,
        label="Days to keep panel ids",
        help_text="So many days after closing, the panels' ids are deleted; answers stay under random codes.",
    )

    def __init__(self, protocol: Protocol, *arguments: Any, **options: Any) -> None:
        super().__init__(protocol, SETTINGS, *arguments, **options)
        packs = packs_of(protocol).order_by("-pk")
        about = "The videos and questions that people are asked."
        self.fields["pack"] = forms.ModelChoiceField(packs, initial=packs.first(), help_text=about)
        self.fields["title"].initial = protocol.title

    def clean_slug(self) -> str:
        slug = self.cleaned_data["slug"].lower()
        if not slug:
            return free_slug(slugify(self.cleaned_data.get("title", ""))[:50].strip("-") or self.protocol.name)
        if slug in RESERVED or Trial.objects.filter(slug=slug).exists():
            raise forms.ValidationError(f"there is a trial {slug!r} already; choose another name")
        return slug


def free_slug(wanted: str) -> str:
    """This name, or the first free one of those that continue it with a number."""
    taken = {*RESERVED, *Trial.objects.filter(slug__startswith=wanted).values_list("slug", flat=True)}
    return next(name for n in count(1) if (name := f"{wanted}-{n}" if n > 1 else wanted) not in taken)


def _has(protocol: Protocol, name: str) -> bool:
    """Whether the protocol uses this setting: each has one limit of its pool, one has a list of qualified people."""
    if name in OF_STILLS:
        return protocol.player.shows_frames
    if name in find_kind(protocol.design.kind).unused_settings:
        return False
    if name in ("per_test", "items"):
        return name == protocol.pool.limit
    if name == "second_round":
        return protocol.design.may_adapt
    return name != "qualified" or protocol.screening.qualified


def _field(name: str, protocol: Protocol) -> forms.Field:
    about = SETTINGS[name].about
    about, label = about[:1].upper() + about[1:] + ".", SETTINGS[name].title
    if name in YES_OR_NO:
        choices = YES_OR_NO[name]
        return forms.ChoiceField(choices=choices, required=False, label=label, help_text=about.split(":")[0])
    if name == "rules":
        own_rules = planned(Trial(protocol=protocol.name))
        return forms.CharField(required=False, label=label, widget=RuleBoxes(own_rules))
    own = protocol_value(protocol, name)
    default = "all of them" if name == protocol.pool.limit and own is None else own
    widget = forms.TextInput(attrs={"placeholder": str(default)} if default and default is not True else {})
    return forms.CharField(max_length=500, required=False, label=label, help_text=about, widget=widget)
