"""A visitor's journeys from the home page, along links on the pages."""

import html
import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.packs.import_release import import_release
from evaluation.models import Run
from humantrials.models import TrialState
from leaderboard.standings.refresh import refresh
from tests.benchmarks.grasp_release import write_release
from tests.evaluation.submissions.uploads import good_file, small_pack, upload
from tests.factories import answer_to, make_trial
from tests.leaderboard.conftest import answered, vote

pytestmark = pytest.mark.django_db
LINK = re.compile(r"<a\b([^>]*)>(.*?)</a>", re.DOTALL)


@dataclass(frozen=True)
class Journey:
    """A visitor's question, the links that lead to the answer, and the expected text of the last page or file."""

    question: str
    most: int  # clicks
    links: tuple[str, ...]  # a regular expression for each click, over a link's whole text
    shows: str  # a regular expression over the text at the end
    is_file: bool = False  # whether the last click is a download


ROADS = (
    Journey(
        "Who understands gravity best, and how far from people?",
        2,
        ("By concept", "Gravity"),
        r"best model.*\d|no model beyond baselines",
    ),
    Journey("How do I put our model on the board?", 2, ("Submit a model’s answers.*", "Sign in to upload"), "Password"),
    Journey("Table 1 as LaTeX", 3, ("CRAFT · .*", "Table 1", "LaTeX table"), r"\\begin{tabular}", is_file=True),
    Journey(
        "Why did a model fail on this clip?",
        3,
        ("Explore", "people right, models wrong: .*|models wrong", r"The video you.re seeing.*"),
        "Reply, word for word.*wrong",
    ),
    Journey(
        "Can I download it and run it myself?",
        2,
        (r"Does it notice what cannot happen\?", r".*TAR.*"),
        "score_replies",
        is_file=True,
    ),
)


@pytest.fixture
def asked(tmp_path):
    """A pack that people answered rightly, and a model with always yes."""
    release = write_release(tmp_path / "release", ("P_Gravity", "IP_Gravity"))
    pack = import_release(BENCHMARKS["grasp"], release, pack_name="small").pack
    trial = make_trial(pack, slug="study", state=TrialState.CLOSED, answers_version=1)
    for item in pack.items.filter(kind="plausibility").order_by("pk"):
        vote(trial, item, [answer_to(item)] * 3)
    answered(pack, "yes", "Yes-man", strategy="plausibility")
    refresh()
    return pack


def text_of(markup):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())


def followed(visitor, road: Journey):
    """The last page's body; every click is a link on the page before."""
    address, answer = "/", visitor.get("/")
    for pattern in road.links:
        page = answer.content.decode()
        found = [attributes for attributes, inner in LINK.findall(page) if re.fullmatch(pattern, text_of(inner))]
        assert found, (
            f"no link {pattern!r} on {address}; there is: {[text_of(inner) for _, inner in LINK.findall(page)]}"
        )
        address = urljoin(address, html.unescape(found[0].partition('href="')[2].partition('"')[0]))
        parts = urlsplit(address)
        answer = visitor.get(f"{parts.path}?{parts.query}")
        assert answer.status_code == 200, address
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def test_every_road_is_as_short_as_it_should_be_and_leads_there(visitor, asked):
    for road in ROADS:
        assert len(road.links) <= road.most
        content = followed(visitor, road).decode(errors="replace")
        said = content if road.is_file else text_of(content)
        assert re.search(road.shows, said, re.DOTALL), road.question


def test_an_account_is_two_clicks_and_a_file_from_a_model_that_waits_for_the_board(submitter):
    pack = small_pack()
    assert 'href="/submit/"' in submitter.get("/").content.decode()
    form = submitter.get("/submit/").content.decode()
    assert re.search(r'<form class="[^"]*" method="post".*?<button class="main">', form, re.DOTALL)
    stored = submitter.post("/submit/", {"file": upload(good_file(pack))}, follow=True)
    run = Run.objects.get()
    assert f'action="/submit/{run.pk}/propose/"' in stored.content.decode()
    assert "waiting for staff" in submitter.post(f"/submit/{run.pk}/propose/", follow=True).content.decode()
