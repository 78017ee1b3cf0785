"""When people's results are shown, and that nothing is scored where the right answer is not known or hidden."""

from datetime import timedelta

import pytest
from django.utils import timezone

from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models import Item
from benchmarks.models.answers import ItemSeal
from humantrials.models import Trial
from humantrials.planning.sample_size import precision
from humantrials.results import judgments, release
from humantrials.results.analysis_table import long_rows
from humantrials.results.data_set import Source, may_leave
from humantrials.results.exports import judgment_rows
from humantrials.results.figures import summaries
from humantrials.results.methods_section import methods_of
from humantrials.results.release import Wait, may_show_people, wait_of
from humantrials.running.lifecycle import close_trial, mark_simulated, pause_trial
from leaderboard.board.overviews.level_results import hidden_studies
from tests.factories import set_expected
from tests.humantrials.fixtures import physics_pack, running_trial, whole_sheet
from tests.humantrials.results.test_judgments import closed_trial, full_trial

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def five_people_are_needed(monkeypatch, one_person_is_enough):
    monkeypatch.setattr(release, "MIN_PEOPLE", 5)


def page_of(visitor, trial: Trial | Item, query: str = "") -> str:
    return " ".join(visitor.get(f"{trial.get_absolute_url()}{query}").content.decode().split())


def hide(items, by: str) -> None:
    ItemSeal.objects.bulk_create(ItemSeal(item=item, by=by) for item in items)


@pytest.mark.parametrize(
    ("made", "settings_", "wait"),
    [
        (full_trial, {}, Wait.CLOSE),
        (running_trial, {"seal": False}, Wait.ANSWERS),
        (full_trial, {"seal": False, "replicates": 5}, None),
        (full_trial, {"seal": False, "replicates": 1}, Wait.PEOPLE),  # two sheets
    ],
)
def test_an_open_study_waits_for_its_close_or_for_all_of_its_answers(made, settings_, wait):
    assert wait_of(made(pack=physics_pack(tests=1), **settings_)) == wait


def test_one_visitor_shows_nothing_anywhere(visitor):
    trial = running_trial(physics_pack(tests=2), seal=False, replicates=5)
    whole_sheet(trial)
    page = page_of(visitor, trial)
    assert wait_of(trial) == Wait.ANSWERS
    assert "Answers that count so far: 2 of 20. People: 1." in page
    assert 'id="votes-note"' not in page
    assert visitor.get(f"/api/v1/trials/{trial.slug}/votes/").status_code == 403


def test_a_closed_study_of_few_people_waits_for_more_and_its_author_has_the_data(visitor):
    trial = closed_trial(replicates=1)
    assert wait_of(trial) == Wait.PEOPLE
    assert may_leave(trial)
    assert 'id="votes-note"' not in page_of(visitor, trial)


def test_a_study_that_is_full_is_shown_and_again_hidden_with_the_items_that_another_study_seals(visitor):
    trial = full_trial(pack=physics_pack(tests=1), seal=False, replicates=5)
    assert may_show_people(trial)
    assert 'id="votes-note"' in page_of(visitor, trial)
    hide(Item.objects.all()[:1], "trial:elsewhere")
    assert wait_of(trial) == Wait.CLOSE
    assert 'id="votes-note"' not in page_of(visitor, trial)


def test_an_exclusion_that_leaves_few_people_leaves_no_figure(visitor):
    trial = closed_trial(pack=physics_pack(tests=1), replicates=3)
    trial.judgments.filter(participant__in=trial.participants.all()[:4]).update(watched=1.0)
    assert 'id="votes-note"' in page_of(visitor, trial)
    assert 'id="votes-note"' not in page_of(visitor, trial, "?exclude=strict")


def test_what_a_study_hides_says_when_it_is_expected_back(admin_client):
    """A tenth of the answers came in three days, so the rest is expected in 27."""
    trial = running_trial(physics_pack(tests=2), replicates=5)
    item = trial.slots.first().item

    def page() -> str:
        return page_of(admin_client, item)

    assert "hidden while a study runs, back when it closes" in page()
    whole_sheet(trial)
    trial.judgments.update(created_at=timezone.now() - timedelta(days=3))
    day = timezone.localdate() + timedelta(days=27)
    assert f"hidden while a study runs, back about {day}" in page()
    assert list(hidden_studies().values()) == [f"hidden while a study runs, back about {day}"]
    pause_trial(trial=trial)
    assert "hidden while a study runs, back when it closes" in page()
    close_trial(trial=trial)
    assert "hidden while a study runs" not in page()


def test_simulated_people_are_shown_at_once():
    trial = running_trial(physics_pack(tests=1), replicates=5)
    mark_simulated(trial=trial)
    assert may_show_people(trial)


# --- without a known or public answer there is no score ---


@pytest.fixture
def unknown():
    """A closed, full study on four items without a known answer."""
    trial = closed_trial(lambda slot: "yes" if slot.replicate else "no", replicates=5)
    set_expected(Item.objects.all(), None)
    return trial


def test_a_study_without_known_answers_has_no_score_and_says_what_it_can(unknown, visitor):
    (part,) = summaries(unknown)
    assert (part.figures.whole.score, [one.score for one in part.figures.groups]) == (None, [None, None])
    assert (part.figures.agreed.detection, judgments.hardest(part.answers)) == (None, [])
    assert part.figures.agreed.alpha is not None
    page = page_of(visitor, unknown)
    assert "2 / 2" in page
    assert ">Right<" not in page
    assert "of 5 right" not in page
    assert "The majority was right" not in methods_of(unknown, [part]).results


def test_files_leave_empty_what_needs_the_right_answer(unknown):
    header, *rows = judgment_rows(unknown)
    assert {(row[header.index("expected")], row[header.index("correct")]) for row in rows} == {(None, None)}
    header, *rows = long_rows(unknown, Source(unknown).names)
    assert {(row[header.index("correct")], row[header.index("is_yes")]) for row in rows} == {(None, None)}


def test_of_some_known_answers_the_score_is_over_these_alone():
    trial = closed_trial(replicates=5)
    set_expected(Item.objects.filter(pk=trial.slots.first().item_id), None)
    (part,) = summaries(trial)
    assert part.figures.whole.score == 1.0
    assert sum(group.scored for group in part.figures.groups) == 3
    assert "Judged items without a public answer are not scored: 1." in methods_of(trial, [part]).results


def test_what_another_study_seals_is_not_scored_on_a_closed_studys_page(visitor):
    trial = closed_trial(replicates=5)
    hide(Item.objects.all(), WITHHELD)
    assert ">Right<" not in page_of(visitor, trial)
    assert judgments.hardest(judgments.answers(trial)) == []


def test_an_author_watches_no_precision_over_answers_that_others_hide(django_user_model):
    trial = full_trial(replicates=5, author=django_user_model.objects.create_user("author"))
    assert precision(trial).judgments == 20  # the own seal hides nothing from the author
    hide(Item.objects.all()[:2], "trial:elsewhere")
    hide(Item.objects.all()[2:3], WITHHELD)
    assert precision(trial).judgments == 5
