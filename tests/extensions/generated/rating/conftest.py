import pytest

from humantrials.results import release
from humantrials.running.lifecycle import create_trial, open_trial
from tests.extensions.generated.rating.rounds import make_round


@pytest.fixture
def rated(db):
    """A round of three sets and three prompts: its pack, and its clips by code and prompt."""
    return make_round(sets=3)


@pytest.fixture
def study(rated, monkeypatch):
    """Opens a study of the round by the last word of its protocol's name: rate, triples, pairs, break."""
    monkeypatch.setattr(release, "MIN_PEOPLE", 1)

    def opened(name, **settings):
        trial = create_trial(slug=name, protocol=f"made-{name}", pack=rated[0], seed=1, settings=settings)
        open_trial(trial=trial)
        return trial

    return opened
