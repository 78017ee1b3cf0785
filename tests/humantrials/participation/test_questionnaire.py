"""The author's own texts and questions, from the author's form to the participant's page and the data set."""

import re

import pytest
from django.test import Client

from humantrials.models import Judgment, Participant, PilotAnswer, QuestionnaireAnswer
from humantrials.planning.authored_texts import rendered, write
from humantrials.protocols import find_protocol
from humantrials.results.data_set import LOST_CONSENT, Source, texts_of
from humantrials.running.lifecycle import close_trial
from tests.humantrials.plain_client import Walker
from tests.humantrials.running.test_transitions import piloting
from tests.markup import compact, table

pytestmark = pytest.mark.django_db
BEFORE = "age: choice, required\nHow old are you?\n- 18 to 39\n- 40 or older\n\nyears: number 0 to 50\nHow many years?"
AFTER = "comment: text\nAnything else?"


def own(trial, **bodies: str) -> None:
    for part, body in bodies.items():
        write(trial=trial, part=part, language="en", body=body)


def test_the_author_writes_looks_and_keeps_versions(trial, staff):
    address = f"/trials/{trial.slug}/texts/consent/en/"
    look = staff.post(address, {"body": "I **agree** to all.", "look": "1"})
    assert "I <strong>agree</strong> to all." in look.content.decode()
    assert not trial.texts.exists()
    for body in ("I agree to all.", "I agree to all.", "I agree to more."):
        assert staff.post(address, {"body": body}).status_code == 302
    assert list(trial.texts.values_list("version", "body")) == [(1, "I agree to all."), (2, "I agree to more.")]
    assert staff.get(f"{address}1/").content.decode() == "I agree to all."
    assert "version 2" in staff.get(f"/trials/{trial.slug}/texts/").content.decode()
    assert trial.events.filter(kind="text").count() == 2


@pytest.mark.parametrize(
    ("part", "body", "said"),
    [
        ("consent", "  \n ", "An empty consent is none"),
        ("debrief", "", "There is no text"),
        ("before", "tired: scale 3 to 3\nHow tired?", "line 1: 3 to 3 has fewer than two steps"),
    ],
)
def test_a_bad_text_is_said_at_the_field(trial, staff, part, body, said):
    page = staff.post(f"/trials/{trial.slug}/texts/{part}/en/", {"body": body})
    assert page.status_code == 400
    assert said in page.content.decode()
    assert not trial.texts.exists()


def test_the_protocols_own_text_comes_back(trial, staff):
    own(trial, consent="I agree to all.")
    staff.post(f"/trials/{trial.slug}/texts/consent/en/", {"own": "no"})
    walker = Walker(Client(), trial)
    assert "I agree to all." not in walker.text
    assert walker.agree().person.consent_version == find_protocol(trial.protocol).screening.consent.version


def test_the_preview_says_each_step_of_a_scale_once(trial, staff):
    body = "tired: scale 1 to 3\nHow tired?\n1 = not at all\n\nage: choice\nHow old?\n- young\n- old"
    page = compact(staff.post(f"/trials/{trial.slug}/texts/before/en/", {"body": body, "look": "1"}).content.decode())
    assert "<li>1 not at all</li><li>2</li><li>3</li>" in page
    assert "<li><code>1</code>young</li>" in page


def test_a_consent_keeps_the_version_that_it_showed(trial, client):
    own(trial, information="Who asks: **us**.", consent="I agree to all.")
    first = Walker(client, trial, "first")
    assert "Who asks: <strong>us</strong>." in first.text
    own(trial, consent="I agree to more.")
    first.agree()  # the text changed meanwhile: the new one is shown
    assert not Participant.objects.exists()
    assert "I agree to more." in first.text
    first.agree()
    assert (first.person.consent_version, first.person.state) == ("en-1.2", "consented")
    own(trial, consent="I agree to everything.")
    second = Walker(client, trial, "second").agree().person
    assert second.consent_version == "en-1.3"
    assert first.person.consent_hash != second.consent_hash
    exported = dict(texts_of(Source(trial)))["documentation/consent.md"]
    for walker, text in ((first.person, "I agree to more."), (second, "I agree to everything.")):
        title, hashed = f"## {walker.consent_version}, en", f"people: 1; SHA-256 `{walker.consent_hash}`"
        assert f"{title}\n\n{hashed}\n\nWho asks: **us**.\n\n{text}\n" in exported
    Participant.objects.filter(pk=second.pk).update(consent_hash="0" * 64)  # as by a text that an update changed
    assert LOST_CONSENT in dict(texts_of(Source(trial)))["documentation/consent.md"]


@pytest.mark.parametrize(
    ("body", "levels"),
    [
        ("# One\n\n## Two\n\n# Three", "232"),
        ("## One\n\n### Two", "23"),
        ("# One\n\n#### Two\n\n###### Three\n\n## Four", "2343"),
        ("### One\n\n## Two\n\n<h5 class=big>Three</h5>", "223"),
    ],
)
def test_headings_follow_the_pages_own_without_a_gap(body, levels):
    html = rendered(body)
    assert "".join(re.findall(r"<h([1-6])>", html)) == "".join(re.findall(r"</h([1-6])>", html)) == levels


