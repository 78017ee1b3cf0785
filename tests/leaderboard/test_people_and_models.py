"""People and models from their answers to the authors' table, held against statsmodels and scipy on the raw answers."""

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
from scipy.stats import norm, permutation_test, t
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work_on
from humantrials.assignment.claims import claim_sheet, finish_sheet, record_judgment, reopen
from humantrials.models import SheetState
from humantrials.studies.lifecycle import close_trial
from tests.evaluation.conftest import queue, write_video  # noqa: F401  the queue is a fixture
from tests.factories import make_model
from tests.humantrials.fixtures import consented, physics_pack, running_trial

pytestmark = pytest.mark.django_db

SEEDS = 3  # that the model which guesses is asked with
PEOPLE = """
    select judged.item_id, judged.answer from humantrials_judgment as judged
    join humantrials_slot as slot on slot.id = judged.slot_id
    join humantrials_sheet as sheet on sheet.id = slot.sheet_id
    where sheet.state = 'done' and sheet.holder_id = judged.participant_id"""
REPLIES = """
    select cell.item_id, response.raw from evaluation_modelresponse as response
    join evaluation_cell as cell on cell.id = response.cell_id join evaluation_run as run on run.id = cell.run_id
    join evaluation_model as model on model.id = run.model_id where model.name = %s"""
ITEMS = """
    select item.id, item.expected, media.clip_id, facet.value from benchmarks_item as item
    join benchmarks_itemmedia as media on media.item_id = item.id
    join benchmarks_itemfacet as facet on facet.item_id = item.id and facet.name = 'test'"""


def rows_of(query: str, *values: str) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return cursor.fetchall()


@dataclass(frozen=True)
class Expected:
    """One line of the table as other libraries have it; shares in per cent."""

    n: int
    people: float
    model: float
    low: float
    high: float
    p: float


def expected_of(frame: pd.DataFrame) -> Expected:
    difference = frame["people"] - frame["model"]
    # Counted in parts of an answer, so that sums which are equal compare as equal.
    clips = np.rint(difference.groupby(frame["clip"]).sum().to_numpy() * SEEDS)
    p = p_of(frame, clips)
    low, high = ends_of(frame, p)
    return Expected(
        n=len(frame),
        people=100 * float(frame["people"].mean()),
        model=100 * float(frame["model"].mean()),
        low=100 * float(low),
        high=100 * float(high),
        p=p,
    )


def ends_of(frame: pd.DataFrame, p: float) -> tuple[float, float]:
    """Tango's interval at the effective number of pairs, with the variance by statsmodels; one question a clip."""
    difference = (frame["people"] - frame["model"]).to_numpy()
    fitted = sm.OLS(difference, np.ones(len(frame)))
    variance = fitted.fit(cov_type="cluster", cov_kwds={"groups": frame["clip"].to_numpy()}).cov_params()[0, 0]
    first, second = np.maximum(difference, 0).mean(), np.maximum(-difference, 0).mean()
    plain, levels = first + second - (first - second) ** 2, len(frame)
    shrinkage = (norm.ppf(0.975) / t.ppf(0.975, levels - 1)) ** 2
    number = plain / variance if variance else levels
    number = min(number, levels) if frame["model"].isin((0, 1)).all() else number
    number = max(1, number * shrinkage) if plain else levels

    def score(true: float) -> float:
        """Confidence limits are where it is 0; the nuisance by its likelihood, on a grid."""
        others = np.linspace(max(0, -true), (1 - true) / 2, 400_001)[1:-1]
        likelihood = (
            first * np.log(others + true)
            + second * np.log(others)
            + (1 - first - second) * np.log(1 - 2 * others - true)
        )
        other = others[np.argmax(likelihood)]
        return abs(first - second - true) - norm.ppf(0.975) * np.sqrt((2 * other + true - true**2) / number)

    ends = [brentq(score, first - second, edge) if score(edge) > 0 else edge * 1.0 for edge in (-1 + 1e-9, 1 - 1e-9)]
    furthest = norm.ppf(0.975) ** 2 / (levels + norm.ppf(0.975) ** 2)
    if first >= second:
        ends[1] = max(ends[1], furthest)
    if first <= second:
        ends[0] = min(ends[0], -furthest)
    return (min(ends[0], 0), max(ends[1], 0)) if p > 0.05 else (ends[0], ends[1])


