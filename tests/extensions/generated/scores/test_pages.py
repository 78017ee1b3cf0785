"""Boards of rounds, their judges, prompts and files, as readers get them."""

import csv
import io
import json
import time

import pytest
from django.core.cache import cache
from django.urls import reverse

from evaluation.models import ModelRole
from extensions.generated.models import ClipSetState, PromptPack, ReportedRow
from extensions.generated.published import import_reported
from humantrials.models import TrialState
from tests.extensions.generated.scores.rounds import (
    judge_compares,
    judge_says,
    made_pack,
    made_pairs,
    made_round,
    made_set,
    people_say,
)
from tests.extensions.generated.scores.test_answers import by_set
from tests.markup import text_of

pytestmark = pytest.mark.django_db
BOARD = "/leaderboard/generated/made/"


@pytest.fixture
def sets():
    pack = made_pack()
    broken = {"good": False, "bad": True, "real": False}
    return [
        made_set(
            pack,
            name,
            role="ceiling" if name == "real" else "generator",
            truth=lambda number, take, is_broken=value: {"is_broken": is_broken, "onset": 2.0 if is_broken else None},
        )
        for name, value in broken.items()
    ]


@pytest.fixture
def found(sets):
    return made_round(sets[0].pack, sets)


def said(clips, names, person):
    if clips[0].clip_set.slug == "real":
        return " ".join(f"{name}=5" for name in names) or "none"
    if clips[0].prompt.key == "prompt-1" and person == 0:
        return " ".join(f"{name}=na" for name in names) or "na"
    return by_set(clips, names, person)


@pytest.fixture
def shown(client):
    """The text of a page without its markup."""

    def open_page(address, status=200):
        response = client.get(address)
        assert response.status_code == status
        return text_of(response)

    return open_page


def test_board_has_people_judges_and_truth_side_by_side(found, shown):
    people_say(found, said)
    judge_says(found, lambda clip, name: "4")
    text = shown(BOARD)
    assert "Good 5.00" in text
    assert "1 can’t tell" in text
    assert "4 of 4 1" in text
    assert "0 of 4 2" in text
    assert "Ceilings and floors clips mixed in unseen; not ranked" in text
    assert "Rank, n/a Mean may not rank" in text
    assert "simulated" not in text.lower()


def test_open_study_shows_no_figure_of_people(found, shown):
    people_say(found, said, state=TrialState.OPEN)
    judge_says(found, lambda clip, name: "4")
    text = shown(BOARD)
    assert "People’s column comes with the close of their study; no judge may rank." in text
    assert "Results are shown when the trial is closed." in text
    assert "5.00" not in text


def test_simulated_people_and_judges_say_so(found, shown):
    people_say(found, said, is_simulated=True)
    judge_says(found, lambda clip, name: "4", role=ModelRole.CONTROL)
    text = shown(BOARD)
    assert "People, simulated" in text
    assert "Simulated people tell none of these 2 generators from the first, 5.00 at most" in text
    assert "Block Node" not in text  # Django has a name of its own there
    assert "may not rank simulated" in text


def test_board_changes_with_answers_runs_and_withdrawals(found, sets, shown):
    assert "5.00" not in shown(BOARD)
    people_say(found, said)
    assert "Good 5.00" in shown(BOARD)
    judge_says(found, lambda clip, name: "4")
    assert "4.00" in shown(BOARD)
    sets[0].state = ClipSetState.WITHDRAWN
    sets[0].save()
    assert "Good 5.00" not in shown(BOARD)


def test_share_is_in_per_cent(found, shown):
    people_say(found, said)
    assert "Good 100 %" in shown(f"{BOARD}?dimension=PC-top")
    assert "Bad 100 %" in shown(f"{BOARD}?dimension=failing")


@pytest.mark.parametrize("query", ["dimension=nothing", "round=nothing", "format=pdf"])
def test_what_is_not_there_is_no_page(found, shown, query):
    shown(f"{BOARD}?{query}", status=404)


def test_newest_round_is_shown_and_others_by_name(found, sets, shown):
    later = made_round(found.pack, sets[:1], slug="second")
    people_say(later, lambda clips, names, person: " ".join(f"{name}=3" for name in names) or "none")
    assert "Good 3.00" in shown(BOARD)
    assert "No people rated these clips yet" in shown(f"{BOARD}?round=first")


def test_judge_of_a_round_has_its_audit(found, shown):
    people_say(found, said)
    judge_says(found, lambda clip, name: "4")
    text = shown(f"{BOARD}judges/judge/?round=first")
    assert "May not rank generators" in text
    assert "Most common answer a judge that always says the same “4”, 100 % &lt; 60 % ✗ fails" in text
    assert "With people, clip by clip" in text
    assert "Its answers are runs of this site, in 1 pass." in text
    shown(f"{BOARD}judges/nobody/", status=404)


def test_pairs_of_a_round(found, sets, shown):
    made_pairs(found, *sets[:2])

    def votes(clips, names, person):
        better = "a" if clips[0].clip_set.slug == "good" else "b"
        return said(clips, names, person) if len(clips) == 1 else better if person else "na"

    people_say(found, votes)
    text = shown(f"{BOARD}pairs/")
    assert "Votes 40" in text
    assert "Left out 8 can’t tell: counted, never scored" in text
    assert "Ratings Pairs" in shown(BOARD)


def test_pairs_without_people_are_no_page(found, sets, shown):
    made_pairs(found, *sets[:2])
    judge_compares(found, lambda first, second: "a", judge_says(found, lambda clip, name: "4"))
    shown(f"{BOARD}pairs/", status=404)


