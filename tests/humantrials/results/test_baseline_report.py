"""The human-baseline report: every item of the checklist, the site's own figures, nothing before they are shown."""

import re
import shutil
import subprocess

import pytest
from django.test import Client

from humantrials.judging import answer_flags
from humantrials.judging.exclusion_rules import NOBODY
from humantrials.models import Trial
from humantrials.results import release
from humantrials.results.baseline_report import OF_MAJORITIES, UNKNOWN, report_of
from humantrials.results.data_set import Source, texts_of
from humantrials.results.figures import summaries
from humantrials.results.report_pdf import as_pdf
from humantrials.running.lifecycle import close_trial
from tests.humantrials.results.test_judgments import closed_trial, full_trial

pytestmark = pytest.mark.django_db
FILE = "/trials/running/human-baseline.pdf"


def answers_of(trial: Trial) -> dict[str, str]:
    found = report_of(trial, summaries(trial))
    return {one.number: one.answer for _title, items in found.parts for one in items}


def text_of(content: bytes, how: str = "-raw") -> str:
    """The text of a PDF."""
    if not shutil.which("pdftotext"):
        pytest.skip("pdftotext is not installed: apt-get install poppler-utils")
    return subprocess.run(["pdftotext", how, "-", "-"], input=content, capture_output=True, check=True).stdout.decode()


def words(text: str) -> str:
    return re.sub(r"\s+", "", text)


def test_every_item_has_an_answer_or_asks_the_author():
    trial = closed_trial(ethics="Board 7, 2026-11", why="0.5", rules="left-the-page", precision="5")
    found = answers_of(trial)
    assert len(found) == 71
    assert all(found.values())
    open_items = [number for number, answer in found.items() if answer == UNKNOWN]
    assert {"0.1", "1.8.1", "2.1", "2.4", "2.7"} <= {*open_items}
    known = {
        "0.6": "Text; video.",
        "1.1": "6 people.",
        "1.2": "4 of 4 planned.",
        "1.3": "3; 3 were wanted.",
        "1.4": "2.",
        "1.9": "Board 7, 2026-11",
        "3.6": "Yes, after 50 % of the answers.",
        "4.3": OF_MAJORITIES,
        "5.1.3": "Median of an answer, from the first picture: 2.5 s.",
    }
    assert {number: found[number] for number in known} == known
    assert trial.preregistration.digest[:16] in found["1.10"]
    assert "left the page" in found["3.2.1"]
    Trial.objects.filter(pk=trial.pk).update(pay_amount="2.50", pay_currency="EUR")
    assert "2.50 EUR" in answers_of(Trial.objects.get(pk=trial.pk))["2.7.1"]


def test_the_figures_are_those_of_the_page(visitor):
    trial = closed_trial(lambda slot: "yes" if slot.sheet.order else "no", rules="straight-lining")
    page = visitor.get("/trials/running/?report=1").content.decode()
    whole, found = summaries(trial)[0].figures.whole, answers_of(trial)
    score, low, high = (100 * share for share in (whole.score, whole.interval.low, whole.interval.high))
    assert found["4.2"] == f"{score:.1f} % ({low:.1f} to {high:.1f}), n {whole.n}, people {whole.people}."
    assert f"{low:.0f}–{high:.0f} %" in re.sub(r"\s+", " ", page)
    assert found["4.2"] in page


def test_a_study_shows_nothing_before_its_close(staff, monkeypatch):
    monkeypatch.setattr(release, "MIN_PEOPLE", 5)
    monkeypatch.setattr(answer_flags, "ENOUGH", 2)
    trial, visitor = full_trial(rules="left-the-page"), Client()
    for client in (visitor, staff):
        assert client.get(FILE).status_code == 404
        assert "human-baseline" not in client.get("/trials/running/?report=1").content.decode()
    close_trial(trial=trial)
    assert FILE in visitor.get("/trials/running/").content.decode()
    assert visitor.get(FILE).status_code == 200
    # So that two people are left.
    trial.judgments.filter(participant__sheet__order__lt=4).update(playback={"leaves": 1})
    page = visitor.get(f"/trials/running/?report=1&exclude={NOBODY}").content.decode()  # shown of all
    assert ('id="methods"' in page, 'id="human-baseline"' in page) == (True, False)
    assert visitor.get(FILE).status_code == 404


def test_the_pdf_and_the_data_set_have_the_text_of_the_page(visitor):
    trial = closed_trial()
    report = report_of(trial, summaries(trial))
    answer = visitor.get(FILE)
    assert answer["Content-Type"] == "application/pdf"
    printed = text_of(answer.content)
    assert printed.count("\f") > 1  # pages
    printed = words(printed)
    written = dict(texts_of(Source(trial)))["documentation/human-baseline.md"]
    page = visitor.get("/trials/running/?report=1").content.decode()
    for style, text in report.blocks():
        assert words(text) in printed
        assert text in written
        assert style != "answer" or text.replace("'", "&#x27;") in page


def test_headings_are_larger_and_stand_apart_on_a4():
    styles = {"title": 16, "text": 9, "part": 12, "question": 9, "answer": 9}
    boxes = text_of(as_pdf("t", [(style, style) for style in styles]), "-bbox")
    assert '<page width="595.000000" height="842.000000">' in boxes
    found = re.findall(r'xMin="([\d.]+)" yMin="([\d.]+)" xMax="[\d.]+" yMax="([\d.]+)"', boxes)
    left, top, bottom = zip(*(map(float, word) for word in found), strict=True)
    assert set(left) == {56}
    sizes = [(end - begin) / 1.163 for begin, end in zip(top, bottom, strict=True)]
    assert sizes == pytest.approx(list(styles.values()), abs=0.1)
    lines = [end - 0.235 * size for end, size in zip(bottom, sizes, strict=True)]
    assert lines == pytest.approx([78.4, 95, 127.8, 147.4, 160], abs=0.1)


def test_a_word_longer_than_the_page_is_cut_and_no_text_is_lost():
    long = "x" * 500
    assert words(text_of(as_pdf("t", [("text", long)] * 40))) == long * 40
