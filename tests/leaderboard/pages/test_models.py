"""Pages of models: every evaluated or reported model has one, which separates measured from reported figures."""

import json
import re
from datetime import UTC, datetime

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from evaluation.models import Listing, Model, Run
from leaderboard.board.overviews.level_results import all_levels, levels_of_model
from leaderboard.board.overviews.model_profile import lines_of_levels, standings_of_model, strategy_tables, views_of
from leaderboard.board.reported_models import reported_models, slug_of_reported
from leaderboard.charts.model_charts import parameters_in, size_in
from leaderboard.models import Comparison, PublishedResult, Standing
from tests.factories import make_model, make_run
from tests.leaderboard.conftest import CELL, make_people, make_row, text_of
from tests.markup import compact

pytestmark = pytest.mark.django_db
TESTS = [value for value in BENCHMARKS["grasp"].facet("test").values if value.level == "2"]


def test_every_reported_model_has_a_page_with_its_source_and_figures(visitor):
    models = reported_models()
    assert {"video-llama-7b", "lstm-cnn-f", "merlot-reserve-large"} <= set(models)
    page = visitor.get("/models/video-llama-7b/")
    text = text_of(page)
    assert page.status_code == 200
    assert "Reported by GRASP. Not evaluated here." in text
    assert "Table 2" in text
    assert "79.7" in text  # Color, chain-of-thought
    assert "jassim2024grasp" in text
    assert 'class="badge">Reported in papers' in page.content.decode()
    assert "Measured here" not in text
    # each printed figure is on its models page
    for slug in ("video-llama-7b", "mac-f"):
        text = text_of(visitor.get(f"/models/{slug}/"))
        for figures in reported_models()[slug].figures:
            assert all(cell.text in text for cell in figures.cells)
    # a benchmark with a reported figure is not called empty
    page = text_of(visitor.get("/models/gpt-4/"))
    assert "75.0" in page
    assert "No score yet on CRAFT, PACS" in page
    # a figure without a strategy is not repeated for each
    page = compact(visitor.get("/models/lstm-cnn-v/").content.decode())
    assert "Prompting strategies" not in page
    assert "<td>–</td>" in page.partition("Reported figures")[2]  # its prompting
    assert "Prompting strategies" in visitor.get("/models/pandagpt-7b/").content.decode()
    # a later papers model has a page
    place = {"benchmark": "grasp", "level": "2", "strategy": "plausibility", "row": "Newer 9B", "figure": "61.5"}
    PublishedResult.objects.create(**place, source="A later paper, Table 4", date="2026", checked_by="Reader")
    text = text_of(visitor.get("/models/newer-9b/"))
    assert "61.5" in text
    assert "A later paper, Table 4, 2026" in text
    # the list says what a model is in one sentence
    make_model(name="Talker", slug="talker", card={"what": "Says yes. It has 2.5 parameters and a long story."})
    page = text_of(visitor.get("/models/?search=talker"))
    assert "Says yes." in page
    assert "long story" not in page


def test_a_reported_model_has_its_figures_as_printed_and_the_date_of_its_paper():
    place = {"benchmark": "grasp", "level": "2", "strategy": "plausibility", "date": "2026", "checked_by": "Reader"}
    place |= {"source": "A later paper, Table 4", "link": "https://example.org/paper"}
    for row, cell, figure in (
        ("Newer 9B", "overall", "61.5"),
        ("Newer 9B", "Gravity", "58.0 ± 1.2"),
        ("Human", "overall", "9"),
    ):
        PublishedResult.objects.create(**place, row=row, cell=cell, figure=figure)
    models = reported_models()
    assert "human" not in models
    assert [*models] == sorted(models, key=lambda slug: models[slug].name.casefold())
    found = {}
    for slug in ("newer-9b", "majority", "mac-v"):
        (first, *_), model = models[slug].figures, models[slug]
        told = (model.name, model.is_baseline, model.date, [one.slug for one in model.benchmarks])
        figures = (first.strategy, first.view_label, first.source, first.link, first.overall, first.by_test[:1])
        found[slug] = (*told, len(model.figures), *figures)
    later = ("zero-shot", "", "A later paper, Table 4, 2026", "https://example.org/paper", "61.5")
    sound, easy = ("", "video with sound, Test", "Table 1", ""), ("", "Easy setting, test", "Table 1", "")
    assert found == {
        "newer-9b": ("Newer 9B", False, "2026", ["grasp"], 1, *later, [("Ball on a slope", "58.0 ± 1.2", "")]),
        "majority": ("Majority", True, "2022", ["pacs"], 2, *sound, "50.4", []),
        "mac-v": ("MAC-V", False, "2022", ["craft"], 2, *easy, "49.74", [("Cause", "54.73", "")]),
    }


