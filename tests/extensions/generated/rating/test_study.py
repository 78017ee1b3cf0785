"""Whole studies with simulated raters: exactly k answers, what the study's page shows, and files with generators."""

import csv
from collections import defaultdict
from statistics import fmean

import pytest

from benchmarks.definitions.rated_dimensions import ratings_in
from extensions.generated.rating.simulation import Rater
from humantrials.running.lifecycle import close_trial, create_trial, open_trial
from humantrials.running.verification import verify
from humantrials.simulation.participant import Habits
from tests.commands import say
from tests.extensions.generated.rating.rounds import make_round, name_generators
from tests.humantrials.inside_crowd import simulate

pytestmark = pytest.mark.django_db
KINDS = {"rate": "clip", "pairs": "pair", "break": "break", "triples": "triple"}


def finished(name, pack, slug="", **settings):
    settings = {"replicates": 1, **settings}
    trial = create_trial(slug=slug or name, protocol=f"made-{name}", pack=pack, settings=settings, salt="ab")
    open_trial(trial=trial)
    return trial, simulate(trial, doubled=0.2, second_tab=0.2, dropout=0.1, late=0.2)


@pytest.mark.parametrize("name", KINDS)
def test_simulated_raters_give_exactly_k_answers_and_all_invariants_hold(name):
    pack, _ = make_round(sets=3, prompts=6)
    trial, summary = finished(name, pack, replicates=2)
    report = verify(trial)
    assert (summary["full"], summary["lost"], summary["refused"]) == (True, 0, 0)
    assert report.broken == []
    assert report.facts["filled"] == report.facts["slots"] == 2 * pack.items.filter(kind=KINDS[name]).count()


def test_a_smaller_pool_has_whole_prompts():
    pack, _ = make_round(sets=2, prompts=8)
    trial = create_trial(slug="small", protocol="made-rate", pack=pack, settings={"items": 3, "replicates": 1})
    items = pack.items.filter(slots__trial=trial)
    prompts = {item.facet_values("prompt")[0] for item in items}
    assert (len(prompts), items.count()) == (3, 12)
    assert verify(trial).broken == []


def broken_by_the_first(code, prompt):
    return {"is_broken": code == "s1", "kind": "falls", "onset": 1.2, "visible_from": 1.3, "severity": 3}


def answers_to(trial, cell):
    return list(trial.judgments.filter(item__facets__value=cell).order_by("pk").values_list("answer", flat=True))


def lead_of_the_second(trial):
    """The mean plausibility of the second set over that of the first."""
    first, second = ([ratings_in(one)["PC"] for one in answers_to(trial, f"s{n}.1.1")] for n in (1, 2))
    return fmean(int(step) for step in second if step != "na") - fmean(int(step) for step in first if step != "na")


def test_raters_see_a_broken_set_by_its_truth_alone():
    pack, clips = make_round(sets=2, prompts=12)
    assert abs(lead_of_the_second(finished("rate", pack, "blind")[0])) < 1.7  # three standard errors of random answers
    name_generators(pack, clips, broken_by_the_first)
    assert lead_of_the_second(finished("rate", pack, "seeing", replicates=3)[0]) > 1.5


def test_moments_lie_after_the_true_one_and_the_sound_clip_wins_on_both_sides():
    pack, clips = make_round(sets=2, prompts=12)
    name_generators(pack, clips, broken_by_the_first)
    breaks, _ = finished("break", pack)
    marked = [ratings_in(answer) for answer in answers_to(breaks, "s1.1.1")]
    moments = [float(parts["break"]) for parts in marked if parts.get("severity") == "3"]
    assert len(moments) > 8
    assert all(1.3 <= moment <= 2 for moment in moments)
    pairs, _ = finished("pairs", pack)
    for cell, sound, broken in (("s1-s2.1", "b", "a"), ("s2-s1.1", "a", "b")):
        given = answers_to(pairs, cell)
        assert given.count(sound) > 6 > 3 > given.count(broken)


def test_a_rater_answers_alike_in_any_order_and_another_differently():
    pack, _ = make_round(sets=2, prompts=12)
    trial, _ = finished("rate", pack)
    token = trial.participants.filter(sheet__isnull=False).first().token

    def answers(number, order):
        rater = Rater(number, 7, Habits())
        rater.step_path = f"/p/{token}/"
        return {position: rater._answer_fields({}, position, []) for position in order(sorted(rater.items))}

    assert answers(3, list) == answers(3, reversed)
    assert answers(3, list) != answers(4, list)