def p_of(frame: pd.DataFrame, clips: np.ndarray) -> float:
    """McNemar where every answer is right or wrong, else all sign flips of the clips' sums."""
    if frame["model"].isin((0, 1)).all():
        right = pd.crosstab(frame["people"] > 0, frame["model"] > 0).reindex(
            index=[True, False], columns=[True, False], fill_value=0
        )
        return float(mcnemar(right.to_numpy(), exact=True).pvalue)
    flips = permutation_test(
        (clips, np.zeros_like(clips)),
        lambda a, b, axis: np.sum(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    return float(flips.pvalue)


def answers_as_they_are(model: str) -> pd.DataFrame:
    """Item, clip, test, whether most people were right, and how often the model was."""
    votes: dict[int, Counter] = {}
    for item, answer in rows_of(PEOPLE):
        votes.setdefault(item, Counter())[answer] += 1
    said: dict[int, list[str]] = {}
    for item, raw in rows_of(REPLIES, model):
        said.setdefault(item, []).append(raw.lower())
    return pd.DataFrame(
        [
            {
                "clip": clip,
                "test": test,
                "people": float(2 * votes[item][right] > votes[item].total()),
                "model": float(np.mean([reply.startswith(right) for reply in said[item]])),
            }
            for item, right, clip, test in rows_of(ITEMS)
        ]
    )


@pytest.fixture
def pack(settings, db):
    """Two clips that can happen and two that cannot for each of three tests, as files."""
    pack = physics_pack(tests=3, clips=2, name="authors")
    pack.clips.update(frames=10, fps=10, seconds=1.0)
    for clip in pack.clips.all():
        write_video(settings.MEDIA_ROOT / "clips" / clip.renditions.get().name, frames=10)
    return pack


def hold_trial(pack) -> None:
    """Four people a clip, wrong one time in ten; one person is excluded, and their sheet is done again."""
    rng, excluded = np.random.default_rng(3), False
    trial = running_trial(pack, slug="authors", replicates=4, seal=False)
    while trial.sheets.exclude(state=SheetState.DONE).exists():
        person = consented(trial)
        sheet = claim_sheet(participant=person)
        assert sheet
        for slot in sheet.slots.select_related("item"):
            right = slot.item.expected or ""
            answer = right if excluded and rng.random() > 0.1 else {"yes": "no", "no": "yes"}[right]
            record_judgment(participant=person, position=slot.position, answer=answer, records={"seconds": 2.5})
        finish_sheet(participant=person)
        if not excluded:
            reopen(sheet=sheet, why="excluded")
            excluded = True
    close_trial(trial=trial)


def ask_models(pack) -> None:
    """One that always says yes, asked once, and one that guesses, asked three times."""
    yes = make_model(name="Says yes", kind="scripted", options={"default": "Yes."})
    guess = make_model(name="Guesses", kind="scripted", options={"default": "random"})
    once = start_run(model=yes, pack=pack, strategy="plausibility", split="human")
    thrice = start_run(
        model=guess,
        pack=pack,
        strategy="plausibility",
        split="human",
        seeds=tuple(range(SEEDS)),
        sampling={"temperature": 0.7},
    )
    for run in (once, thrice):
        work_on(run.pk)


def test_every_number_of_the_authors_table_is_what_other_libraries_make_of_the_raw_answers(pack, tmp_path):
    hold_trial(pack)
    ask_models(pack)
    call_command("export_table", "human-vs-model:grasp", pack="authors", out=tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert {line["Model"] for line in lines} == {"Says yes", "Guesses"}
    wanted = []
    for line in lines:
        frame = answers_as_they_are(line["Model"])
        one = expected_of(frame if line["Test"] == "overall" else frame[frame["test"] == line["Test"]])
        shown = [float(line[head]) for head in ("n", "People %", "Model %", "Difference", "Low", "High", "p")]
        wanted.append(one.p)
        assert shown == pytest.approx(
            [one.n, one.people, one.model, one.people - one.model, one.low, one.high, one.p], abs=1e-4
        ), line
    assert len(lines) == 2 * (1 + 3)
    assert 0 < min(wanted) < 1, "answers that differ, else nothing is compared"
    adjusted = multipletests(wanted, method="holm")[1]
    assert [float(line["p (Holm)"]) for line in lines] == pytest.approx(adjusted, abs=1e-4)
