import pytest
from tests.extensions.generated.rating.rounds import make_round
from humantrials.running.lifecycle import create_trial, open_trial
from humantrials.running.verification import verify
from humantrials.protocols import PROTOCOLS
from tests.humantrials.plain_client import Walker

@pytest.mark.django_db
def test_x(client):
    pack, clips = make_round()
    print([p for p in PROTOCOLS if p.startswith("made")])
    for name in ("rate","pairs","break"):
        t = create_trial(slug=name, protocol=f"made-{name}", pack=pack, settings={"replicates": 1})
        open_trial(trial=t)
        r = verify(t); print(r.facts, r.broken)
        w = Walker(client, t).agree().press(step="instructions")
        html = w.page.content.decode()
        print(html[html.index("<form"):][:9000])
