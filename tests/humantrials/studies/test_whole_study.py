"""A study from its form to its data set through pages only; the exported table must reproduce known parameters.

The suite runs one study; `make soak PART=study` runs STUDIES=100. People are right with the probability share + person
+ item; persons are 10 points and items 20 points above or below, so the true share is exactly SHARE.
"""

import csv
import io
import os
import random
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from django.test import Client
from scipy.stats import binom

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import SCORER, with_expected
from benchmarks.leasing import lapse
from benchmarks.models import Item, Pack
from benchmarks.packs.import_release import import_release
from humantrials.identities import SIMULATOR_HEADER, simulator_signature
from humantrials.models import Slot, Trial
from humantrials.simulation.browser import PageReader
from humantrials.simulation.participant import answers_to, hear, quiz_of
from humantrials.studies.attention_checks import question_at
from measures.estimate import figure_of_answers
from tests.benchmarks.pacs_releases import small
from tests.factories import answer_to
from tests.humantrials.fixtures import physics_pack
from tests.humantrials.plain_client import Walker
from tests.humantrials.protocols.designs.test_crossed import stand_in_clips

STUDIES = int(os.environ.get("STUDIES", "1"))
SHARE, PERSON, ITEM = 0.7, 0.1, 0.2
CHANCE = 0.01  # lower limit of intervals that hold the truth, if 95 of 100 do
QUESTIONS = "age: choice, required\nHow old are you?\n- 18 to 39\n- 40 or older"


def made(author: Client, pack, slug: str, replicates: int) -> Trial:
    """Create a study by its form, write its texts and open it on its page."""
    fields = {
        "title": "Known",
        "slug": slug,
        "pack": pack.pk,
        "seed": 1,
        "retention_days": 30,
        "replicates": replicates,
    }
    assert author.post("/trials/new/?protocol=grasp-plausibility", fields).status_code == 302
    for part, body in (("consent", "I **agree**."), ("before", QUESTIONS)):
        assert author.post(f"/trials/{slug}/texts/{part}/en/", {"body": body}).status_code == 302
    return Trial.objects.get(slug=slug)


class Passer:
    """A participant through pages, who answers with known probabilities."""

    def __init__(self, entry: str, rng: random.Random, **options) -> None:
        self.client, self.rng = Client(**options), rng
        consent = PageReader(self.client.get(entry).content.decode()).fields
        reply = self.client.post(entry, {**consent, "choice": "yes"}, follow=True)
        self.road, self.page = reply.request["PATH_INFO"], PageReader(reply.content.decode())
        self.side = rng.choice((-PERSON, PERSON))

    def press(self, **fields: str) -> None:
        self.page = PageReader(self.client.post(self.road, fields, follow=True).content.decode())

    def take_part(self, right: dict[int, str], sides: dict[int, float]) -> str:
        """Go from the step after the consent to the code; returns the last page."""
        self.press(step="before", **answers_to(self.page.fields["text"], self.rng))
        self.press(step="instructions")
        if self.page.step == "practised":
            self.press(step="practised", answer="yes")
            self.press(step="practice")
        for position in self.page.positions:
            is_right = self.rng.random() < SHARE + self.side + sides[position]
            said = right[position] if is_right else {"yes": "no", "no": "yes"}[right[position]]
            fields = {"position": position, "answer": said, "seconds": "3.2", "watched": "1"}
            self.client.post(f"{self.road}answer/", fields, headers={"Accept": "application/json"})
        return self.client.get(self.road).content.decode()


def key_of(trial: Trial, token: str, sides: dict[int, float]) -> tuple[dict[int, str], dict[int, float]]:
    """The right answer and the item's side at each position of the participant's sheet."""
    slots = Slot.objects.filter(sheet__given_to__token=token)
    rows = list(with_expected(slots, to=SCORER, item="item").values_list("position", "expected", "item_id"))
    return {at: right or "" for at, right, _item in rows}, {at: sides[item] for at, _right, item in rows}


def table_of(author: Client, slug: str) -> list[dict[str, str]]:
    archive = zipfile.ZipFile(io.BytesIO(author.get(f"/trials/{slug}/export.zip").content))
    (name,) = (name for name in archive.namelist() if "table-long" in name)
    return list(csv.DictReader(io.StringIO(archive.read(name).decode())))


