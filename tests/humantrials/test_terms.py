"""Terms are explained on the pages that use them, in the words of the glossary."""

import pytest

from humantrials.templatetags.terms import TERMS, glossary
from tests.humantrials.fixtures import physics_pack, running_trial


def test_every_term_is_in_the_glossary():
    assert {term for page in TERMS.values() for term in page} - glossary().keys() == set()


@pytest.mark.django_db
def test_a_page_explains_its_own(staff):
    trial = running_trial(physics_pack(tests=1))
    pages = {"results": "", "manage": "manage/", "plan": "plan/", "watch": "watch/", "sheets": "sheets/"}
    for name, path in (pages | {"people": "people/", "pay": "pay/", "export": "export/"}).items():
        page = staff.get(f"/trials/{trial.slug}/{path}").content.decode()
        for term in TERMS[name]:
            assert f"<dfn>{term}</dfn>" in page, name
    assert "<dfn>" not in staff.get(f"/trials/{trial.slug}/texts/").content.decode()