def test_a_profile_has_a_line_for_each_level_beside_the_people_of_its_paper(db):
    every = all_levels()

    def lines(slug):
        return lines_of_levels(levels_of_model(f"/models/{slug}/", every))

    told = [
        (one.title, one.small, one.model.figure, one.people.figure, one.behind, one.claim) for one in lines("mac-v")
    ]
    assert told == [
        ("CRAFT: Forces and interactions", "Easy setting, test, reported", "50", "80", 0.3063, ""),
        ("CRAFT: Forces and interactions", "Hard setting, test, reported", "47", "80", 0.3306, ""),
    ]
    assert "split=hard-test" in lines("mac-v")[1].href
    [guesser] = lines("majority")
    assert (guesser.behind, guesser.chance, guesser.claim) == (None, 0.5, "no different from chance")
    assert lines("video-llama-7b") == []
    [table] = strategy_tables("/models/video-llama-7b/", [])
    assert table.heads == ("zero-shot, statement", "chain-of-thought, statement", "one-shot, statement", "open-ended")
    assert table.rows[0] == ("Shape", (("49.1", ""), ("69.4", ""), ("41.4", ""), ("87.2", "")))
    assert (table.rows[2][1][3], len(table.rows), table.is_reported, table.view_label) == (("–", ""), 6, True, "")


def test_names_on_boards_lead_to_models_and_the_run_is_beside(visitor, physics):
    run = make_run(physics, model=make_model(name="Seer", slug="seer"), strategy="plausibility")
    make_standing(run)
    page = compact(visitor.get("/leaderboard/grasp/?level=2").content.decode())
    assert '<a href="/models/seer/"><bdi>Seer</bdi></a>' in page
    assert re.search(rf'<a href="/runs/{run.pk}/" title="[^"]+">evaluated here', page)
    of_papers = compact(visitor.get("/leaderboard/grasp/").content.decode())
    assert '<a href="/models/video-llama-7b/"><bdi>Video-LLaMA</bdi></a>' in of_papers


def make_standing(run):
    cells = {value.value: CELL | {"score": 0.4, "low": 0.3, "high": 0.5} for value in TESTS}
    concepts = {name: CELL for value in TESTS for name in value.concepts}
    return make_row(run, {"level": {"2": CELL}, "test": cells, "concept": concepts})


@pytest.fixture
def seer(physics):
    """A 7B model with two strategies, people on the same clips, and two more models with a size."""
    people = make_people(physics, level="2", strategy="plausibility", test="Gravity", score=0.95)
    card = {"parameters": "7B", "what": "It looks.", "citation": "@misc{seer, title={Seer}}"}
    model = make_model(name="Seer", slug="seer", card=card, kind="openai")
    first = make_standing(make_run(physics, model=model, strategy="plausibility", card={"usage": {"cost": 0.4}}))
    make_standing(make_run(physics, model=model, strategy="plausibility-cot"))
    for part in Standing.objects.filter(run__model=model):
        part.pk, part.split = None, "human"
        part.save()
    for size in ("1B", "70B"):
        other = make_model(name=f"Other {size}", slug=f"other-{size}".lower(), kind="openai", card={"parameters": size})
        make_standing(make_run(physics, model=other, strategy="plausibility"))
    Comparison.objects.create(first=people, second=first, n=6, difference=0.15, low=0.05, high=0.25, p=0.01, test="t")
    return model


