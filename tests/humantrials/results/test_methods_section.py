"""The methods paragraphs for a paper."""

import re

import pytest
from django.utils import timezone

from humantrials.models import Participant
from humantrials.planning.authored_texts import write
from humantrials.planning.preregistration import preregistration_of
from humantrials.protocols import find_protocol
from humantrials.results import judgments
from humantrials.results.figures import ConditionSummary
from humantrials.results.methods_section import as_latex, methods_of
from humantrials.running.lifecycle import close_trial
from tests.humantrials.fixtures import altered, consented, physics_pack, running_trial, twin_pack
from tests.humantrials.results.test_judgments import closed_trial, full_trial
from tests.humantrials.running.test_lifecycle import make

pytestmark = pytest.mark.django_db


def told_of(trial):
    return methods_of(trial, [ConditionSummary(trial, "", judgments.answers(trial))])


@pytest.fixture
def study():
    return closed_trial()


def test_the_procedure_says_what_the_protocol_does(study):
    told = told_of(study).procedure
    for words in (
        "4 video clips of GRASP",
        "saw two clips",
        "three participants were wanted for every clip",
        "“Plausible” and “Not plausible”",
        "after one full watch",
        study.design_hash[:12],
        "there were no attention checks",
    ):
        assert words in told
    [quoted, *_] = re.findall(r"“(Given[^”]+)”", told)
    assert any(quoted in item.text for item in study.pack.items.all())  # the sentence that was shown


def test_the_procedure_says_what_the_author_chose_and_wrote():
    pack = physics_pack(tests=3)
    chosen = {"gates": "computer width=800", "why": "0.25", "ethics": "Board 7, 2026-11."}
    trial = running_trial(pack, replicates=1, attention=f"{pack.name}", attention_items="1", per_test=1, **chosen)
    quiz = "keys: choice\nWhich key?\n+ this\n- that"
    for part, body in (("consent", "I agree."), ("quiz", quiz), ("after", "note: text\nAnything else?")):
        write(trial=trial, part=part, language="en", body=body)
    told = told_of(trial).procedure
    for words in (
        "Only people with this equipment were let in: computer width=800.",
        "After 25 % of the answers",
        "informed consent (version en-0.1); there was one attention check on each sheet",
        "Ethics approval: Board 7, 2026-11. Protocol",
        "Questions of the authors: one after the last item.",
        "Before, one question on the instructions had to be answered right",
    ):
        assert words in told
    altered(consented(trial), consent_version="de-0.2", consented_at=timezone.now())
    assert "(version de-0.2)" in told_of(trial).procedure
    assert preregistration_of(trial)["design"]["consent_version"] == "3"  # as it was at the opening


@pytest.mark.parametrize(
    ("protocol", "chosen", "own"),
    [
        ("grasp-plausibility", {}, set()),
        ("grasp-moment", {}, {"pressed a key"}),
        ("grasp-frames", {"layout": "slides"}, {"still", "as slides"}),
        ("grasp-twins", {"break_every": "2"}, {"before its twin", "both clips", "There was a break"}),
    ],
)
def test_the_procedure_says_of_each_protocol_and_setting_what_others_lack(protocol, chosen, own):
    trial = make(twin_pack(tests=16, pairs=1), protocol=protocol, settings={"split": "all", **chosen})
    told = told_of(trial).procedure
    words = ("pressed a key", "still", "as slides", "before its twin", "both clips", "There was a break", "had to be")
    assert {one for one in words if one in told} == own


@pytest.mark.parametrize(
    ("items", "says"),
    [
        (2, "there were two attention checks on each sheet, questions of pack easy"),
        (3, "there were three attention checks on each sheet (one question was asked twice), questions of pack easy"),
        (4, "there were four attention checks on each sheet (two questions were asked twice), questions of pack easy"),
    ],
)
def test_the_procedure_says_how_many_attention_items_are_asked_twice(items, says):
    physics_pack(tests=1, name="easy")
    trial = running_trial(physics_pack(tests=6), replicates=1, attention="easy", attention_items=items)
    assert says in told_of(trial).procedure


def test_the_numbers_are_those_of_the_results(study):
    told, found = told_of(study).results, judgments.agreement(judgments.answers(study))
    assert f"{found.judgments} judgments by {found.people} participants count" in told
    assert "right on 100.0 % of 4 clips" in told
    assert f"d′ was {found.detection.d_prime:.2f}" in told


def test_who_consented_and_does_not_count_is_counted_by_reason():
    trial = full_trial()
    for state in ("withdrawn", "withdrawn", "stopped"):
        altered(consented(trial), state=state, consented_at=timezone.now())
    close_trial(trial=trial)
    assert "Of those who consented, 3 finished no sheet that counts: 2 withdrew; 1 stopped." in told_of(trial).results


def test_single_answers_are_no_majority_and_ties_count_half(study):
    assert "single answer" not in told_of(study).results
    first, second = study.pack.items.order_by("pk")[:2]
    keep, turned, gone = study.judgments.filter(item=first).order_by("pk")
    gone.delete()
    study.judgments.filter(pk=turned.pk).update(answer={"yes": "no", "no": "yes"}[keep.answer])
    study.judgments.filter(pk__in=study.judgments.filter(item=second).values("pk")[1:]).delete()
    told = told_of(study).results
    assert "right on 87.5 % of 4 clips" in told
    assert "ties, of which there were 1, count half." in told
    assert "Clips with a single answer, which is no majority: 1; it counts as it is." in told


def test_simulated_people_are_called_so_in_every_paragraph(study):
    altered(study, is_simulated=True)
    Participant.objects.update(kind="simulated")
    told = told_of(study)
    assert "Simulated participants (a program)" in told.procedure
    assert "say nothing about people" in told.results


def test_before_an_answer_counts_it_says_so():
    assert told_of(running_trial(physics_pack(tests=1))).results == "No answer counts yet."


@pytest.mark.parametrize(
    ("text", "latex"),
    [("50 % & more_or_less", r"50\,\% \& more\_or\_less"), ("“a” – b", "``a'' -- b"), ("\\x", r"\textbackslash{}x")],
)
def test_latex_takes_it_as_it_is(text, latex):
    assert as_latex(text) == latex


def test_an_item_page_has_the_sentence_that_people_read_beside_the_prompt(study, visitor):
    item = study.pack.items.first()
    page = visitor.get(item.get_absolute_url()).content.decode()
    [(name, sentence)] = judgments.exact_sentences("grasp", item.kind, item.text)
    assert (name, sentence) == ("grasp-plausibility", find_protocol(name).player.sentence(item.text))
    assert sentence in page
    assert "Wording shown to people" in page
