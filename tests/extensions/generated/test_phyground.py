"""PhyGround's published scores go in by command; boards and audits show what follows from them."""

import json

import pytest
from django.core.management import CommandError, call_command

from extensions.generated.judging.audit import CheckVerdict, audits_of
from extensions.generated.judging.import_scores import PEOPLE, BadScoresError, import_scores
from extensions.generated.models import JudgeReading, Prompt, PromptPack, ReportedRow
from extensions.generated.scores.columns import columns_of
from extensions.generated.scores.imported import imported_answers
from measures.estimate import rank_correlation

pytestmark = pytest.mark.django_db

# The site's table of PhyJudge-9B, which prints no interval.
PHYJUDGE = {
    "veo-3-1": (3.03, 3.10, 3.11, 2.90, 3.33, 3.70, 3.05),
    "cosmos-predict2-5-14b": (2.79, 2.96, 3.26, 2.90, 3.14, 3.09, 2.97),
    "wan2-2-i2v-a14b": (2.78, 2.97, 3.08, 2.84, 3.04, 3.36, 2.92),
    "cosmos-predict2-5-2b": (2.60, 2.73, 3.07, 2.72, 2.92, 3.57, 2.80),
    "omniweaving": (2.68, 2.73, 2.92, 2.71, 2.99, 3.13, 2.78),
    "ltx-2-3-22b-dev": (2.63, 2.79, 2.91, 2.55, 3.02, 3.21, 2.72),
    "wan2-2-ti2v-5b": (2.48, 2.70, 2.76, 2.61, 3.01, 3.45, 2.68),
    "ltx-2-19b-dev": (2.50, 2.62, 2.79, 2.49, 3.01, 3.09, 2.62),
}
PRINTED = ("SA", "PTV", "persistence", "Solid-Body", "Fluid", "Optical", "overall")


def audits(column="overall"):
    pack = PromptPack.objects.get(slug="phyground")
    return audits_of(imported_answers(pack), next(each for each in columns_of(pack) if each.name == column))


def board(column="overall"):
    return next(iter(audits(column).values())).board


def figures(column, judge="phyjudge"):
    """Generator -> the judge's figure."""
    shown = board(column)
    return {shown.found.rows[row].slug: figure for row, figure in shown.figures[judge].items()}


def test_folder_goes_in_once(phyground):
    assert import_scores(phyground) == {"rows": 8, "readings": 36, "already there": 0}
    assert import_scores(phyground) == {"rows": 0, "readings": 0, "already there": 44}
    assert Prompt.objects.count() == 250


def test_judges_means_equal_the_published_table_and_people_are_shown_as_printed(phyground):
    import_scores(phyground)
    for place, name in enumerate(PRINTED):
        found = {slug: round(figure.value, 2) for slug, figure in figures(name).items()}
        assert found == pytest.approx({slug: printed[place] for slug, printed in PHYJUDGE.items()}, abs=0.0051), name
    lines = board().ranked
    assert [line.figures[0].value for line in lines] == [3.28, 3.28, 3.1, 2.91, 2.69, 2.63, 2.58, 2.56]
    assert {line.figures[0].interval for line in lines} == {None}


def test_an_interval_is_about_prompts(phyground):
    """PhyJudge's own standard error is 0.04 a row, as computed from its scores prompt by prompt."""
    import_scores(phyground)
    widths = [figure.interval.half_width for figure in figures("overall").values()]
    assert all(0.06 < width < 0.11 for width in widths)


def test_phyjudge_may_not_rank(phyground):
    import_scores(phyground)
    audit = audits()["phyjudge"]
    assert not audit.may_rank
    assert {name: round(value, 2) for name, (value, _) in audit.bias.items()} == {
        "veo-3-1": -0.23,
        "wan2-2-i2v-a14b": -0.36,
        "omniweaving": -0.32,
        "cosmos-predict2-5-14b": 0.06,
        "ltx-2-3-22b-dev": 0.03,
        "wan2-2-ti2v-5b": 0.05,
        "cosmos-predict2-5-2b": 0.22,
        "ltx-2-19b-dev": 0.06,
    }
    assert [check.name for check in audit.checks if check.verdict == CheckVerdict.FAILS] == ["retest", "bias", "order"]
    assert audit.check("order").values[0] == pytest.approx(0.62, abs=0.005)
    assert [check.name for check in audit.checks if check.verdict == CheckVerdict.UNTESTED] == [
        "people",
        "probes",
        "truth",
    ]


