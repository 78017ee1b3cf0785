"""A trial's data as a Psych-DS folder: tables, codebook, event log, plan, methods and models.

Psych-DS (psych-ds.github.io) wants `dataset_description.json`, and below `data/` tables whose names are keyword-value
pairs that end in `_data.csv`, each of whose columns the description explains. People are numbered in an order drawn for
exports; random codes, times of day and free text are left out unless they are asked for.
"""

import csv
import hmac
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from django.db.models import Prefetch
from django.utils.functional import cached_property

from benchmarks.disclosure import tells_secret
from benchmarks.models import Key
from humantrials.assignment.sheets import answers_in
from humantrials.identities import salted_ids
from humantrials.judging.attention_checks import attention_count, missed
from humantrials.judging.exclusion_rules import rules_of
from humantrials.models import OVER, QuestionnaireAnswer, TextPart, Trial
from humantrials.models.participants import TAKING_PART
from humantrials.planning.authored_texts import consents_agreed_to
from humantrials.planning.between_clips import minutes_of_work
from humantrials.planning.preregistration import as_json, as_markdown, preregistration_of
from humantrials.planning.questionnaires import QuestionKind, read_questions
from humantrials.protocols import find_protocol
from humantrials.results.analysis_table import EVENTS, event_rows, in_python, in_r, long_columns, long_rows, modules
from humantrials.results.baseline_report import report_of
from humantrials.results.exports import anonymous_columns, codebook, columns_of, judgment_rows
from humantrials.results.figures import summaries
from humantrials.results.methods_section import methods_of
from measures.spreadsheet_cells import defused

PEOPLE = {
    "participant": "number of the person",
    "state": "how far the person came",
    "language": "language of the person's pages",
    "consent_version": "version of the consent that was agreed to",
    "minutes": "from the consent to the end, each break counted up to its limit",
    "answers": "answers that arrived",
    "counted": "answers that count",
    "left_out_by": "rules of the primary exclusion that leave the person out",
}


@dataclass(frozen=True)
class Source:
    """A trial, and whether people stay anonymous in what is made from it."""

    trial: Trial
    is_anonymous: bool = True

    @cached_property
    def names(self) -> dict[int, str]:
        """Participant -> name in the files: the random code, or a number in a random order."""
        people = dict(self.trial.participants.filter(kind__in=TAKING_PART).values_list("pk", "code"))
        if not self.is_anonymous:
            return people
        # Not by the salt, which is published: whoever had the codes could tell who is who.
        key = Key.secret_of("order of people")
        shuffled = sorted(people, key=lambda pk: hmac.digest(key, people[pk].encode(), "sha256"))
        return {pk: f"p{number:04}" for number, pk in enumerate(shuffled, start=1)}

    @property
    def study(self) -> str:
        """The trial's name as the value of a keyword: letters and digits alone."""
        return re.sub(r"[^A-Za-z0-9]", "", self.trial.slug)

    def table(self, name: str) -> str:
        return f"data/study-{self.study}_table-{name}_data.csv"

    @cached_property
    def columns(self):
        return anonymous_columns(self.trial, self.names) if self.is_anonymous else columns_of(self.trial)


