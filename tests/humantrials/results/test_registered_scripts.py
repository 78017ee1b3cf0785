"""The scripts of the data set print what the site prints, from the exported files alone."""

import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from humantrials.judging.exclusion_rules import people_out
from humantrials.models import Trial
from humantrials.protocols import find_protocol
from humantrials.results.data_set import Source, write_folder
from humantrials.results.figures import summaries
from humantrials.results.judgments import both_rounds, conditions_of
from humantrials.running.lifecycle import close_trial, extend_trial
from leaderboard.board.board_row import BoardCell
from leaderboard.board.claims import claim_of
from leaderboard.standings.human_rows import rows_of_trial
from measures.figures import FEW_CLIPS, Interval
from tests.factories import make_clip, make_item, make_pack
from tests.humantrials.fixtures import physics_pack
from tests.humantrials.results.test_judgments import everybody_answers, full_trial, right
from tests.humantrials.site_content import parts

pytestmark = pytest.mark.django_db
LINE = re.compile(
    r"(?P<name>.*): (?P<score>[\d.]+) % \((?P<low>[\d.]+) to (?P<high>[\d.]+)\), n (?P<n>\d+), people (?P<people>\d+)"
    r"(; (?P<claim>[^,\n]+).*)?"
)


def answering(accuracy: float, abstain: str = ""):
    """People who are right so often; the first abstains every other time, if abstaining is possible."""
    drawn = random.Random(4)  # answers of a simulation

    def answer(slot) -> str:
        if abstain and slot.sheet.order == 0 and slot.position % 2:
            return abstain
        offered = [option for option in slot.item.options or ["yes", "no"] if option != right(slot)]
        return right(slot) if drawn.random() < accuracy else drawn.choice(offered)

    return answer


def in_two_rounds() -> Trial:
    pack = physics_pack(tests=4, clips=2)
    trial = full_trial(answering(0.7), pack, replicates=3, second_round="8", rules="straight-lining")
    extend_trial(trial=trial)
    everybody_answers(Trial.objects.get(pk=trial.pk), answering(0.7))
    return trial


def of_pairs() -> Trial:
    """Two components of pairs that share objects."""
    pack = make_pack(benchmark="tapped", name="stars")
    for part in "ab":
        clips = [make_clip(pack, key=f"{part}{number}") for number in range(8)]
        for first, second in [(n, 0) for n in range(1, 8)] + [(n, n % 7 + 1) for n in range(1, 8)]:
            choice: dict[str, Any] = {"answer_kind": "choice", "options": ["object 1", "object 2"]}
            facets: dict[str, tuple[str, ...]] = {"test": ("tapped",), "split": ("all",)}
            key = f"pair{part}{first}{second}"
            item = make_item(pack, kind="pair", key=key, facets=facets, expected="object 1", **choice)
            for place, number in enumerate((first, second)):
                item.media.create(clip=clips[number], role="object", position=place)
    return opened("tapped-audio", pack, replicates=5)


def of_answers() -> Trial:
    """The mean of answers, with one person left out."""
    return opened("craft-five-part", parts(), replicates=4)


def opened(protocol: str, pack, **settings) -> Trial:
    answer = answering(0.75, find_protocol(protocol).analysis.abstain)
    return full_trial(answer, pack, protocol=protocol, seed=2, **settings)


def printed_by_the_site(trial: Trial) -> list[tuple[Any, ...]]:
    """Name, score, ends, n, people, and what is said against chance, of each figure on the study's page."""
    found, several = [], len(conditions_of(trial)) > 1
    of_cell = ("score", "n", "low", "high", "chance")
    claims = {row.condition: BoardCell(**{name: row.overall[name] for name in of_cell}) for row in rows_of_trial(trial)}
    for part in sorted(summaries(trial), key=lambda part: part.condition):
        whole, cell = part.figures.whole, claims[part.condition]
        name = f"all, {part.condition}" if several else "all"
        found.append((*_printed(name, whole.score, whole.interval), str(whole.n), str(whole.people)))
        found[-1] += (claim_of(cell, cell.chance, None),)
        found += [_printed(f"  {one.group}", one.score, one.interval) for one in part.figures.groups]
    if both := both_rounds(trial):
        found.append((*_printed("both rounds, answers", both.score, both.interval), str(both.n), str(both.people)))
    return found


def _printed(name: str, score: float | None, interval: Interval) -> tuple[Any, ...]:
    return name, score or 0, interval.low, interval.high


def assert_same(output: str, trial: Trial) -> None:
    lines = [found for line in output.splitlines() if (found := LINE.fullmatch(line))]
    wanted = printed_by_the_site(trial)
    assert len(lines) == len(wanted) > 1
    for line, figure in zip(lines, wanted, strict=True):
        name, *shares = line.group("name", "score", "low", "high")
        assert (name, *line.group("n", "people", "claim")[: len(figure) - 4]) == (figure[0], *figure[4:])
        assert [*map(float, shares)] == pytest.approx([100 * one for one in figure[1:4]], abs=0.051)
    few = [one for part in summaries(trial) for one in part.figures.groups if one.scored < FEW_CLIPS]
    assert [line["claim"] for line in lines].count("too few clips to tell from chance") == len(few)
    out = len(people_out(trial))
    assert output.startswith(f"people whose answers count: {trial.sheets.count()}; left out as registered: {out}\n")
    assert bool(out) == bool(find_protocol(trial.protocol).analysis.abstain)


def in_r(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["Rscript", *arguments], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(params=[in_two_rounds, of_pairs, of_answers])
def study(request) -> Trial:
    trial = request.param()
    close_trial(trial=trial)
    return Trial.objects.get(pk=trial.pk)


def test_the_python_script_prints_the_row_of_the_site(study, tmp_path):
    write_folder(Source(study), tmp_path)
    script = tmp_path / "analysis/registered.py"
    ran = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout, ran.stderr
    assert_same(ran.stdout, study)
    row = "mean" if "is_mean=True" in script.read_text() else "majority"
    assert find_protocol(study.protocol).analysis.row == row


def test_the_r_script_prints_it_too_and_fits_the_model(study, tmp_path):
    if not shutil.which("Rscript") or in_r(["-e", "library(lme4)"], tmp_path).returncode:
        pytest.skip("R with lme4 is not installed: apt-get install r-base-core r-cran-lme4")
    write_folder(Source(study), tmp_path)
    ran = in_r(["registered.R"], tmp_path / "analysis")
    assert ran.returncode == 0, ran.stderr
    assert_same(ran.stdout, study)
    assert "Groups" in ran.stdout
    assert "participant" in ran.stdout
