"""The authors' table of people and models, compared with statsmodels and scipy on the raw answers."""

import csv
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from django.core.management import call_command
from django.db import connection
from scipy.optimize import brentq
from scipy.stats import norm, t
from statsmodels.stats.multitest import multipletests

from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work_on
from humantrials.assignment.claims import claim_sheet, finish_sheet, record_judgment, reopen
from humantrials.models import SheetEventKind, SheetState
from humantrials.running.lifecycle import close_trial
from tests.evaluation.conftest import queue, write_video  # noqa: F401  the queue is a fixture
from tests.factories import answer_to, make_model
from tests.humantrials.fixtures import consented, physics_pack, running_trial

pytestmark = pytest.mark.django_db

SEEDS = 3  # of the guessing model
PEOPLE = """
    select judged.item_id, judged.answer, judged.participant_id from humantrials_judgment as judged
    join humantrials_slot as slot on slot.id = judged.slot_id
    join humantrials_sheet as sheet on sheet.id = slot.sheet_id
    where sheet.state = 'done' and sheet.holder_id = judged.participant_id"""
REPLIES = """
    select cell.item_id, response.raw from evaluation_modelresponse as response
    join evaluation_cell as cell on cell.id = response.cell_id join evaluation_run as run on run.id = cell.run_id
    join evaluation_model as model on model.id = run.model_id where model.name = %s"""
ITEMS = """
    select item.id, answer.expected, media.clip_id, facet.value from benchmarks_item as item
    join benchmarks_itemanswer as answer on answer.item_id = item.id
    join benchmarks_itemmedia as media on media.item_id = item.id
    join benchmarks_itemfacet as facet on facet.item_id = item.id and facet.name = 'test'"""