def _csv(rows: Iterable[tuple[Any, ...]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([defused(value) for value in row] for row in rows)
    return text.getvalue()


def questionnaire_columns(source: Source) -> dict[str, tuple[str, str, str]]:
    """Column -> part, name and meaning of each question that people were asked before or after the items."""
    found: dict[str, tuple[str, str, str]] = {}
    parts = (TextPart.BEFORE, TextPart.AFTER)
    for text in source.trial.texts.filter(part__in=parts).order_by("-part", "-language", "version"):
        for question in read_questions(text.body):
            if question.kind == QuestionKind.TEXT and source.is_anonymous:
                continue
            offered = "; ".join(f"{value} = {words}" for value, words in question.options)
            meaning = f"{question.text} ({offered or question.kind}; {text.language} version {text.version})"
            found[f"{text.part}_{question.name}"] = (text.part, question.name, meaning)
    return found


def columns_of_people(source: Source) -> dict[str, str]:
    after = questionnaire_columns(source)
    salted = {} if source.is_anonymous else {"person": "the same person's name in all studies of the site, if known"}
    version = {"questions_version": "versions of the questions before and after that the person saw"} if after else {}
    attention = {"attention_missed": "attention items missed"} if attention_count(source.trial) else {}
    return (
        PEOPLE | attention | salted | version | {column: meaning for column, (_part, _name, meaning) in after.items()}
    )


def people_rows(source: Source) -> Iterator[tuple[Any, ...]]:
    """Yield the header, then one row per participant, whether they finished or not."""
    trial, names = source.trial, source.names
    yield tuple(columns_of_people(source))
    after = questionnaire_columns(source)
    same = {} if source.is_anonymous else salted_ids(trial)
    left_out = {rule.name: set(rule.people(trial)) for rule in rules_of(trial)}
    slips = missed(trial)
    answers = answers_in(trial)
    people = trial.participants.filter(pk__in=names).annotate(sent=answers.count(), counted=answers.count(counts=True))
    in_order = Prefetch("questionnaire_answers", QuestionnaireAnswer.objects.order_by("pk"))
    people = people.prefetch_related(in_order, "questionnaire_answers__shown")
    for one in sorted(people, key=lambda participant: names[participant.pk]):
        worked = minutes_of_work(one.consented_at, one.finished_at, one.checks, trial.settings)
        minutes = None if worked is None else round(worked, 2)
        why = " ".join(name for name, people in left_out.items() if one.pk in people)
        known = [names[one.pk], one.state, one.language, one.consent_version, minutes, one.sent, one.counted, why]
        known += [slips.get(one.pk)] if attention_count(trial) else []
        salted = [] if source.is_anonymous else [same.get(one.pk, "")]
        seen = dict.fromkeys(
            f"{reply.part} {reply.shown.language} {reply.shown.version}" for reply in one.questionnaire_answers.all()
        )
        replies = {(reply.part, reply.name): reply.answer for reply in one.questionnaire_answers.all()}
        more = [" + ".join(seen)] if after else []
        own_replies = (replies.get((part, name), "") for part, name, _meaning in after.values())
        yield (*known, *salted, *more, *own_replies)


def _description(source: Source) -> str:
    trial = source.trial
    variables = {column.name: column.meaning for column in source.columns} | columns_of_people(source) | EVENTS
    variables |= long_columns(trial)
    described = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": f"{trial.title} ({trial.slug})",
        "description": f"Human study {trial.slug}, protocol {trial.protocol}, pack {trial.pack}."
        + (" A program took part; no person answered." if trial.is_simulated else ""),
        "schemaVersion": "Psych-DS 0.4.0",
        "variableMeasured": [
            {"@type": "PropertyValue", "name": name, "description": meaning} for name, meaning in variables.items()
        ],
    }
    return json.dumps(described, indent=2, ensure_ascii=False) + "\n"


def _readme(source: Source) -> str:
    people = (
        "People are numbered in a random order. Random codes, times of day and free text are left out."
        if source.is_anonymous
        else "People appear under the site's random codes. Panel ids are nowhere in these files."
    )
    files = "\n".join(f"- `{path}`: {file.about}" for path, file in files_of(source).items())
    warning = "\n**Simulated people.** A program took part; no person answered.\n" if source.trial.is_simulated else ""
    return f"# {source.trial.title}\n{warning}\n{people}\n\n{files}\n"


def _codebook(source: Source) -> str:
    parts = {"people": columns_of_people(source), "long": long_columns(source.trial), "events": EVENTS}
    rest = [
        f"\n## {source.table(name)}\n\n| column | meaning |\n|---|---|\n"
        + "".join(f"| {column} | {meaning} |\n" for column, meaning in columns.items())
        for name, columns in parts.items()
    ]
    return codebook(source.trial, source.columns) + "".join(rest)


def _methods(source: Source) -> str:
    trial = source.trial
    written = methods_of(trial, summaries(trial))
    return f"# Methods\n\n{written.procedure}\n\n# Results\n\n{written.results}\n"


def _report(source: Source) -> str:
    return report_of(source.trial, summaries(source.trial)).as_markdown()


def _consents(source: Source) -> str:
    texts = (
        f"\n## {version}, {language}\n\npeople: {people}; SHA-256 `{digest}`\n\n{text or LOST_CONSENT}\n"
        for version, language, digest, people, text in consents_agreed_to(source.trial)
    )
    return "# Consent, by the version and the language in the table of people\n" + "".join(texts)


LOST_CONSENT = "The text of an earlier release of the site; only its hash is kept."
NO_PREREGISTRATION = "This study was opened before preregistrations were kept.\n"


def _plan(source: Source, write: Callable[[dict[str, Any]], str]) -> str:
    content = preregistration_of(source.trial)
    return write(content) if content else NO_PREREGISTRATION


def _as_it_is(text: str) -> Callable[[Source], str]:
    return lambda _source: text


@dataclass(frozen=True)
class DataFile:
    """One file of the folder: what it is, and its text."""

    about: str
    text: Callable[[Source], str]


def _scripts(long: str) -> dict[str, DataFile]:
    """The scripts that read the long table, and what they need beside them."""
    return {
        "analysis/registered.R": DataFile("the registered analysis in R", lambda one: in_r(one.trial, long)),
        "analysis/registered.py": DataFile("the same in Python", lambda one: in_python(one.trial, long)),
        **{f"analysis/{path}": DataFile("part of a script", _as_it_is(text)) for path, text in modules().items()},
    }


def files_of(source: Source) -> dict[str, DataFile]:
    """Every file of the folder by its path."""
    long = source.table("long")
    files = {
        "README.md": DataFile("this list", _readme),
        "dataset_description.json": DataFile("the columns of all tables, in the form of Psych-DS", _description),
        source.table("judgments"): DataFile(
            "one row per answer that arrived, counted or not", lambda one: _csv(judgment_rows(one.trial, one.columns))
        ),
        source.table("people"): DataFile("one row per participant", lambda one: _csv(people_rows(one))),
        source.table("events"): DataFile(
            "everything that happened, in order", lambda one: _csv(event_rows(one.trial, one.names))
        ),
        long: DataFile(
            "one row per counted answer, for mixed models", lambda one: _csv(long_rows(one.trial, one.names))
        ),
        **_scripts(long),
        "documentation/codebook.md": DataFile("what each column means", _codebook),
        "documentation/methods.md": DataFile("a methods and a results paragraph", _methods),
        "documentation/human-baseline.md": DataFile("the reporting checklist of Wei et al. 2025, filled in", _report),
        "documentation/consent.md": DataFile("every text that people agreed to", _consents),
        "documentation/preregistration.md": DataFile("the plan, frozen at opening", partial(_plan, write=as_markdown)),
        "documentation/preregistration.json": DataFile("the same for programs", partial(_plan, write=as_json)),
    }
    analysis = find_protocol(source.trial.protocol).analysis
    if not analysis.has_right_answers:
        files = {path: file for path, file in files.items() if path != long and not path.startswith("analysis/")}
        if not analysis.by_moment:
            del files["documentation/methods.md"], files["documentation/human-baseline.md"]
    return files


def texts_of(source: Source) -> Iterator[tuple[str, str]]:
    """Yield each path with its text."""
    for path, file in files_of(source).items():
        yield path, file.text(source)


def may_leave(trial: Trial) -> bool:
    """Whether its author may have the data set. It contains right answers, so not while any item is sealed."""
    is_readable = trial.state in OVER or trial.is_simulated or not trial.has_seal
    return is_readable and not trial.slots.filter(tells_secret("item")).exists()


def write_folder(source: Source, folder: Path) -> int:
    """Write all files below the folder; return how many."""
    count = 0
    for path, text in texts_of(source):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
        count += 1
    return count


def as_zip(source: Source) -> bytes:
    """All files below a folder of the study's name, compressed."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in texts_of(source):
            entry = zipfile.ZipInfo(f"{source.trial.slug}/{path}")  # always of 1980: the same files, the same archive
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, text)
    return packed.getvalue()
