"""Terms are explained on the pages that use them, in the words of the glossary."""

import pytest
from django.test import Client

from humantrials.planning.authored_texts import write
from humantrials.templatetags.terms import TERMS, WORDS, glossary
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.plain_client import Walker


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


@pytest.mark.django_db
def test_participants_read_what_their_words_mean(walker, trial):
    """On the consent only with the site's own text, since an author's text may not use the terms."""
    consent = walker.text
    for term, meaning in WORDS["consent"]:
        assert f"<dfn>{term}</dfn>" in consent
        assert str(meaning) in consent
        assert str(term) in consent.partition("<dfn>")[0]
    leave = walker.agree().client.get(f"{walker.road}leave/").content.decode()
    assert "<dfn>completion code</dfn>" in leave
    assert "/docs/glossary" not in leave
    write(trial=trial, part="consent", language="en", body="I agree.")
    assert "<dfn>" not in Walker(Client(), trial, name="other").text
