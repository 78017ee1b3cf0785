from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandParser
from django.core.validators import validate_slug
from django.template.defaultfilters import pluralize

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.models import Pack
from humantrials.assignment.item_pool import packs_of
from humantrials.assignment.sheets import answers_in
from humantrials.errors import TrialError
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.settings import SETTINGS, warning_of
from humantrials.running.lifecycle import create_trial, open_trial


class Command(SiteCommand):
    help = "Create a trial. Not safe to run again: a second trial of this name is refused, and nothing is written."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--protocol", required=True)
        parser.add_argument("--pack", default="", help="name of the pack; default: the newest of the benchmark")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument(
            "--salt", help="that of a closed study, to draw its sheets again; default: a new, secret one"
        )
        parser.add_argument("--title", default="")
        parser.add_argument("--open", action="store_true", help="let people in at once")
        about = "; ".join(f"{setting.name}: {setting.about}" for setting in SETTINGS.values())
        parser.add_argument(
            "--set", action="append", default=[], metavar="KEY=VALUE", dest="pairs", help=about.replace("%", "%%")
        )

    def handle(self, *, slug: str, protocol: str, pack: str, seed: int, title: str, **options: Any) -> None:
        try:
            validate_slug(slug)
            kind = find_protocol(protocol)
            trial = create_trial(
                slug=slug,
                protocol=protocol,
                pack=_pack(kind, pack),
                seed=seed,
                settings=dict(_pair(text) for text in options["pairs"]),
                title=title,
                salt=options["salt"],
            )
        except (TrialError, ValidationError) as error:
            raise CallerMistake(f"{slug}: not a name" if isinstance(error, ValidationError) else str(error)) from None
        if options["open"]:
            open_trial(trial=trial)
        facts = {
            "trial": trial.slug,
            "state": trial.state,
            "pack": trial.pack.name,
            "sheets": trial.sheets.count(),
            "slots": getattr(trial, answers_in(trial).places).count(),
            "entry": f"/t/{trial.slug}/",
        }
        if warning := warning_of(trial.settings, kind):
            facts["warning"] = warning
        self.say(options, facts, _summary(facts))


def _summary(facts: dict[str, Any]) -> str:
    sheets, slots = (
        f"{n} {word}{pluralize(n)}" for n, word in ((facts["sheets"], "sheet"), (facts["slots"], "answer"))
    )
    return f"{facts['trial']}: {sheets}, {slots} wanted; {facts['state']}, entry {facts['entry']}" + (
        f"\n{facts['warning']}" if "warning" in facts else ""
    )


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise CallerMistake(f"--set {text}: write KEY=VALUE")
    return name, value


def _pack(protocol: Protocol, name: str) -> Pack:
    packs = packs_of(protocol)
    found = packs.filter(name=name).first() if name else packs.last()
    if found is None:
        names = ", ".join(packs.values_list("name", flat=True)) or "none; import or generate one first"
        raise CallerMistake(f"there is no pack {name!r} of {protocol.pool.benchmark}; there is: {names}")
    return found
