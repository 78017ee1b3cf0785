"""The page about the statistics names every statistic that pages show, and every public page leads to it."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.django_db
PAGE = "/about/statistics/"
SHOWN_BY = ("leaderboard", "humantrials", "evaluation")
STATISTICS = (
    "agreement",
    "comparison",
    "crossed",
    "error_consistency",
    "intervals",
    "majorities",
    "multiple_comparisons",
    "paired",
    "rank_sets",
    "ranking",
    "roc",
    "signal_detection",
    "wordings",
)
# The plain name of each function of `measures` that pages use. A new one needs its sentence on the page.
EXPLAINED = {
    "as_independent": "at the number of independent answers",
    "clustered": "each clip counts as one cluster",
    "clustered_sums": "at the number of independent answers",
    "design_effect": "how much more the judgments vary",
    "detection": "d′ measures how well",
    "guessed_as_well": "how often chance would end as far",
    "error_consistency": "Cohen's kappa",
    "error_consistency_interval": "interval of kappa is that of Wilson",
    "gains": "the people who answered",
    "from_variance": "reaches further towards 50 % than Wilson's",
    "holm": "Holm's correction",
    "interval_alpha": "alpha for numbers",
    "interval_of": "the upper end has the whole error of 5 % there",
    "crossed_area": "area under the ROC curve of people's confidence",
    "either": "area under the ROC curve of people's confidence",
    "krippendorff_alpha": "Krippendorff's alpha",
    "majority": "what most people said",
    "majority_score": "a tie counts half",
    "majority_vote": "votes vary, by person and clip together",
    "majority_effect": "how much more the votes vary",
    "mcnemar_mid": "McNemar's with mid-P",
    "projected": "what the majority gains if they are right instead of wrong",
    "voters_of": "A person counts by what the majority gains",
    "discordance": "score interval over clips",
    "sharing": "either of its two objects",
    "mean_difference": "score interval over clips",
    "minimum_detectable_difference": "minimum detectable difference",
    "ordered": "comes last whichever way one sorts",
    "rank_correlation": "Spearman's correlation of ranks",
    "rank_groups": "tie groups",
    "rejected_at": "the smallest error at which the cell's interval leaves chance out",
    "rank_sets": "simultaneous rank sets",
    "rows_below": "all pairs of rows are tested together",
    "sign_flip": "signs of whole clips are flipped",
    "thinned_votes": "how much more the judgments vary",
    "spread": "either of its two objects",
    "two_sided": "the upper end has the whole error of 5 % there",
    "two_way_mean": "Means of confidence take people and clips as samples",
    "weighted_two_way": "asked more where people disagreed",
    "two_way": "both people and clips as samples",
    "two_way_variance": "Cameron, Gelbach and Miller 2011",
    "wilson_of_variance": "so both are taken as samples",
    "wording_spread": "standard deviation of a model's accuracies in each of them",
    "wilson": "plain Wilson interval",
}
WORDS = (
    "standard deviation over tests",
    "median",
    "p-value",
    "95 % confidence",
    "criterion c",
    "unparsed reply",
    "±",
    "simulated",
    "Δ vs humans",
    "band behind the models",
    "binomial test",
    "Repetition of the example",
    "Tokens per answer",
    "cost of 1,000 answers",
    "thoughts cut off",
    "constrained reply",
    "spread over wordings",
)


@cache
def used() -> set[str]:
    """Every function of the statistics that the apps import."""
    files = [path for app in SHOWN_BY for path in Path(app).rglob("*.py")]
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    modules = {f"measures.{name}" for name in STATISTICS}
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module in modules]
    return {name.name for node in imports for name in node.names if name.name[0].islower()}


def text_of(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode())).replace("&#x27;", "'")


def test_every_statistic_that_pages_use_has_its_sentence(visitor):
    text = text_of(visitor.get(PAGE))
    assert sorted(used() - EXPLAINED.keys()) == []
    assert [name for name in used() if EXPLAINED[name] not in text] == []
    assert len(used()) >= 15, "the search itself works"


def test_words_that_pages_use_for_numbers_are_explained(visitor):
    text = text_of(visitor.get(PAGE))
    assert [word for word in WORDS if word not in text] == []


@pytest.mark.parametrize(
    "address",
    ["/", "/leaderboard/", "/leaderboard/grasp/", "/benchmarks/", "/benchmarks/craft/", "/trials/", "/compare/", PAGE],
)
def test_every_public_page_leads_there(visitor, address):
    page = visitor.get(address).content.decode()
    assert f'<a href="{PAGE}">About the statistics</a>' in page.partition('<footer class="foot">')[2]


def test_the_board_leads_there_beside_its_numbers(visitor, board):
    assert (
        f'href="{PAGE}"'
        in visitor.get("/leaderboard/grasp/").content.decode().partition("<main")[2].partition("</main>")[0]
    )