def one_study(author: Client, pack, number: int, replicates: int) -> list[dict[str, str]]:
    """Make, pilot, open, fill, close and export a study; returns the exported table."""
    rng, slug = random.Random(number), f"known-{number}"
    trial = made(author, pack, slug, replicates)
    sides = {item: rng.choice((-ITEM, ITEM)) for item in trial.slots.values_list("item_id", flat=True).distinct()}
    pilot = Passer(author.get(f"/trials/{slug}/manage/").context["pilot_link"], rng)
    pilot.take_part(*key_of(trial, pilot.road.split("/")[2], sides))
    assert author.get(f"/trials/{slug}/plan/").status_code == 200
    author.post(f"/trials/{slug}/manage/open/")
    simulator = {SIMULATOR_HEADER: simulator_signature(slug)}
    for place in range(trial.sheets.count()):
        one = Passer(f"/t/{slug}/?participant={place}", rng, headers=simulator)
        assert "data-code" in one.take_part(*key_of(trial, one.road.split("/")[2], sides))
    author.post(f"/trials/{slug}/manage/close/")
    return table_of(author, slug)


@pytest.mark.django_db
def test_the_exported_table_holds_the_true_share(staff):
    tests, replicates = (8, 4) if STUDIES > 1 else (4, 2)
    pack, held = physics_pack(tests=tests), []
    for number in range(STUDIES):
        rows = one_study(staff, pack, number, replicates)
        assert len(rows) == 2 * tests * replicates
        assert len({row["participant"] for row in rows}) == 2 * replicates
        assert {row["in_primary"] for row in rows} == {"1"}
        found = figure_of_answers(
            [int(row["correct"]) for row in rows], [row["participant"] for row in rows], [row["item"] for row in rows]
        ).interval
        held.append(found.low <= SHARE <= found.high)
    print(f"{sum(held)} of {len(held)} intervals hold the true share")
    assert binom.cdf(sum(held), len(held), 0.95) > CHANCE


GERMAN = {
    "information": "Wer fragt: das **Institut**.",
    "consent": "Ich stimme zu.",
    "instructions": "Schauen Sie sich beide Videos an.",
    "before": "alter: choice, required\nWie alt sind Sie?\n- 18 bis 39\n- 40 oder älter",
}
FLOW = (
    r"(\d+) participants consented and (\d+) finished. Of these, (\d+) gave no answer that counts"
    r" and (\d+) are left out by rule; (\d+) judgments by (\d+) participants count"
)
RIGHT = {"audio": 0.9, "no-audio": 0.5}  # shares of right answers


def pairs_pack(folder: Path, name: str, pairs: Sequence[tuple[int, int]], questions: int) -> Pack:
    """PACS: pairs without a clip in common, with so many questions each."""
    texts = {f"question{number:04}": {"label": number % 2, "text": f"Heavier? {number}"} for number in range(questions)}
    data = {f"object{one:04}_object{two:04}": texts for one, two in pairs}
    release = small(folder, val_data=data, val_data_mat=None, objects=None)
    pack = import_release(BENCHMARKS["pacs"], release, pack_name=name).pack
    stand_in_clips(pack)
    return pack


class Listener:
    """A participant of a study with sound, by its pages, who takes seconds for each answer."""

    def __init__(self, trial: Trial, name: str, rng: random.Random, **records: str) -> None:
        self.rng, self.records = rng, records
        self.walker = Walker(Client(HTTP_USER_AGENT=name), trial, name, lang="de")
        assert "Wer fragt: das <strong>Institut</strong>" in self.walker.page.content.decode()
        self.walker.agree().press(step="before", **answers_to(self.walker.reader.fields["text"], rng))
        self.walker.press(step="sound", **hear(self.walker.person.token)).press(step="instructions")
        self.walker.press(step="quiz", **quiz_of(self.walker.person.token)).look()
        if self.walker.reader.step == "practised":
            self.walker.practise()

    def answer(self, most: int = 99, *, heeds: bool = True) -> str:
        """Answer to the end, or so many questions; returns the last page."""
        while positions := self.walker.reader.positions:
            assert positions == sorted(positions), "no attention item stands out of order"
            for position in positions[:most]:
                self._answer(position, heeds)
            most -= len(positions)
            if most <= 0 or self.walker.look().reader.step != "break":
                break
            self.walker.press(**self.walker.reader.fields)
        return self.walker.page.content.decode()

    def _answer(self, position: int, heeds: bool) -> None:
        question = question_at(self.walker.person, position)
        assert question
        item = Item.objects.get(pk=question.item_id)
        is_right = heeds if item.pack.name == "easy" else self.rng.random() < RIGHT[question.condition]
        answer = answer_to(item) if is_right else next(one for one in item.options if one != answer_to(item))
        after = self.rng.lognormvariate(0.3, 0.6)
        self.walker.fetch(position)
        for _second in range(5 + round(after)):
            self.walker.wait()
        times = {"seconds": f"{4 + after:.3f}", "after_end": f"{after:.3f}", "inputs": "9", "watched": "1"}
        fields = {"position": str(position), "answer": answer, **times, **self.records}
        self.walker.client.post(f"{self.walker.road}answer/", fields, HTTP_ACCEPT="application/json")


