"""Authors' pages for a trial's own texts and questions. Every version is stored."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect

from accounts.typing import SignedInRequest
from humantrials.desk.study_views import at_the_desk, desk, form_at_the_desk, need_tab
from humantrials.errors import BadSetting
from humantrials.models import AuthoredText, TextPart, Trial
from humantrials.participation.questionnaire import QuestionField
from humantrials.planning.authored_texts import LONGEST, html_of, write
from humantrials.planning.questionnaires import QUIZ_START, START, AuthorQuestion, read_questions, read_quiz

LANGUAGES = dict(settings.LANGUAGES)
ABOUT = {
    TextPart.AIMS: ("Aims and hypotheses", "For the preregistration; participants never see it."),
    TextPart.INFORMATION: ("Information", "Above the consent: who asks, what for, what happens with the answers."),
    TextPart.CONSENT: ("Consent", "In place of the protocol's; the sentence above the button stays."),
    TextPart.BEFORE: ("Questions before", "After the consent: about age, vision, hearing, experience."),
    TextPart.INSTRUCTIONS: ("Instructions", "In place of the protocol's."),
    TextPart.QUIZ: ("Quiz", "On the instructions, in place of the protocol's; its last failed attempt ends the study."),
    TextPart.AFTER: ("Questions after", "After the last item, before the code."),
    TextPart.DEBRIEF: ("Debriefing", "On the last page, in place of the protocol's."),
}
READERS = {TextPart.BEFORE: read_questions, TextPart.AFTER: read_questions, TextPart.QUIZ: read_quiz}
STARTS = {TextPart.BEFORE: START, TextPart.QUIZ: QUIZ_START}
HELP = "A question is a line NAME: KIND, its words below it, its answers, and an empty line."
HELP_ON_QUIZZES = " In a quiz the right answer begins with +; a last line with ! explains it after a wrong answer."


class TextForm(forms.Form):
    """One text. A questionnaire is parsed, and the error names its first bad line."""

    body = forms.CharField(required=False, max_length=LONGEST, strip=False, label="Text")

    def __init__(self, part: str, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.part = part
        self.questions: tuple[AuthorQuestion, ...] = ()
        self.fields["body"].widget = forms.Textarea(attrs={"rows": 16, "dir": "auto"})
        if part in READERS:
            self.fields["body"].help_text = HELP + (HELP_ON_QUIZZES if part == TextPart.QUIZ else "")

    def clean_body(self) -> str:
        body = self.cleaned_data["body"].replace("\r\n", "\n")
        if not body.strip() and self.data.get("own") != "no":
            raise forms.ValidationError(_empty(self.part))
        if self.part in READERS:
            try:
                self.questions = READERS[TextPart(self.part)](body)
            except BadSetting as error:
                raise forms.ValidationError(str(error)) from None
        return body if body.strip() else ""


def _empty(part: str) -> str:
    if part == TextPart.CONSENT:
        return "An empty consent is none: write what people agree to, or go back to the protocol's."
    return "There is no text: write it, or go back to the protocol's."


@at_the_desk
def texts(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """Every part with its newest version in each language."""
    need_tab(trial, "texts")
    newest = {(one.part, one.language): one for one in trial.texts.order_by("version")}
    rows = [
        {
            "part": part,
            "title": title,
            "about": about,
            "cells": [(code, name, newest.get((part, code))) for code, name in LANGUAGES.items()],
        }
        for part, (title, about) in ABOUT.items()
    ]
    return desk(request, "texts", trial, "texts", rows=rows, languages=LANGUAGES.values())


@form_at_the_desk
def text(request: SignedInRequest, trial: Trial, part: str, language: str) -> HttpResponse:
    """Write one part in one language: preview it, then store it as the next version."""
    need_tab(trial, "texts")
    if part not in ABOUT or language not in LANGUAGES:
        raise Http404
    versions = trial.texts.filter(part=part, language=language).select_related("by").order_by("-version")
    newest = versions.first()
    start = STARTS.get(TextPart(part), "") if newest is None else ""
    form = TextForm(part, request.POST or None, initial={"body": newest.body if newest else start})
    is_valid = request.method == "POST" and form.is_valid()
    if is_valid and "look" not in request.POST:
        stored = write(trial=trial, part=part, language=language, body=form.cleaned_data["body"], by=request.user)
        messages.success(request, f"{ABOUT[TextPart(part)][0]}: version {stored.version} counts from now on.")
        return redirect("trial-texts", trial.slug)
    title, about = ABOUT[TextPart(part)]
    facts: dict[str, Any] = {"form": form, "part": part, "title": title, "about": about, "versions": versions}
    facts |= {"language": language, "language_name": LANGUAGES[language], "has_own": bool(newest and newest.body)}
    if is_valid:
        preview = AuthoredText(part=part, language=language, body=form.cleaned_data["body"])
        facts |= {"preview": html_of(preview) if part not in READERS else None}
        facts |= {"asked": [QuestionField(question) for question in form.questions]}
    return desk(request, "text", trial, "texts", **facts)


@at_the_desk
def text_version(request: SignedInRequest, trial: Trial, part: str, language: str, version: int) -> HttpResponse:
    """One version exactly as it was written."""
    found = get_object_or_404(trial.texts, part=part, language=language, version=version)
    return HttpResponse(found.body, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})
