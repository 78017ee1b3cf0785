import pytest

from measures.scores.scoring import exact_match


@pytest.mark.parametrize(
    ("answer", "expected", "score"),
    [("yes", "yes", 1.0), ("Yes", "yes", 1.0), ("no", "yes", 0.0), (None, "yes", 0.0), ("yes", None, 0.0)],
)
def test_only_the_expected_answer_scores(answer, expected, score):
    assert exact_match(answer, expected) == score
