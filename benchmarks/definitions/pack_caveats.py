"""Caveats that depend on a pack's content."""

from benchmarks.definitions.definition import PackContents

PAPER_BOOLEANS, PAPER_A_VIDEO = 0.61, 5.8  # share of true-or-false questions (Table 1, row MFA); 58K of 10K videos
OFF = 0.03  # a share that differs from the paper's by more than this makes another test


def of_craft(contents: PackContents) -> tuple[str, ...]:
    """Small packs have other proportions of answer types than the paper."""
    if not contents.questions or not contents.videos:
        return ()
    booleans = contents.counts.get(("answer", "Boolean"), 0) / contents.questions
    if abs(booleans - PAPER_BOOLEANS) <= OFF:
        return ()
    figures = {
        "booleans": f"{100 * booleans:.0f}",
        "questions": f"{contents.questions:,}",
        "paper_booleans": f"{100 * PAPER_BOOLEANS:.0f}",
        "a_video": f"{contents.questions / contents.videos:.1f}",
        "paper_a_video": f"{PAPER_A_VIDEO:.1f}",
    }
    text = (
        "Scores on this pack do not compare with the paper's Table 1: %(booleans)s %% of its %(questions)s questions"
        " are true or false, in the paper about %(paper_booleans)s %%; it has %(a_video)s questions a video, the paper"
        " %(paper_a_video)s. Chance and the heuristics differ with it."
    )
    return (text % figures,)
