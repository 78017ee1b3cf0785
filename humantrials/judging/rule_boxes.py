"""The exclusion rules of a study as check boxes, each with its limit and what it has cost so far."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.cache import cache
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from humantrials.assignment.sheets import answers_in
from humantrials.judging.answer_flags import flags_of
from humantrials.judging.exclusion_rules import RULES, planned
from humantrials.models import Trial, TrialState
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.rule_limits import LIMITS

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


def rules_of_protocol(protocol: Protocol) -> Mapping[str, float | None]:
    """The rules that every study of this protocol registers, with their limits."""
    return planned(Trial(protocol=protocol.name))


def left_out_before() -> tuple[int, Counter[str]]:
    """People of the newest closed studies, and how many each rule would have left out at its usual limit."""
    found = cache.get("rules-before")
    if found is None:
        cache.set("rules-before", found := _left_out(), KEPT_SECONDS)
    return found


def _left_out() -> tuple[int, Counter[str]]:
    people, out = 0, Counter[str]()
    over = Trial.objects.filter(state__in=(TrialState.CLOSED, TrialState.ARCHIVED), is_simulated=False)
    for trial in over.order_by("-pk")[:STUDIES]:
        if not answers_in(trial).are_judgments:
            continue
        people += trial.judgments.filter(counts=True).values("participant").distinct().count()
        out.update(flag.name for own in flags_of(trial).values() for flag in own)
        out.update({name: len(rule.people(trial)) for name, rule in RULES.items() if not LIMITS[name].is_flag})
    return people, out
