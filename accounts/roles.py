"""The table of rights by role."""

from dataclasses import dataclass, replace

from django.db import models


class Role(models.TextChoices):
    READER = "reader", "reader"
    SUBMITTER = "submitter", "submitter"
    AUTHOR = "author", "author"
    ADMIN = "admin", "admin"


@dataclass(frozen=True)
class Rights:
    """The rights of a role: a description, permissions, and whether it may use the administration."""

    words: str
    permissions: frozenset[str] = frozenset()
    is_staff: bool = False


SUBMITS = frozenset({"evaluation.add_run"})
STUDIES = SUBMITS | {"humantrials.add_trial"}
LOOKED_AT = (
    "accounts.act", "accounts.token", "accounts.user", "axes.accessattempt", "benchmarks.clip", "benchmarks.item",
    "benchmarks.pack", "benchmarks.production", "evaluation.model", "evaluation.modelresponse",
    "evaluation.run", "humantrials.judgment", "humantrials.participant", "humantrials.sheet", "humantrials.trial",
    "leaderboard.publishedresult", "leaderboard.snapshot", "leaderboard.standing",
)  # fmt: skip
CHANGED = (
    "accounts.token",
    "accounts.user",
    "axes.accessattempt",
    "benchmarks.clip",
    "benchmarks.pack",
    "evaluation.model",
    "evaluation.run",
    "humantrials.trial",
    "leaderboard.publishedresult",
)
ADDED = ("benchmarks.production", "evaluation.model", "leaderboard.publishedresult")


def _each(act: str, tables: tuple[str, ...]) -> set[str]:
    return {table.replace(".", f".{act}_") for table in tables}


# Only superusers see the person behind a participant's code (humantrials.identity).
RIGHTS = {
    Role.READER: Rights("reads, and keeps nothing here"),
    Role.SUBMITTER: Rights("uploads answers and asks for their listing", SUBMITS),
    Role.AUTHOR: Rights("uploads answers, asks for their listing, and runs human trials of its own", STUDIES),
    Role.ADMIN: Rights(
        "runs the site: decides what is listed, sees every run, trial and account",
        STUDIES
        | _each("view", LOOKED_AT)
        | _each("change", CHANGED)
        | _each("add", ADDED)
        | _each("delete", ("accounts.token", "axes.accessattempt", "leaderboard.publishedresult")),
        is_staff=True,
    ),
}


def grant(role: Role, *permissions: str) -> None:
    """Add permissions of an extension, whose AppConfig calls this."""
    RIGHTS[role] = replace(RIGHTS[role], permissions=RIGHTS[role].permissions | set(permissions))