# --- what is shown of it ---


def test_the_page_waits_for_the_close_and_then_counts_by_question(client, study):
    page = client.get(study("rate").get_absolute_url()).content.decode()
    assert "Results are shown when the trial is closed" in page
    assert "referees" not in page


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rate", ("How much of what happens", "Can’t tell", "1 None of it: ", "5 All of it: ")),
        ("pairs", ("In which clip is more of it possible", "Both bad: ")),
        (
            "break",
            ("No break: all I saw could happen: ", "What breaks?", "Vanishes or appears: ", "3 Breaks the scene: "),
        ),
    ],
)
def test_answers_are_counted_by_question(client, name, words):
    pack, _ = make_round(sets=2, prompts=6)
    trial, _ = finished(name, pack)
    page = client.get(trial.get_absolute_url()).content.decode()
    assert [word for word in words if word not in page] == []
    n = trial.judgments.filter(counts=True).count()
    assert f'<td class="n">{n // 2 if name == "rate" else n}</td>' in page
    assert "Simulated participants only: a program answered" in page


def rows_of(trial, tmp_path):
    out = tmp_path / "ratings.csv"
    say("export_trial", trial.slug, "--format", "ratings", "--out", str(out))
    return list(csv.DictReader(out.open(encoding="utf-8")))


def test_generators_are_named_after_the_close_of_every_study_of_the_round(tmp_path):
    pack, clips = make_round(sets=3, prompts=3)
    name_generators(pack, clips, broken_by_the_first)
    trials = [finished(name, pack)[0] for name in KINDS]
    for trial in trials:
        close_trial(trial=trial)
        assert {"maker" in str(rows_of(one, tmp_path)) for one in trials} == {trial == trials[-1]}
    of_three = defaultdict(list)
    for trial in trials:
        for row in rows_of(trial, tmp_path):
            item = pack.items.get(public_id=row["question"])
            keys = [use.clip.key.partition("/")[0] for use in item.media.order_by("position")]
            if len(keys) == 3:  # a row about one of the three
                keys = [row["clip_set"].removeprefix("set-")]
                of_three[row["question"], row["person"], row["dimension"]].append(keys[0])
            assert [row["generator"], row["generator_b"]] == [f"maker-{key}" for key in keys] + [""] * (2 - len(keys))
            assert row["clip_set"] == f"set-{keys[0]}"
            assert row["prompt"] == item.facet_values("prompt")[0]
    assert of_three
    for (question, *_), codes in of_three.items():
        media = pack.items.get(public_id=question).media.order_by("position")
        assert codes == [use.clip.key.partition("/")[0] for use in media]


def test_a_file_has_a_row_for_each_value_of_each_stored_answer(tmp_path):
    pack, _ = make_round(sets=3, prompts=3)
    for name, dimensions in (
        ("rate", {"PC", "persistence", "SA"}),
        ("triples", {"PC", "persistence", "SA"}),
        ("pairs", {"pair"}),
        ("break", {"break", "kind", "severity"}),
    ):
        trial, _ = finished(name, pack)
        rows = rows_of(trial, tmp_path)
        answers = trial.judgments.values_list("answer", flat=True)
        stored = sum(max(1, len(ratings_in(answer)) * (1 + answer.split()[0].count("/"))) for answer in answers)
        assert (len(rows), {row["dimension"] for row in rows}) == (stored, dimensions)
        assert {(row["study"], row["simulated"]) for row in rows} == {(name, "1")}
        assert {row["page"] for row in rows} == ({"1", "2"} if name in ("rate", "triples") else {"1"})
        assert sum(row["counts"] == "0" for row in rows) >= trial.judgments.filter(counts=False).count()


@pytest.mark.parametrize("name", KINDS)
def test_other_files_and_desk_pages_of_such_a_study_work(name, staff, tmp_path):
    pack, _ = make_round(sets=3, prompts=3)
    trial, _ = finished(name, pack, confidence="5")
    close_trial(trial=trial)
    for kind in ("psych-ds", "csv", "jsonl"):
        say("export_trial", name, "--format", kind, "--out", str(tmp_path / kind))
    for page in ("", "manage/", "plan/", "watch/", "sheets/", "people/", "export/"):
        assert staff.get(f"/trials/{name}/{page}").status_code == 200, page
    person = trial.participants.first()
    assert staff.get(f"/trials/{name}/people/{person.code}/").status_code == 200
