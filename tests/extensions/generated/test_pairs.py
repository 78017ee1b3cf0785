"""Files of votes, and the board that they support."""

import json

import numpy as np
import pytest

from extensions.generated.models import PromptPack, VoteFile
from extensions.generated.pairs.board import PairsBoard
from extensions.generated.pairs.vote_files import BadVotesError, read_votes
from extensions.generated.published import import_published
from tests.measures.ratings.vote_worlds import DEFECTS, planted

HEAD = "model_a,model_b,winner,item_id,voter_id\n"


def file_of(votes, names="abcdef"):
    """The votes as a file with arenas' column names."""
    winners = {1.0: "model_a", 0.0: "model_b", 0.5: "tie"}
    rows = zip(votes.first, votes.second, votes.share, votes.prompts, votes.people, strict=True)
    return HEAD + "".join(
        f"{names[first]},{names[second]},{winners[share]},p{prompt},u{person}\n"
        for first, second, share, prompt, person in rows
    )


def test_votes_are_counted_both_ways_round():
    votes = "first,second,answer,person,prompt\na,b,first,1,1\nb,a,second,2,1\na,b,equal,3,2\nb,a,both bad,4,2\n"
    board = PairsBoard(read_votes("votes.csv", votes))
    ((name, (_, cell)), _) = board.cells()
    assert (name, cell.wins, cell.equal, cell.both_bad, cell.losses) == ("a", 2, 1, 1, 0)
    assert cell.share == 0.75


def test_strong_generator_is_first():
    board = PairsBoard(read_votes("votes.csv", file_of(planted(votes=3000, ties=0.0))))
    assert [row.name for row in board.rows] == list("abcdef")
    assert np.mean([row.value for row in board.rows]) == pytest.approx(1000)
    assert board.rows[0].interval.holds(1000 + 1.2 * 400 / np.log(10))
    assert board.findings == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("model_a,winner,item_id,voter_id\na,a,1,1\n", "line 1: no column second"),
        (HEAD, "no votes"),
        (HEAD + "a,b,maybe,1,1\n", "line 2: answer is 'maybe'"),
        (HEAD + "a,a,tie,1,1\n", "line 2: 'a' against itself"),
        (HEAD + "a,b,tie,1,1\na,b,tie,,1\n", "line 3: prompt is empty"),
        (HEAD + "a,b\n", "line 2: answer is empty"),
        (HEAD + '"a,b,tie,1,1\n', "line 2"),
        (HEAD + f"{'a' * 200},b,tie,1,1\n", "first is longer"),
        (HEAD + "a,b,x,1,1\n" * 14, "and 4 more lines"),
    ],
)
def test_bad_line_is_named(text, named):
    with pytest.raises(BadVotesError) as caught:
        read_votes("votes.csv", text)
    assert named in str(caught.value)


@pytest.mark.django_db
class TestPages:
    def open(self, client, tmp_path, votes):
        (tmp_path / "Arena.csv").write_text(file_of(votes))
        assert import_published(tmp_path / "Arena.csv") == {"votes": len(votes), "already there": 0}
        response = client.get("/leaderboard/generated/arena/pairs/")
        assert response.status_code == 200
        return " ".join(response.content.decode().split())

    def test_board_says_how_many_pairs_are_told_apart(self, client, tmp_path):
        text = self.open(client, tmp_path, planted(votes=6000))
        assert "The votes tell 15 of 15 pairs of generators apart; a is first." in text
        assert "can’t support" not in text

    @pytest.mark.parametrize("name", ["two pools", "rock, paper, scissors", "first place favoured"])
    def test_defects_stand_above_the_ranks(self, client, tmp_path, name):
        assert "What these votes can’t support" in self.open(client, tmp_path, planted(**DEFECTS[name][0]))

    def test_rows_that_never_met_have_no_order(self, client, tmp_path):
        text = self.open(client, tmp_path, planted(**DEFECTS["two pools"][0]))
        assert "never compared with each other, so there is no common order: a, b and c; d, e and f." in text
        assert "Bradley–Terry" not in text

    def test_same_file_goes_in_once(self, client, tmp_path):
        votes = planted(votes=100)
        self.open(client, tmp_path, votes)
        assert import_published(tmp_path / "Arena.csv") == {"votes": 0, "already there": 100}
        assert VoteFile.objects.count() == 1

    def test_names_of_people_are_not_kept(self, client, tmp_path):
        self.open(client, tmp_path, planted(votes=50))
        stored = json.dumps(VoteFile.objects.get().votes)
        assert '"people"' in stored
        assert '"u' not in stored

    def test_votes_alone_have_no_ratings(self, client, tmp_path):
        self.open(client, tmp_path, planted(votes=50))
        assert client.get("/leaderboard/generated/arena/").url == "/leaderboard/generated/arena/pairs/"

    def test_pack_without_votes_has_no_pairs(self, client):
        PromptPack.objects.create(slug="new", title="New", preset="phyground")
        assert client.get("/leaderboard/generated/new/pairs/").status_code == 404

    def test_another_file_is_not_taken(self, tmp_path):
        (tmp_path / "results.csv").write_text("benchmark,level,row\n")
        assert import_published(tmp_path / "results.csv") is None
        assert import_published(tmp_path) is None


def test_votes_take_no_address_that_is_beside_boards(tmp_path):
    (tmp_path / "Sets.csv").write_text(file_of(planted(**DEFECTS["too few votes"][0])))
    with pytest.raises(BadVotesError, match="its name is an address beside those of boards"):
        import_published(tmp_path / "Sets.csv")