@pytest.mark.django_db
def test_a_study_with_and_without_sound_in_german_adds_up(staff, tmp_path):
    """Own consent, attention, pay, one who leaves, one program; the tables give what the methods section says."""
    names, rng = [f"person-{number}" for number in range(7)], random.Random(4)
    pack = pairs_pack(tmp_path / "a", "asked", ((1, 2), (3, 4)), 4)
    easy = pairs_pack(tmp_path / "b", "easy", ((5, 6),), 1)
    fields = {"title": "Klang", "slug": "klang", "pack": pack.pk, "seed": 1, "retention_days": 30, "replicates": 3}
    fields |= {"attention": f"easy:{easy.items.get().public_id}", "attention_items": 1, "qualified": " ".join(names)}
    fields |= {"rules": ["program", "missed-attention"]}
    assert staff.post("/trials/new/?protocol=pacs-audio", fields).status_code == 302
    for part, body in GERMAN.items():
        assert staff.post(f"/trials/klang/texts/{part}/de/", {"body": body}).status_code == 302
    staff.post("/trials/klang/pay/", {"pay_amount": "4", "pay_currency": "EUR"})
    staff.post("/trials/klang/manage/open/")
    trial = Trial.objects.get(slug="klang")
    assert (trial.state, trial.sheets.count()) == ("open", 6)
    leaver = Listener(trial, names[0], rng)
    leaver.answer(3)
    lapse(trial.sheets.all())
    ends = [Listener(trial, name, rng) for name in names[1:6]]
    ends.append(Listener(trial, names[6], rng, automation="webdriver"))
    for listener in ends:
        page = listener.answer(heeds=listener is not ends[0])
        assert listener.walker.person.completion_code in page
    staff.post("/trials/klang/manage/close/")
    staff.post("/trials/klang/pay/approve/")
    paid = pd.read_csv(io.BytesIO(staff.get("/trials/klang/pay/list.csv").content))
    amounts = dict(zip(paid.panel_id, paid.amount, strict=True))
    assert amounts.pop(names[0]) == 4 * leaver.walker.person.judgments.count() / 8
    assert names[6] not in amounts
    assert set(amounts.values()) == {4}
    archive = zipfile.ZipFile(io.BytesIO(staff.get("/trials/klang/export.zip").content))
    people, long = (
        pd.read_csv(archive.open(f"klang/data/study-klang_table-{name}_data.csv")) for name in ("people", "long")
    )
    methods = archive.read("klang/documentation/methods.md").decode()
    ended, primary = people[people.state == "finished"], long[long.in_primary == 1]
    out = ended[ended.left_out_by.notna() & (ended.counted > 0)]
    flow = [len(people), len(ended), (ended.counted == 0).sum(), len(out), len(primary), primary.participant.nunique()]
    assert [int(number) for number in re.search(FLOW, methods).groups()] == flow == [7, 6, 0, 2, 32, 4]
    assert set(out.left_out_by) == {"program", "missed-attention"}
    for condition, own in primary.groupby("condition"):
        votes = own.groupby("item").correct.mean()
        share = 100 * ((votes > 0.5) + 0.5 * (votes == 0.5)).mean()
        assert f"“{condition}”: The majority was right on {share:.1f} % of {len(votes)} clips" in methods
    assert set(long.condition) == set(RIGHT)
    assert "Ich stimme zu." in archive.read("klang/documentation/consent.md").decode()
