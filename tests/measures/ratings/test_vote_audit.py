import pytest

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
