"""The author's own texts of a trial: the newest version in a person's language, as safe HTML; and the quiz."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import markdown
import nh3
from django.conf import settings
from django.db import transaction
from django.db.models import Count, Min
from django.utils.safestring import SafeString, mark_safe

from accounts.models import User
from humantrials.assignment.prepared_queries import ONE, OTHER_WORD, WORD, PreparedQuery
from humantrials.models import AuthoredText, ParticipantKind, TextPart, Trial
from humantrials.planning.questionnaires import AuthorQuestion, read_quiz
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Consent, Option, QuizQuestion, Text
from humantrials.protocols.settings import setting

TAGS = {"p", "br", "em", "strong", "ul", "ol", "li", "a", "h1", "h2", "h3", "h4", "h5", "h6"}
TAGS |= {"blockquote", "code", "hr"}
HEADING = re.compile(r"<(/?)h([1-6])>")
LONGEST = 20_000


OF_TWO_PARTS = PreparedQuery(
    lambda: AuthoredText.objects.filter(trial=ONE, part__in=(WORD, OTHER_WORD)).order_by("version"),
    *(ONE, WORD, OTHER_WORD),
)


def text_of(trial: Trial, part: str, language: str, **narrowed: Any) -> AuthoredText | None:
    """The newest version in this language, else in the site's, else in any; None if the protocol's own is shown."""
    if not narrowed:
        return texts_of(trial, (part, part), language)[0]
    return _in_language(trial.texts.filter(part=part, **narrowed).order_by("version"), language)


def texts_of(trial: Trial, parts: tuple[str, str], language: str) -> tuple[AuthoredText | None, AuthoredText | None]:
    """`text_of` for two parts, with one query."""
    every = OF_TWO_PARTS.models(trial.pk, *parts)
    first, second = ([one for one in every if one.part == part] for part in parts)
    return _in_language(first, language), _in_language(second, language)


def _in_language(versions: Iterable[AuthoredText], language: str) -> AuthoredText | None:
    newest = {one.language: one for one in versions}
    found = {name: one for name, one in newest.items() if one.body}
    order = (language, settings.LANGUAGE_CODE, *sorted(found))
    return next((found[name] for name in order if name in found), None)


def html_of(text: AuthoredText | None) -> SafeString | None:
    """The text as HTML without scripts, pictures and styles, in an element of its language."""
    if text is None:
        return None
    html = f'<div class="own" lang="{text.language}" dir="auto">{rendered(text.body)}</div>'
    return mark_safe(html)  # noqa: S308  # nosec B308 B703  # nh3 cleaned it


@lru_cache(maxsize=256)
def rendered(body: str) -> str:
    """Markdown as HTML; nh3 (Ammonia) keeps only plain structure and links to web and mail addresses."""
    html = markdown.markdown(body, extensions=["markdown.extensions.sane_lists"], output_format="html")
    links = {"http", "https", "mailto"}
    clean = nh3.clean(html, tags=TAGS, attributes={"a": {"href"}}, url_schemes=links, link_rel="noopener noreferrer")
    return _below_the_first_heading(clean)


def _below_the_first_heading(html: str) -> str:
    """The page has its own first heading: the text's begin at the second level, and no level is left out."""
    above: list[int] = []

    def moved(found: re.Match[str]) -> str:
        if not found[1]:
            while above and above[-1] >= int(found[2]):
                above.pop()
            above.append(int(found[2]))
        return f"<{found[1]}h{min(1 + len(above), 6)}>"

    return HEADING.sub(moved, html)


@dataclass(frozen=True)
class ConsentWording:
    """What a person agrees to: the author's texts, followed by the rest of the protocol's."""

    consent: Consent
    own: tuple[SafeString, ...] = ()
    paragraphs: tuple[Text, ...] = ()


def consent_of(trial: Trial, language: str) -> ConsentWording:
    """What a person agrees to: the author's information and consent if there are any, else the protocol's.

    The version of an author's consent names language, version of the information and version of the consent, where 0 is
    the protocol's own: together they are the exact text, as versions never change.
    """
    own = find_protocol(trial.protocol).screening.consent
    information, consent = texts_of(trial, (TextPart.INFORMATION, TextPart.CONSENT), language)
    if information is None and consent is None:
        return ConsentWording(own, (), own.paragraphs)
    versions = ".".join(str(one.version if one else 0) for one in (information, consent))
    spoken = next(one.language for one in (consent, information) if one)
    rest = () if consent else own.paragraphs
    agreed = Consent(f"{spoken}-{versions}", (*(one.body for one in (information, consent) if one), *rest), own.agree)
    return ConsentWording(agreed, tuple(filter(None, (html_of(information), html_of(consent)))), rest)