def test_a_models_page_has_its_profile_strategies_weakest_tests_size_runs_and_card(visitor, seer):
    page = visitor.get("/models/seer/")
    text = text_of(page)
    assert [len(one.rows) for one in strategy_tables("/models/seer/", list(views_of(standings_of_model(seer))))] == [17]
    assert {one.run.model for one in standings_of_model(seer)} == {seer}
    headings = ("Against people", "By concept", "Prompting strategies", "Best and worst", "Runs", "Model card", "Cite")
    assert [heading for heading in headings if heading not in text] == []
    assert "Size against score: GRASP, Intuitive physics" in text
    assert "People 80.0" not in text.split("By concept")[1].split("Prompting")[0]  # those people have no concepts
    ranked = re.search(r"Best and worst (.*?) Prompting", text)[1]
    assert "Worst test 9 Ball on a slope 40.0 30–50 40 questions, people 95.0 % (60–90)" in ranked
    assert "It looks." in text
    assert "@misc{seer, title={Seer}}" in text
    assert "0.4" in text.split(" Runs ")[1]
    # the picture to share is drawn from the figures
    svg = visitor.get("/models/seer/picture/?format=svg").content.decode()
    assert "Seer against people" in svg
    assert visitor.get("/models/seer/picture/?format=png").content.startswith(b"\x89PNG")
    table = visitor.get("/models/seer/picture/?format=json")
    assert "Seer" in json.dumps(json.loads(table.content))
    assert visitor.get("/models/seer/picture/?format=gif").status_code == 404
    assert visitor.get("/models/nobody/picture/").status_code == 404
    # the list holds both and can be searched
    text = text_of(visitor.get("/models/"))
    assert "Seer" in text
    assert "Video-LLaMA 7B" in text
    narrowed = text_of(visitor.get("/models/?search=seer"))
    assert "Video-LLaMA" not in narrowed
    assert "No results for this view" in text_of(visitor.get("/models/?search=nobody"))
    assert "Video-LLaMA" not in text_of(visitor.get("/models/?kind=here"))
    reported = text_of(visitor.get("/models/?kind=reported"))
    assert "Video-LLaMA" in reported
    assert "Seer" not in reported.partition("Gap to people")[2]
    assert visitor.get("/models/?kind=magic").status_code == 404
    # menus narrow by size and weights, alone and together; their counts keep the other choices
    Model.objects.filter(name="Other 70B").update(card={"parameters": "70B", "weights": "open, Apache-2.0"})
    cases = {"size=large": ["Other 70B"], "size=small": ["Other 1B"], "weights=open": ["Other 70B"]}
    cases |= {"size=small&weights=open": [], "size=large&weights=open": ["Other 70B"]}
    for query, left in cases.items():
        assert [name for name in names_of(visitor, f"?{query}&search=other") if name.startswith("Other")] == left
    page = visitor.get("/models/?weights=open&search=other").content.decode()
    link = next(one for one in re.findall(r'href="([^"]*)"', page) if "size=large" in one).replace("&amp;", "&")
    assert names_of(visitor, link) == ["Other 70B"]
    assert visitor.get("/models/?size=huge").status_code == 404
    assert visitor.get("/models/?weights=free").status_code == 404
    # models sort by size and date with what is unknown last
    make_model(name="Sizeless", slug="sizeless", kind="openai")
    ours = ["Seer", "Other 1B", "Other 70B", "Sizeless"]
    sizes = {"size": ["Other 70B", "Seer", "Other 1B"], "-size": ["Other 1B", "Seer", "Other 70B"]}
    for sort, order in sizes.items():
        names = names_of(visitor, f"?sort={sort}&kind=here")
        assert [name for name in names if name in ours] == order
    Run.objects.filter(model=seer).update(created_at=datetime(2020, 1, 1, tzinfo=UTC))
    assert [name for name in names_of(visitor, "?sort=date&kind=here") if name in ours][-1] == "Seer"
    assert next(name for name in names_of(visitor, "?sort=-date&kind=here") if name in ours) == "Seer"
    assert names_of(visitor, "?sort=date&search=less") == ["Sizeless"]
    wrong = visitor.get("/models/?sort=colour")
    assert (wrong.status_code, "size, -size, date, -date" in wrong.content.decode()) == (404, True)


def test_a_model_under_the_slug_of_a_reported_one_shares_its_page(visitor, physics):
    make_standing(make_run(physics, model=make_model(name="Ours", slug="video-llama-7b"), strategy="plausibility"))
    text = text_of(visitor.get("/models/video-llama-7b/"))
    assert "Reported figures" in text
    assert "80.0 % (60–90) of 40 questions right on GRASP: Intuitive physics" in text
    assert text_of(visitor.get("/models/")).count("Video-LLaMA 7B") == 0


def test_a_private_upload_shows_nothing_of_itself(visitor, physics):
    card = {"citation": "@misc{secret, a={b}}"}
    hidden = make_model(name="Secret", slug="video-llama-7b", kind="uploaded", card=card)
    make_run(physics, model=hidden, listing=Listing.PRIVATE)
    text = text_of(visitor.get("/models/video-llama-7b/"))
    assert "Secret" not in text
    assert "@misc{secret" not in text


def names_of(visitor, query):
    return re.findall(
        r'<th scope="row">\s*<a [^>]*><bdi>([^<]*)</bdi></a>', visitor.get(f"/models/{query}").content.decode()
    )


@pytest.mark.parametrize(
    ("text", "number"),
    [("7B", 7e9), ("0.34M", 340_000.0), ("0.5 B of 3 B trained", 3e9), ("", None), ("unknown", None), ("13 b", 13e9)],
)
def test_parameters_are_read_from_a_cards_words(text, number):
    assert parameters_in(text) == number


def test_slugs_of_reported_models():
    assert slug_of_reported("Qwen2.5-VL", "7B") == "qwen2-5-vl-7b"
    assert slug_of_reported("LSTM+CNN") == "lstm-plus-cnn"


@pytest.mark.parametrize(
    ("name", "size"), [("LLaVA-7B", "7B"), ("GPT-4", ""), ("Video-LLaMA2 13B", "13B"), ("CLIP 0.4 B", "0.4 B")]
)
def test_asize_in_a_name_has_its_unit(name, size):
    assert size_in(name) == size
