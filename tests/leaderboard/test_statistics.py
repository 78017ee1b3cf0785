"""The page about the statistics names every statistic that pages show, and every public page leads to it."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from measures.comparing.comparison import minimum_detectable_difference
from tests.test_architecture import PLAIN_MEASURES

pytestmark = pytest.mark.django_db
PAGE = "/about/statistics/"
SHOWN_BY = ("extensions", "leaderboard", "humantrials", "evaluation", "benchmarks", "measures/estimate")
FILES = {".".join(path.with_suffix("").parts) for path in Path("measures").rglob("*.py")} | {"measures.estimate"}
SCORED = {"measures.ranking", "measures.scores.scoring"}  # plain, and yet explained
PLAIN = tuple(f"measures.{name}" for name in PLAIN_MEASURES)
MODULES = {name for name in FILES if not name.startswith(PLAIN)} | SCORED
# The plain name of each function of `measures` that apps use. A new one needs its sentence on the page.
EXPLAINED = {
    "allotted": "asked more where people disagreed",
    "area_of_confidence": "area under the ROC curve of people's confidence",
    "at_most_by_chance": "the binomial's lower tail",
    "audit_votes": "ten questions tell what the votes can’t support",
    "clustered_sums": "at the number of independent answers",
    "consistency": "Cohen's kappa",
    "crossed_rows": "people and prompts as samples of both",
    "detection": "d′ measures how well",
    "bias_rows": "minus people’s over the clips that both rated",
    "mean_rows": "Means of people’s ratings",
    "ordinal_alpha": "by ordinal alpha",
    "powered_rows": "A mean with a judge’s help",
    "reaching_rows": "shares of clips that reach a step",
    "split_half": "between halves of the raters",
    "difference": "score interval over clips",
    "disagreement": "asked more where people disagreed",
    "discordance": "score interval over clips",
    "effect_of": "how much more the judgments vary",
    "either": "both are taken as samples",
    "error_consistency": "Cohen's kappa",
    "error_consistency_interval": "interval of kappa is that of Wilson",
    "estimate": "at the number of independent answers",
    "exact_match": "the share of right answers",
    "excludes": "where their interval leaves the chance score",
    "family": "Holm's correction",
    "figure_of_answers": "both people and clips as samples",
    "figure_of_votes": "votes vary, by person and clip together",
    "figures_of_margins": "the curve of calibration",
    "figures_of_moments": "a hit within half a second",
    "figures_of_pairs": "the possible clip surprises less",
    "first_share": "a weight that was fixed before it",
    "flags_by_chance": "how many flags chance makes",
    "flags_of": "what good answerers fail",
    "fold_of": "in five folds",
    "fresh_gap": "Public minus fresh is the mean over tests",
    "from_variance": "reaches further towards 50 % than Wilson's",
    "gains": "the people who answered",
    "guessed_as_well": "how often chance would end as far",
    "half_width": "half the interval's width",
    "interval_alpha": "alpha for numbers",
    "interval_of_votes": "how much more the votes vary",
    "item_rest_correlation": "against the other items",
    "kendall_tau": "by Kendall’s tau",
    "krippendorff_alpha": "Krippendorff's alpha",
    "lies_below": "by whether intervals overlap",
    "majority": "what most people said",
    "majority_effect": "how much more the votes vary",
    "majority_score": "a tie counts half",
    "mcnemar_mid": "McNemar's with mid-P",
    "mean_of_points": "Points of a referee vary less",
    "mean_of_ratings": "Means of confidence take people and clips as samples",
    "minimum_detectable_difference": "minimum detectable difference",
    "ordered": "comes last whichever way one sorts",
    "pair_labels": "either of its two objects",
    "pearson_r": "by Pearson’s r",
    "power": "the power for so many people",
    "projected": "what the majority gains if they are right instead of wrong",
    "quadratic_kappa": "kappa with squared distances",
    "rank_correlation": "Spearman's correlation of ranks",
    "rank_groups": "tie groups",
    "rank_sets": "simultaneous rank sets",
    "ranks": "The ranges are simultaneous rank sets",
    "rejected_at": "the smallest error at which the cell's interval leaves chance out",
    "rows_below": "all pairs of rows are tested together",
    "share_of": "each clip counts as one cluster",
    "share_within": "the share within one step",
    "sharing": "either of its two objects",
    "sign_flip": "signs of whole clips are flipped",
    "spread": "either of its two objects",
    "standardised": "agree with the held-out answers",
    "stands": "tinted only where the p that it prints",
    "strengths_of": "strengths (Bradley and Terry)",
    "tau_over_rows": "from drawing the rows anew",
    "tested_constant_guess": "agree with the held-out answers",
    "tested_guesses": "agree with the held-out answers",
    "two_parameter_fit": "two-parameter logistic model",
    "two_way_mean": "Means of confidence take people and clips as samples",
    "variation_of": "the variances of a pilot",
    "voters_of": "A person counts by what the majority gains",
    "weights_of": "a weight that was fixed before it",
    "with_untested": "ranked by whether intervals overlap",
    "wording_spread": "standard deviation of a model's accuracies in each of them",
}
WORDS = (
    "plain Wilson interval",
    "asked more where people disagreed",
    "area under the ROC curve of people's confidence",
    "the upper end has the whole error of 5 % there",
    "what the group's score gains",
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
    "constrained answer",
    "Sensitivity to wording",
)


@cache
def used() -> set[str]:
    """Every function of the statistics that the apps or their one door import."""
    files = [path for app in SHOWN_BY for path in Path(app).rglob("*.py")]
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module in MODULES]
    return {name.name for node in imports for name in node.names if name.name[0].islower()}


def text_of(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode())).replace("&#x27;", "'")


def test_every_statistic_and_word_that_pages_use_has_its_sentence(visitor):
    text = text_of(visitor.get(PAGE))
    assert sorted(used() - EXPLAINED.keys()) == []
    assert [name for name in used() if EXPLAINED[name] not in text] == []
    assert len(used()) >= 15, "the search itself works"
    # words that pages use for numbers are explained
    text = text_of(visitor.get(PAGE))
    assert [word for word in WORDS if word not in text] == []


def test_the_clips_that_a_difference_needs_are_those_of_the_formula(visitor):
    page, document = text_of(visitor.get(PAGE)), Path("docs/runs.md").read_text()
    assert "5 points need about 1,100" in page
    assert "10 points about 280, 20 about 70" in page
    assert "about 1,100 clips for a difference of 5 points" in document
    assert "about 280 for 10 points and\n70 for 20" in document
    found = [minimum_detectable_difference(clips, 0.35) for clips in (1100, 280, 70)]
    assert found == pytest.approx([0.05, 0.1, 0.2], rel=0.03)


@pytest.mark.parametrize(
    "address",
    ["/", "/leaderboard/", "/leaderboard/grasp/", "/benchmarks/", "/benchmarks/craft/", "/trials/", "/compare/", PAGE],
)
def test_every_public_page_leads_there(visitor, address):
    page = visitor.get(address).content.decode()
    assert f'<a href="{PAGE}">How the statistics work</a>' in page.partition('<footer class="bottom">')[2]


def test_the_board_leads_there_beside_its_numbers(visitor, board):
    main = visitor.get("/leaderboard/grasp/").content.decode().partition("<main")[2].partition("</main>")[0]
    assert f'href="{PAGE}"' in main


def test_the_contents_are_the_headings(client):
    page = client.get(PAGE).content.decode()
    contents = page.partition('aria-label="Contents"')[2].partition("</nav>")[0]
    assert re.findall(r'<a href="#(.+?)">(.+?)</a>', contents) == re.findall(r'<h2 id="(.+?)">(.+?)</h2>', page)
    assert page.count("<h2") == contents.count("<li>")
