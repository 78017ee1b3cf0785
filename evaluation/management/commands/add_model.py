from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import SiteCommand
from evaluation.adapters.registry import ADAPTERS
from evaluation.runs.add_model import add_model, options_named
from evaluation.workers.run_command import callers_mistakes


class Command(SiteCommand):
    help = (
        "Add a model that can be asked. The same again changes nothing; other options replace those of a model that has"
        " given no reply under this revision. Kinds and their options: docs/adapters/."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--kind", required=True, help=", ".join(ADAPTERS))
        parser.add_argument(
            "--option", action="append", default=[], metavar="NAME=VALUE", help="JSON, or the words as they are"
        )
        parser.add_argument("--name", default="", help="as pages show it")
        parser.add_argument("--revision", default="", help="what tells these weights from others of the same name")
        about = "what its page tells: what, organisation, parameters, released, licence, link, paper, citation, weights"
        parser.add_argument("--card", action="append", default=[], metavar="NAME=VALUE", help=about)

    def handle(self, *, slug: str, kind: str, **given: Any) -> None:
        with callers_mistakes():
            options, card = options_named(given["option"]), options_named(given["card"])
            named = {"name": given["name"], "revision": given["revision"]}
            model, is_new = add_model(slug=slug, kind=kind, options=options, card=card, **named)
        facts = {"model": model.slug, "kind": model.kind, "options": model.options, "changed": is_new}
        self.say(given, facts, f"{model.slug} ({model.kind}): {'added' if is_new else 'is there already'}")