def test_a_text_in_another_language_is_shown_where_there_is_none(trial, client):
    write(trial=trial, part="information", language="de", body="Wir fragen.")
    assert '<div class="own" lang="de" dir="auto"><p>Wir fragen.</p></div>' in Walker(client, trial, lang="ar").text


def to_the_end(walker: Walker) -> Walker:
    walker.press(step="instructions").practise()
    return walker.answer("yes").answer("no")


def test_questions_are_asked_before_and_after_and_exported(trial, client):
    own(trial, before=BEFORE, after=AFTER, instructions="Look **closely**.", debrief="It was about *us*.")
    walker = Walker(client, trial).agree()
    number = walker.reader.fields["text"]
    wrong = walker.press(step="before", text=number, q_age="", q_years="70").page
    assert wrong.status_code == 400
    assert "Please answer this question." in wrong.content.decode()
    assert "Please write a number from 0 to 50." in wrong.content.decode()
    assert 'value="70"' in wrong.content.decode()
    walker.press(step="before", text=number, q_age="3", q_years="7")
    assert "Please choose one of these answers." in walker.text
    walker.press(step="before", text=number, q_age="2", q_years="7")
    assert "Look <strong>closely</strong>." in walker.text
    to_the_end(walker)
    assert walker.person.has_finished  # the answers count before the last questions
    assert "Anything else?" in walker.text
    walker.press(step="after", text=walker.reader.fields["text"], q_comment="It was fun.")
    assert "It was about <em>us</em>." in walker.text
    assert walker.person.completion_code in walker.text
    close_trial(trial=trial)
    (row,) = people(Source(trial))
    assert (row["before_age"], row["before_years"], row["questions_version"]) == ("2", "7", "before en 1 + after en 1")
    assert "after_comment" not in row
    (row,) = people(Source(trial, is_anonymous=False))
    assert row["after_comment"] == "It was fun."


@pytest.mark.parametrize(("typed", "stored"), [("٧", "7"), ("7,0", "7")])
def test_a_whole_number_within_its_bounds_is_stored_in_plain_digits(trial, client, typed, stored):
    own(trial, before=BEFORE)
    walker = Walker(client, trial).agree()
    for refused in ("2,5", "٢٫٥", "1.234,5", "٩٩"):
        walker.press(step="before", text=walker.reader.fields["text"], q_age="2", q_years=refused)
        assert walker.page.status_code == 400
        assert not walker.person.questionnaire_answers.exists()
    walker.press(step="before", text=walker.reader.fields["text"], q_age="2", q_years=typed)
    assert walker.person.questionnaire_answers.get(name="years").answer == stored


def people(source: Source) -> list[dict[str, str]]:
    return table(dict(texts_of(source))[source.table("people")])


@pytest.mark.parametrize("is_pilot", [False, True])
def test_no_answer_is_taken_before_required_questions(trial, is_pilot):
    own(trial, before=BEFORE)
    walker = (piloting(Client(), trial) if is_pilot else Walker(Client(), trial)).agree()
    assert walker.send("answer/", position="0", answer="yes").status_code == 409
    assert walker.client.post(f"{walker.road}code/").status_code == 204  # nor is there a code
    assert not Judgment.objects.exists()
    assert not PilotAnswer.objects.exists()


def test_a_form_of_another_study_stores_nothing(trial, client):
    own(trial, before=BEFORE)
    walker = Walker(client, trial).agree()
    walker.press(step="before", text="999999", q_age="1").press(step="after", text=walker.reader.fields["text"])
    walker.press(step="before", text="x", q_age="1")
    assert not QuestionnaireAnswer.objects.exists()
    assert walker.person.step == "before"


def test_who_withdraws_erases_these_answers_too(trial, client):
    own(trial, before=BEFORE)
    walker = Walker(client, trial).agree()
    walker.press(step="before", text=walker.reader.fields["text"], q_age="1")
    assert QuestionnaireAnswer.objects.count() == 1
    walker.press(step="withdraw")
    assert not QuestionnaireAnswer.objects.exists()


def test_who_finished_before_there_were_questions_keeps_the_code(trial, client):
    walker = to_the_end(Walker(client, trial).agree())
    own(trial, after=AFTER)
    assert walker.person.completion_code in walker.look().text


def test_a_preview_sees_them_and_stores_nothing(trial, staff):
    own(trial, before=BEFORE, after=AFTER)
    walker = Walker.at(staff, f"/t/{trial.slug}/?preview=1")
    walker.agree().press(step="before", text=trial.texts.get(part="before").pk, q_age="1")
    to_the_end(walker)
    assert "Anything else?" in walker.text
    walker.press(step="after", text=walker.reader.fields["text"], q_comment="x")
    assert "PREVIEW" in walker.text
    assert not QuestionnaireAnswer.objects.exists()
    assert Participant.objects.get().kind == "preview"


def test_a_text_may_have_as_many_characters_as_its_field_lets_in_and_no_others(trial, client):
    own(trial, before="comment: text\nAnything?")
    walker = Walker(client, trial).agree()
    walker.press(step="before", text=walker.reader.fields["text"], q_comment="a\x00\u200c\r\n" * 600)
    assert QuestionnaireAnswer.objects.get().answer == ("a\u200c\n" * 600).strip()
