"""The command line: `benchsite NAME …` after an install, `python manage.py NAME …` in a checkout."""

import errno
import os
import signal
import sys
from pathlib import Path

from benchsite.web.version import VERSION

GROUPS: dict[str, dict[str, str]] = {
    "Site": {
        "serve": "run the site on this machine",
        "demo": "make a small site, evaluate models, simulate a study, print the board",
        "backup": "write the whole state to one file",
        "restore": "fill an empty site from a backup",
        "join": "print the token with which another machine works for this site",
        "health": "check what a site needs to work",
    },
    "Benchmarks": {
        "new_benchmark": "create a benchmark's folder",
        "check_benchmark": "check a folder, its labels (--audit) or a pack's leaks (--blind)",
        "generate_benchmark": "make clips and questions",
        "import_benchmark": "bring in a release, withheld answers or references for referees",
        "export_benchmark": "write a pack, or the forms of its clips that models read (--media)",
        "change_pack": "withdraw a clip, or give all items new ids",
        "list": "benchmarks, models, strategies and protocols",
    },
    "Models": {
        "add_model": "add a model",
        "start_run": "ask a model the questions of a pack",
        "change_run": "cancel, resume, retry, reread, prioritise or referee a run",
        "export_run": "write a run's answers to files",
        "submit": "store a file of answers, or only check it (--check)",
        "validate_referee": "validate a referee, or make a pack for people's ratings (--rating)",
    },
    "People": {
        "create_trial": "create a study with its sheets",
        "change_trial": "open, pause, close or archive a study; arrange it at Prolific",
        "simulate_trial": "let simulated people take part",
        "verify_trial": "check every promise of a study's design",
        "export_trial": "write a study's answers, or its annotated data set",
    },
    "Boards": {
        "export_table": "write a table, a figure or a board",
        "snapshot": "freeze a board in a file, or verify such a file",
        "import_published": "bring in results of later papers",
    },
    "Extensions": {
        "train_baseline": "train a baseline",
        "sealed_round": "commit, open and reveal a round of fresh clips",
        "gather_material": "add videos as material for annotation",
    },
}

# Names that scripts and papers use, and the words that they stand for.
ALIASES: dict[str, tuple[str, ...]] = {
    "audit_benchmark": ("check_benchmark", "--audit"),
    "audit_blind": ("check_benchmark", "--blind"),
    "cancel_run": ("change_run", "cancel"),
    "commit_round": ("sealed_round", "commit"),
    "export_figure": ("export_table",),
    "import_answers": ("import_benchmark", "--answers"),
    "lint_submission": ("submit", "--check"),
    "list_benchmarks": ("list", "benchmarks"),
    "list_models": ("list", "models"),
    "list_strategies": ("list", "strategies"),
    "reread_run": ("change_run", "reread"),
    "resume_run": ("change_run", "resume"),
    "reveal_round": ("sealed_round", "reveal"),
    "rotate_ids": ("change_pack", "rotate-ids"),
    "snapshot_board": ("snapshot", "make"),
    "verify_snapshot": ("snapshot", "verify"),
    "withdraw_clip": ("change_pack", "withdraw-clip"),
}

START = """benchsite hosts video benchmarks for models and people. Where to start:
  benchsite demo         make a small site and print its board
  benchsite serve        run the site on http://localhost:8000/; with --demo it makes content, too
  benchsite help NAME    the options of a command; every command has --json
"""
DJANGO = "Django's own commands work as well: migrate, createsuperuser, changepassword, check, …"


def overview() -> str:
    """Where to start, and the commands by group."""
    width = max(len(name) for names in GROUPS.values() for name in names)
    lines = [
        line
        for title, names in GROUPS.items()
        for line in (f"\n{title}", *(f"  {name:{width}}  {about}" for name, about in names.items()))
    ]
    return "\n".join([START.rstrip(), *lines, "", DJANGO])


def words_of(typed: list[str]) -> list[str]:
    """The words of a command as typed, with `help NAME` and old names replaced."""
    if typed[:1] == ["help"] and len(typed) > 1:
        typed = [*typed[1:], "--help"]
    return [*ALIASES.get(typed[0], typed[:1]), *typed[1:]]


def main() -> None:
    """Run one command; it ends as other programs do if its output has no reader any more, like `head`, or no room."""
    try:
        try:
            run()
        finally:
            sys.stdout.flush()
    except OSError as error:
        if error.filename or error.errno not in (errno.EPIPE, errno.ENOSPC):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more at its end
        sys.exit(128 + signal.SIGPIPE if error.errno == errno.EPIPE else f"not all was written: {error.strerror}")


def run() -> None:
    """Run the typed command; with the embedded database, make it first where it is missing."""
    typed = sys.argv[1:]
    if not typed or typed in (["help"], ["--help"], ["-h"]):
        print(overview())
        return
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    is_checkout = Path(__file__).parents[1].joinpath("manage.py").is_file()
    if not is_checkout:  # data belong to the folder of the user
        os.environ.setdefault("DATA_DIR", str(Path.cwd()))
    if typed in (["--version"], ["version"]):
        print(VERSION)
        return
    sys.argv[:] = ["benchsite", *words_of(typed)]
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from benchsite.serving.embedded_database import make_database

    try:
        make_database(sys.argv)
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        if "--traceback" in sys.argv:
            raise
        print(f"A setting is wrong: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
