import numpy as np
import pytest

from measures.ratings.bradley_terry import Votes
from measures.ratings.vote_audit import audit_votes
from tests.measures.ratings.vote_worlds import DEFECTS, planted


def defects_of(**dials):
    return {finding.name for finding in audit_votes(planted(**dials)) if finding.is_defect}


def test_clean_board_has_no_defect():
    assert defects_of() == set()


@pytest.mark.parametrize("name", DEFECTS)
def test_planted_defect_is_named(name):
    dials, expected = DEFECTS[name]

    assert defects_of(**dials) >= expected


def test_the_row_with_the_fewest_votes_is_named_wherever_it_is_shown():
    """Row 0 has the most votes of a lopsided board, and is always shown second."""
    found = planted(**DEFECTS["lopsided"][0])
    turned = found.first == 0
    first, second = np.where(turned, [found.second, found.first], [found.first, found.second])
    share = np.where(turned, 1 - found.share, found.share)
    findings = audit_votes(Votes(first, second, share, found.people, found.prompts))
    (uneven,) = (finding for finding in findings if finding.name == "uneven")
    assert uneven.is_defect
    assert uneven.rows == (5,)