def consent_versions(trial: Trial) -> str:
    """The versions that people agreed to, else the one that they would read in the site's language."""
    agreed = trial.participants.filter(kind=ParticipantKind.PERSON, consented_at__isnull=False)
    versions = sorted(set(agreed.order_by().values_list("consent_version", flat=True).distinct()))
    return ", ".join(versions or [consent_of(trial, settings.LANGUAGE_CODE).consent.version])


def consents_agreed_to(trial: Trial) -> Iterator[tuple[str, str, str, int, str]]:
    """Yield version, language of the pages, SHA-256, people and words of each text that people agreed to, by time."""
    agreed = trial.participants.filter(kind=ParticipantKind.PERSON, consented_at__isnull=False, first=None)
    groups = agreed.order_by().values_list("consent_version", "language", "consent_hash")
    for version, language, digest, people, _first in groups.annotate(n=Count("pk"), at=Min("pk")).order_by("at"):
        yield version, language, digest, people, _text_with(trial, language, digest)


def _text_with(trial: Trial, language: str, digest: str) -> str:
    """The text of this hash: of the protocol, or with any versions of the author's; '' for an earlier protocol's."""
    own = find_protocol(trial.protocol).screening.consent
    information, consents = (
        [None, *trial.texts.filter(part=part)] for part in (TextPart.INFORMATION, TextPart.CONSENT)
    )
    for first, second in product(information, consents):
        rest = () if second else own.paragraphs
        consent = Consent("", (*(one.body for one in (first, second) if one), *rest), own.agree)
        if consent.digest(language) == digest:
            return consent.text(language)
    return ""


@transaction.atomic
def write(*, trial: Trial, part: str, language: str, body: str, by: User | None = None) -> AuthoredText:
    """Store the text as the next version, unless it has not changed."""
    Trial.objects.select_for_update().get(pk=trial.pk)  # two authors at once get two numbers
    newest = trial.texts.filter(part=part, language=language).order_by("version").last()
    if newest and newest.body == body:
        return newest
    version = newest.version + 1 if newest else 1
    trial.events.create(kind="text", note=f"{part} {language} version {version}", by=by)
    return trial.texts.create(part=part, language=language, version=version, body=body, by=by)


def versions_of(trial: Trial) -> dict[str, dict[str, Any]]:
    """Part and language -> newest version and the hash of its text, for the preregistration."""
    every = trial.texts.exclude(part=TextPart.AIMS).order_by("part", "language", "version")
    return {
        f"{one.part} {one.language}": {"version": one.version, "sha256": hashlib.sha256(one.body.encode()).hexdigest()}
        for one in every
    }


@dataclass(frozen=True)
class Quiz:
    """The questions, how often one may try, and the author's text that they are from; None: the protocol's own."""

    questions: tuple[QuizQuestion, ...]
    attempts: int
    text: AuthoredText | None = None

    @property
    def version(self) -> str:
        """Language and version of the author's text; "" of a protocol's quiz."""
        return f"{self.text.language} {self.text.version}" if self.text else ""


def quiz_in(trial: Trial, language: str, number: str = "") -> Quiz:
    """The quiz in this language, or the author's version of this number where a form was made from it."""
    protocol = find_protocol(trial.protocol)
    attempts = setting(trial.settings, "quiz_attempts", protocol)
    text = version_numbered(trial, TextPart.QUIZ, number) or text_of(trial, TextPart.QUIZ, language)
    if text is None:
        return Quiz(protocol.screening.quiz, attempts)
    return Quiz(tuple(map(_question, read_quiz(text.body))), attempts, text)


def version_numbered(trial: Trial, part: str, number: str) -> AuthoredText | None:
    """The version whose number a form sends; None if there is none, or if it is empty."""
    if not number.isdecimal() or len(number) > 12:
        return None
    return trial.texts.filter(part=part, pk=int(number)).exclude(body="").first()


def _question(one: AuthorQuestion) -> QuizQuestion:
    return QuizQuestion(one.text, tuple(Option(*option) for option in one.options), one.right, one.why)