def rows_of(query: str, *values: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return cursor.fetchall()


@dataclass(frozen=True)
class Expected:
    """One line of the table, computed by other libraries; shares in per cent."""

    n: int
    people: float
    model: float
    low: float
    high: float
    p: float


def expected_of(frame: pd.DataFrame, judgments: pd.DataFrame) -> Expected:
    own = judgments[judgments["clip"].isin(frame["clip"])]
    low, high, p = score_of(frame, *people_of(own, len(frame)))
    people, model = (100 * float(frame[name].mean()) for name in ("people", "model"))
    return Expected(n=len(frame), people=people, model=model, low=100 * float(low), high=100 * float(high), p=p)


def people_of(judgments: pd.DataFrame, n: int) -> tuple[float, float]:
    """People's part of the variance, and the degrees of freedom over people, from all pairs of judgments."""
    usual = np.average(judgments["right"], weights=judgments["swing"])
    parts = judgments["swing"] * (judgments["right"] - usual)
    residuals = (parts - parts.mean()).to_numpy()
    of_person, of_clip = (judgments[name].to_numpy() for name in ("person", "clip"))
    same = of_person[:, None] == of_person
    size, centre = len(residuals), np.eye(len(residuals)) - 1 / len(residuals)

    def spread(shares: np.ndarray) -> tuple[float, float]:
        inner = centre @ shares @ centre
        degrees = np.trace(inner) ** 2 / np.trace(inner @ inner)
        return residuals @ shares @ residuals / size / np.trace(inner) * (size / n) ** 2, degrees

    (alone, degrees), (cells, _) = spread(same), spread(same & (of_clip[:, None] == of_clip))
    return max(0.0, alone - cells), degrees


def score_of(frame: pd.DataFrame, added: float, of_people: float) -> tuple[float, float, float]:
    """Tango's interval and test with the effective number of pairs, one question per clip, the variance by statsmodels.

    People's part of the variance is that of their score at each assumed difference.
    """
    difference = (frame["people"] - frame["model"]).to_numpy()
    fitted = sm.OLS(difference, np.ones(len(frame)))
    alone = fitted.fit(cov_type="cluster", cov_kwds={"groups": frame["clip"].to_numpy()}).cov_params()[0, 0]
    variance, levels = alone + added, len(frame)
    degrees = min(levels - 1, of_people)
    first, second = np.maximum(difference, 0).mean(), np.maximum(-difference, 0).mean()
    plain = first + second - (first - second) ** 2
    whole = plain / variance if variance else levels
    whole = min(whole, levels) if np.isin(difference, (-1, 0, 1)).all() else whole
    number = max(1, whole * (norm.ppf(0.975) / t.ppf(0.975, degrees)) ** 2) if plain else levels

    usual, part = frame["people"].mean(), added / variance if variance else 0.0

    def stretch(true: float) -> float:
        if not 0 < usual < 1:
            return 1.0
        theirs = np.clip(usual + true - (first - second), 0, 1)
        return float(np.sqrt(1 - part + part * max(1, theirs * (1 - theirs) / (usual * (1 - usual)))))

    def most_likely(true: float) -> float:
        """The nuisance parameter: the likelihood has one peak, so a finer grid lies about the best of a wide one."""
        low, high = max(0, -true), (1 - true) / 2
        for _ in range(2):
            others = np.linspace(low, high, 2_001)[1:-1]
            shares = ((first, others + true), (second, others), (1 - first - second, 1 - 2 * others - true))
            other, step = others[np.argmax(sum(seen * np.log(share) for seen, share in shares))], others[1] - others[0]
            low, high = other - step, other + step
        return float(other)

    def score(true: float) -> float:
        """The limits are its zeros."""
        other = most_likely(true)
        error = np.sqrt((2 * other + true - true**2) / number) * stretch(true)
        return abs(first - second - true) - norm.ppf(0.975) * error

    low, high = (brentq(score, first - second, edge) if score(edge) > 0 else edge for edge in (-1 + 1e-9, 1 - 1e-9))
    furthest = norm.ppf(0.975) ** 2 / (levels + norm.ppf(0.975) ** 2)
    low, high = min(low, -furthest) if first <= second else low, max(high, furthest) if first >= second else high
    error = np.sqrt((first + second) / whole) * stretch(0)
    p = 2 * t.sf(abs(first - second) / error, degrees) if first + second else 1.0
    return (min(low, 0), max(high, 0), p) if p > 0.05 else (low, high, p)


def judgments_as_they_are() -> pd.DataFrame:
    """Clip, person, whether the judgment is right, and the majority's gain if it is right instead of wrong."""
    known = {item: (clip, right) for item, right, clip, _ in rows_of(ITEMS)}
    rows = rows_of(PEOPLE)
    found = []
    for item, answer, person in rows:
        said = [one == known[item][1] for other, one, _ in rows if other == item]
        rest = [*said]
        rest.remove(answer == known[item][1])
        swing = half_of_ties([*rest, True]) - half_of_ties([*rest, False])
        found.append((known[item][0], person, float(answer == known[item][1]), swing))
    return pd.DataFrame(found, columns=["clip", "person", "right", "swing"])


def half_of_ties(right: list[bool]) -> float:
    return float(2 * sum(right) > len(right)) + 0.5 * (2 * sum(right) == len(right))


def answers_as_they_are(model: str) -> pd.DataFrame:
    """Item, clip, test, whether most people were right, and the model's share of right answers."""
    votes: dict[int, Counter] = {}
    for item, answer, _ in rows_of(PEOPLE):
        votes.setdefault(item, Counter())[answer] += 1
    said: dict[int, list[str]] = {}
    for item, raw in rows_of(REPLIES, model):
        said.setdefault(item, []).append(raw.lower())
    found = []
    for item, right, clip, test in rows_of(ITEMS):
        people = half_of_ties([answer == right for answer in votes[item].elements()])
        found.append((clip, test, people, float(np.mean([reply.startswith(right) for reply in said[item]]))))
    return pd.DataFrame(found, columns=["clip", "test", "people", "model"])


@pytest.fixture
def pack(settings, db):
    """Two possible and two impossible clips for each of three tests, as files."""
    pack = physics_pack(tests=3, clips=2, name="authors")
    pack.clips.update(frames=10, fps=10, seconds=1.0)
    for clip in pack.clips.all():
        write_video(settings.MEDIA_ROOT / "clips" / clip.renditions.get().name, frames=10)
    return pack


def hold_trial(pack) -> None:
    """Run a trial: four people per clip, every second one mostly wrong; one is excluded, and the sheet is redone."""
    rng, excluded, number = np.random.default_rng(3), False, 0
    trial = running_trial(pack, slug="authors", replicates=4, seal=False)
    while trial.sheets.exclude(state=SheetState.DONE).exists():
        person = consented(trial)
        sheet = claim_sheet(participant=person)
        assert sheet
        number += 1
        wrong = 0.7 if number % 2 else 0.05
        for slot in sheet.slots.select_related("item"):
            right = answer_to(slot.item) or ""
            answer = right if excluded and rng.random() > wrong else {"yes": "no", "no": "yes"}[right]
            record_judgment(participant=person, position=slot.position, answer=answer, records={"seconds": 2.5})
        finish_sheet(participant=person)
        if not excluded:
            reopen(sheet=sheet, why=SheetEventKind.EXCLUDED)
            excluded = True
    close_trial(trial=trial)


def ask_models(pack) -> None:
    """Run a model that always says yes with one seed, and a guessing model with three."""
    yes = make_model(name="Says yes", kind="scripted", options={"default": "Yes."})
    guess = make_model(name="Guesses", kind="scripted", options={"default": "random"})
    how = {"pack": pack, "strategy": "plausibility", "split": "human"}
    once = start_run(model=yes, **how)
    thrice = start_run(model=guess, seeds=tuple(range(SEEDS)), sampling={"temperature": 0.7}, **how)
    for run in (once, thrice):
        work_on(run.pk)


def test_every_number_of_the_authors_table_is_what_other_libraries_make_of_the_raw_answers(pack, tmp_path):
    hold_trial(pack)
    ask_models(pack)
    call_command("export_table", "human-vs-model:grasp", pack="authors", out=tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert {line["Model"] for line in lines} == {"Says yes", "Guesses"}
    wanted, judgments = [], judgments_as_they_are()
    assert people_of(judgments, 12)[0] > 0, "people who differ, else nothing is added"
    for line in lines:
        frame = answers_as_they_are(line["Model"])
        one = expected_of(frame if line["Test"] == "overall" else frame[frame["test"] == line["Test"]], judgments)
        shown = [float(line[head]) for head in ("n", "People %", "Model %", "Difference", "Low", "High", "p")]
        wanted.append(one.p)
        expected = [one.n, one.people, one.model, one.people - one.model, one.low, one.high, one.p]
        assert shown == pytest.approx(expected, abs=1e-4), line
    assert len(lines) == 2 * (1 + 3)
    assert 0 < min(wanted) < 1, "answers that differ, else nothing is compared"
    adjusted = multipletests(wanted, method="holm")[1]
    assert [float(line["p (Holm)"]) for line in lines] == pytest.approx(adjusted, abs=1e-4)