def test_prompt_page_comes_with_the_close(found, shown):
    judge_says(found, lambda clip, name: "4")
    address = reverse("generated-prompt", args=["made", "prompt-1"])
    shown(address, status=404)
    trial = people_say(found, said, state=TrialState.OPEN)
    shown(address, status=404)
    trial.state = TrialState.CLOSED
    trial.save()
    text = shown(address)
    assert "1 of 2 generators have a clip here in which at least half of the people mark a break." in text
    assert "5.00: can’t tell, 5, 5, 5, 5, 5" in text
    assert "Judge 4" in text
    assert "5 of 5 mark a break: 1.5 s vanishes or appears, severity 2;" in text
    assert "Truth 2.0 s broken" in text
    assert "‹ prompt-0" in text
    shown(reverse("generated-prompt", args=["made", "other"]), status=404)


def test_prompt_page_waits_for_every_study_of_its_clips(found, shown):
    people_say(found, said)
    people_say(found, said, state=TrialState.OPEN)
    shown(reverse("generated-prompt", args=["made", "prompt-1"]), status=404)


def test_marks_lie_on_a_line_as_long_as_the_clip(found, sets, client):
    people_say(found, said)
    for clip in sets[1].clips.all():
        clip.facts = {"seconds": 6.0}
        clip.save()
    page = client.get(reverse("generated-prompt", args=["made", "prompt-1"])).content.decode()
    assert page.count('<svg x="25.0%"') == 5
    assert '<line class="hold" x1="33.3%" x2="100%"' in page


def test_table_as_files(found, client):
    people_say(found, said)
    judge_says(found, lambda clip, name: "4")
    rows = list(csv.DictReader(io.StringIO(client.get(f"{BOARD}?format=csv").content.decode())))
    content = json.loads(client.get(f"{BOARD}?format=json").content)
    tex = client.get(f"{BOARD}?format=latex").content.decode()
    assert [row["row"] for row in rows] == ["good", "bad", "real"]
    assert (rows[1]["People"], rows[1]["People can’t tell"], rows[1]["unbroken by truth"]) == ("2.0", "1", "0")
    assert rows[2]["People best rank"] == ""
    assert content["rows"][0]["Judge"] == 4.0
    assert "Judge may not rank: its column has no ranks." in content["notes"]
    assert "\\toprule" in tex
    assert "Real (ceiling)" in tex
    assert not {head for head in rows[0] if "overall" in head or "average" in head}


def test_files_of_published_scores_and_of_pairs(phyground, client, tmp_path):
    from extensions.generated.judging.import_scores import import_scores
    from extensions.generated.published import import_votes
    from tests.extensions.generated.test_pairs import file_of
    from tests.measures.ratings.vote_worlds import planted

    import_scores(phyground)
    (tmp_path / "votes.csv").write_text(file_of(planted(votes=400)))
    import_votes(tmp_path / "votes.csv")
    board = client.get("/leaderboard/generated/phyground/?format=latex").content.decode()
    votes = client.get("/leaderboard/generated/votes/pairs/?format=csv").content.decode()
    assert "3.28" in board
    assert votes.startswith("Generator,Strength,low,high")


def test_published_rows_are_shown_as_printed_and_unranked(shown, client):
    assert import_reported() == 50
    assert import_reported() == 0
    text = shown("/leaderboard/generated/physics-iq-verified/")
    assert "Magi-1 24B + GeoPhys, best of 16, v2v 58.2 ± 1.8 Magi-1 24B, v2v 48.4 ± 1.1" in text
    assert "neither ranked nor mixed" in text
    assert "2.17 4.60 1.00 .77 .98 .89 .96 .99 .87 8.64" in shown("/leaderboard/generated/worldmodelbench/")
    table = client.get("/leaderboard/generated/videophy-2/?format=csv").content.decode().splitlines()
    assert table[:2] == [
        'Generator,"Both ≥ 4, all",hard,activities,objects',
        "Wan 2.2 27B-A14B (later),55.4,47.7,54.5,58.6",
    ]


def test_reported_rows_stand_below_measured_ones(found, shown, sets):
    people_say(found, said)
    ReportedRow.objects.create(
        pack=found.pack, generator=sets[0].generator, scores={"PC": "9.99"}, source="A paper's table"
    )
    text = shown(BOARD)
    assert text.index("Good 5.00") < text.index("Reported As printed") < text.index("9.99") < text.index("A paper")


def test_board_of_cached_figures_is_fast(found, client):
    people_say(found, said)
    judge_says(found, lambda clip, name: "4")
    client.get(BOARD)
    began = time.perf_counter()
    for _ in range(5):
        client.get(BOARD)
    assert (time.perf_counter() - began) / 5 < 0.2  # 60 ms on a machine with nothing else to do


def test_few_queries_however_many_rows(found, client, django_assert_max_num_queries):
    people_say(found, said)
    client.get(BOARD)
    with django_assert_max_num_queries(22):
        client.get(BOARD)
    cache.clear()


def test_empty_pack_has_an_empty_board(shown):
    PromptPack.objects.create(
        slug="new", title="New", definition=[{"name": "PC", "question": "?", "anchors": ["a", "b"]}]
    )
    assert "No people rated these clips yet." in shown("/leaderboard/generated/new/")


def test_prompt_has_a_page_whatever_its_name(found, shown):
    people_say(found, said)
    found.pack.prompts.filter(key="prompt-1").update(key="fall/A ball?.mp4")
    assert "fall/A ball?.mp4" in shown(reverse("generated-prompt", args=["made", "fall/A ball?.mp4"]))
    assert "‹ fall/A ball?.mp4" in shown(reverse("generated-prompt", args=["made", "prompt-0"]))
