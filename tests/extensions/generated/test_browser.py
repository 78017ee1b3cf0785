"""Boards of generators in Chromium: both themes, wide and narrow, without a finding of axe or a sideways scroll."""

import pytest

from extensions.generated.judging.import_scores import import_scores
from extensions.generated.published import import_published, import_reported
from tests.accessibility import findings
from tests.extensions.generated.scores.rounds import judge_says, made_pack, made_pairs, made_round, made_set, people_say
from tests.extensions.generated.test_pairs import file_of
from tests.measures.ratings.vote_worlds import DEFECTS, planted

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]
BOARDS = "/leaderboard/generated/"
PAGES = (
    *("", "phyground/", "phyground/?dimension=Optical", "phyground/judges/phyjudge/", "votes/pairs/"),
    *("made/", "made/?dimension=PC-top", "made/judges/judge/", "made/pairs/", "made/prompts/prompt-1/", "worldjen/"),
)


def test_pages_have_no_finding_no_sideways_scroll_and_a_silent_console(chromium, live_server, phyground, tmp_path):
    import_scores(phyground)
    (tmp_path / "Votes.csv").write_text(file_of(planted(**DEFECTS["too few votes"][0])))
    import_published(tmp_path / "Votes.csv")
    import_reported()
    _round()
    page = chromium.new_page()
    said = []
    page.on("console", lambda message: said.append(message.text))
    for address in PAGES:
        page.goto(live_server.url + BOARDS + address)
        for width, theme in ((1280, "light"), (360, "dark")):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=theme)
            assert findings(page) == [], address
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address
    page.close()
    assert said == []


def _round():
    """Two generators and a floor, rated, compared and marked by people, and rated by a judge."""
    pack = made_pack()
    sets = [made_set(pack, name, role="floor" if name == "still" else "generator") for name in ("good", "bad", "still")]
    for clip in sets[1].clips.all():
        clip.facts, clip.truth = {"seconds": 6.0}, {"is_broken": True, "onset": 2.0, "kind": "vanishes", "severity": 2}
        clip.save()
    found = made_round(pack, sets)
    made_pairs(found, *sets[:2])

    def say(clips, names, person):
        if len(clips) == 2:
            return "ab"[person % 2]
        return (
            " ".join(f"{name}={1 + (person + clips[0].pk) % 5}" for name in names) or "break=1.5 kind=falls severity=3"
        )

    people_say(found, say)
    judge_says(found, lambda clip, name: str(1 + clip.pk % 5))
