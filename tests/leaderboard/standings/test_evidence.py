import pytest

from evaluation.models import Listing, RunKind
from leaderboard.models import EvidenceTier, Standing
from leaderboard.standings.refresh import refresh
from tests.factories import make_model, make_run
from tests.leaderboard.conftest import answer_all, answered

pytestmark = pytest.mark.django_db


def tier(run):
    return Standing.objects.get(run=run, split="all").tier


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, EvidenceTier.RUN),
        ({"kind": RunKind.UPLOADED, "card": {"given": "answer"}}, EvidenceTier.UPLOADED),
        ({"kind": RunKind.UPLOADED, "card": {"given": "prediction"}}, EvidenceTier.UPLOADED),
        ({"kind": RunKind.UPLOADED, "card": {"given": "reply"}}, EvidenceTier.RESCORED),
    ],
)
def test_a_row_says_what_the_site_has_seen(pack, values, expected):
    run = answer_all(make_run(pack, **values), lambda item: "yes")
    refresh()
    assert tier(run) == expected


def test_two_runs_with_equal_answers_vouch_for_each_other_until_one_leaves(pack):
    model = make_model()
    first, second, other = (answered(pack, "yes", model=one) for one in (model, model, make_model()))
    refresh()
    assert [tier(run) for run in (first, second, other)] == [EvidenceTier.REPEATED] * 2 + [EvidenceTier.RUN]
    first.listing = Listing.PRIVATE
    first.save()
    refresh()
    refresh()
    assert tier(second) == EvidenceTier.RUN


def test_one_other_answer_is_enough_to_differ(pack):
    model, odd = make_model(), pack.items.first()
    first = answered(pack, "yes", model=model)
    second = answered(pack, lambda item: "no" if item == odd else "yes", model=model)
    refresh()
    assert {tier(first), tier(second)} == {EvidenceTier.RUN}


def test_rows_from_before_get_their_tier_and_nothing_is_computed_anew(board):
    Standing.objects.update(tier="")
    assert refresh().computed == 0
    assert set(Standing.objects.values_list("tier", flat=True)) == {EvidenceTier.RUN}


def test_boards_and_exports_tell_the_evidence_of_each_row(pack, client):
    answered(pack, "yes", "Asked")
    card = {"given": "reply"}
    answered(pack, "no", "Sent", kind=RunKind.UPLOADED, card=card)
    refresh()
    rows = client.get("/leaderboard/grasp/?pack=small&format=json&rows=run,uploaded").json()["rows"]
    assert {row["name"]: row["tier"] for row in rows} == {"Asked": "run", "Sent": "rescored"}
    table = client.get("/leaderboard/grasp/?pack=small&format=csv&rows=uploaded").content.decode().splitlines()
    assert table[0].endswith(",Evidence")
    assert table[1].endswith(",rescored")
