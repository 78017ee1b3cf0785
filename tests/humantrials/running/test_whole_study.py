"""A study from its form to its data set through pages only; the exported table must reproduce known parameters.

The suite runs one study; `make soak PART=study` runs STUDIES=100. People are right with the probability share + person
+ item; persons are 10 points and items 20 points above or below, so the true share is exactly SHARE.
"""

import io
import os
import random
import zipfile

import pytest
from django.test import Client
from scipy.stats import binom

from benchmarks.disclosure import SCORER, with_expected
from humantrials.identities import SIMULATOR_HEADER, simulator_signature
from humantrials.models import Slot, Trial
from humantrials.simulation.participant import answers_to
from measures.estimate import figure_of_answers
from tests.humantrials.fixtures import physics_pack
from tests.humantrials.plain_client import Walker
from tests.humantrials.running.test_transitions import NEW, fields
from tests.markup import table

STUDIES = int(os.environ.get("STUDIES", "1"))
SHARE, PERSON, ITEM = 0.7, 0.1, 0.2
CHANCE = 0.01  # lower limit of intervals that hold the truth, if 95 of 100 do
QUESTIONS = "age: choice, required\nHow old are you?\n- 18 to 39\n- 40 or older"


def made(author: Client, pack, slug: str, replicates: int) -> Trial:
    """Create a study by its form, write its texts and open it on its page."""
    assert author.post(NEW, fields(pack, slug=slug, seed="1", replicates=str(replicates))).status_code == 302
    for part, body in (("consent", "I **agree**."), ("before", QUESTIONS)):
        assert author.post(f"/trials/{slug}/texts/{part}/en/", {"body": body}).status_code == 302
    return Trial.objects.get(slug=slug)


def take_part(walker: Walker, rng: random.Random, sides: dict[int, float]) -> Walker:
    """Go from the consent to the code, and answer each item with a probability that its side makes known."""
    walker.agree().press(step="before", **answers_to(walker.reader.fields["text"], rng))
    walker.press(step="instructions").practise()
    slots = with_expected(Slot.objects.filter(sheet=walker.person.sheet), to=SCORER, item="item")
    right = {position: (answer, item) for position, answer, item in slots.values_list("position", "expected", "item")}
    share = SHARE + rng.choice((-PERSON, PERSON))
    for position in walker.reader.positions:
        answer, item = right[position]
        said = answer if rng.random() < share + sides[item] else {"yes": "no", "no": "yes"}[answer]
        walker.send("answer/", position=str(position), answer=said, seconds="3.2", watched="1")
    return walker.look()


def table_of(author: Client, slug: str) -> list[dict[str, str]]:
    archive = zipfile.ZipFile(io.BytesIO(author.get(f"/trials/{slug}/export.zip").content))
    (name,) = (name for name in archive.namelist() if "table-long" in name)
    return table(archive.read(name).decode())


def one_study(author: Client, pack, number: int, replicates: int) -> list[dict[str, str]]:
    """Make, pilot, open, fill, close and export a study; returns the exported table."""
    rng, slug = random.Random(number), f"known-{number}"
    trial = made(author, pack, slug, replicates)
    sides = {item: rng.choice((-ITEM, ITEM)) for item in trial.slots.values_list("item_id", flat=True).distinct()}
    take_part(Walker.at(Client(), author.get(f"/trials/{slug}/manage/").context["pilot_link"]), rng, sides)
    assert author.get(f"/trials/{slug}/plan/").status_code == 200
    author.post(f"/trials/{slug}/manage/open/")
    simulator = {SIMULATOR_HEADER: simulator_signature(slug)}
    for place in range(trial.sheets.count()):
        assert "data-code" in take_part(Walker(Client(headers=simulator), trial, str(place)), rng, sides).text
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
        right, people, items = ([row[name] for row in rows] for name in ("correct", "participant", "item"))
        found = figure_of_answers(list(map(int, right)), people, items).interval
        held.append(found.low <= SHARE <= found.high)
    print(f"{sum(held)} of {len(held)} intervals hold the true share")
    assert binom.cdf(sum(held), len(held), 0.95) > CHANCE