def test_order_of_judges_against_people(phyground):
    """Spearman .74 (PhyJudge) and .40 (Gemini) over eight generators."""
    import_scores(phyground)
    people = {line.row.slug: line.figures[0].value for line in board().ranked}
    found = {
        judge: rank_correlation(list(people.values()), [figures("overall", judge)[slug].value for slug in people])
        for judge in ("phyjudge", "gemini", "qwen-untuned")
    }
    assert found["phyjudge"] == pytest.approx(0.74, abs=0.01)
    assert found["gemini"] == pytest.approx(0.40, abs=0.1)


def test_judge_that_says_five_is_named_and_one_that_agrees_with_itself_holds(phyground):
    import_scores(phyground)
    found = audits()
    commonest = found["qwen-untuned"].check("commonest")
    share, step = commonest.values
    assert (round(share, 2), step, commonest.verdict) == (0.77, 5, CheckVerdict.FAILS)
    audit = found["claude"]
    assert audit.check("retest").verdict == CheckVerdict.HOLDS
    assert audit.check("order").verdict == CheckVerdict.UNTESTED  # one generator has no order


def _changed(folder, change):
    """The message about a folder whose first score file is changed by this function."""
    path = next(folder.glob("eval_qwen9b_local*"))
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    with pytest.raises(BadScoresError) as caught:
        import_scores(folder)
    assert not JudgeReading.objects.exists()
    assert not ReportedRow.objects.exists()
    return str(caught.value)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda data: data["results"][2].update(SA=7), "result 3"),
        (lambda data: data["results"][2].update(SA="5"), "SA is '5'"),
        (lambda data: data["results"][2].update(SA=True), "SA is True"),
        (lambda data: data["results"][2].pop("video"), "video is missing"),
        (lambda data: data["results"][2]["physical"]["laws"].update(magic={"score": 1}), "magic"),
        (lambda data: data["results"].append(data["results"][0]), "is there twice"),
        (lambda data: data["results"][2].update(prompt="Something else."), "another text"),
        (lambda data: data.update(results=[]), "no results"),
        (lambda data: data["meta"].pop("video_model"), "video_model"),
    ],
)
def test_bad_file_is_named_and_nothing_is_stored(phyground, change, named):
    message = _changed(phyground, change)
    assert named in message
    assert "eval_" in message


def test_score_that_could_not_be_read_is_counted_and_never_scored(phyground):
    path = next(phyground.glob("eval_qwen9b_local_subq_human_humaneval_set_omniweaving*"))
    data = json.loads(path.read_text())
    for result in data["results"][:25]:
        result["SA"] = None
    path.write_text(json.dumps(data))
    import_scores(phyground)
    figure = figures("SA")["omniweaving"]
    left = [result["SA"] for result in data["results"][25:]]
    assert (figure.counts.n, figure.counts.unread) == (225, 25)
    assert figure.value == pytest.approx(sum(left) / len(left))


def test_judge_that_left_a_dimension_out_has_no_overall_figure(phyground):
    """What is missing is no zero: five sixths of a score would look like a bad one."""
    path = next(phyground.glob("eval_qwen9b_local_subq_human_humaneval_set_omniweaving*"))
    data = json.loads(path.read_text())
    for result in data["results"]:
        result["SA"] = None
    path.write_text(json.dumps(data))
    import_scores(phyground)
    overall, order = figures("overall"), figures("PTV")
    assert "omniweaving" not in overall
    assert order["omniweaving"].value == pytest.approx(2.73, abs=0.005)
    assert overall["veo-3-1"].value == pytest.approx(3.05, abs=0.005)


def test_folder_without_people_is_refused(phyground):
    (phyground / PEOPLE).unlink()
    with pytest.raises(BadScoresError, match="needs people_leaderboard"):
        import_scores(phyground)


def test_folder_goes_in_by_command_and_a_bad_one_is_a_mistake_of_the_caller(phyground, capsys):
    call_command("import_published", str(phyground))
    assert "rows: 8, readings: 36, already there: 0" in capsys.readouterr().out
    next(phyground.glob("eval_qwen9b_local*")).write_text("{")
    with pytest.raises(CommandError, match="eval_qwen9b_local"):
        call_command("import_published", str(phyground))
