from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import SiteCommand
from benchmarks.errors import BenchmarkError
from evaluation.adapters.registry import ADAPTERS, SAVED
from evaluation.errors import RunMisused
from evaluation.runs.add_model import add_model, check_slug, options_named
from evaluation.runs.saved_model import is_place, place_typed, slug_of, trial_question


class Command(SiteCommand):
    help = (
        "Add a model, or a saved model by its PATH: the command opens it, asks one question and prints its abilities"
        " before adding it. Repeating a call changes nothing; other options replace those of a model that has not"
        " replied under this revision. Kinds and their options: docs/models.md."
    )
    mistakes = (BenchmarkError, RunMisused)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG or PATH", help="a slug, or a saved model's folder or GGUF file")
        parser.add_argument("--kind", default="", help=f"{', '.join(ADAPTERS)}; a PATH needs none")
        parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="JSON or plain text")
        parser.add_argument("--name", default="", help="its name on pages")
        parser.add_argument(
            "--slug", dest="own_slug", default="", help="the slug for a PATH, in place of one made from its name"
        )
        parser.add_argument("--revision", default="", help="distinguishes these weights from others of the same name")
        about = "facts for its page: what, organisation, parameters, released, licence, link, paper, citation, weights"
        parser.add_argument("--card", action="append", default=[], metavar="NAME=VALUE", help=about)

    def handle(self, *, slug: str, kind: str, own_slug: str = "", **rest: Any) -> None:
        options, card = options_named(rest["option"]), options_named(rest["card"])
        reply = None
        if is_place(slug) and kind in ("", SAVED):
            options = {"path": place_typed(slug)} | options
            slug, kind, rest["name"] = own_slug or slug_of(slug), SAVED, rest["name"] or Path(slug).stem
            check_slug(slug)
            reply = trial_question(options)
        elif not kind:
            raise RunMisused(f"give --kind for {slug}, or the path of a saved model's folder: ./{slug}")
        named = {"name": rest["name"], "revision": rest["revision"]}
        model, is_new = add_model(slug=slug, kind=kind, options=options, card=card, **named)
        facts = {"model": model.slug, "kind": model.kind, "options": model.options, "changed": is_new}
        for line in reply.lines() if reply else ():
            self.note(rest, line)
        line = f"{model.slug} ({model.kind}): {'added' if is_new else 'exists already'}"
        self.say(rest, facts | (reply.facts() if reply else {}), line)
