"""What is published of prediction models on GRASP, by others and on the official clips: printed, never computed here.

Garrido et al. (arXiv 2502.11831) draw their figures; the notebook of their repository, facebookresearch/
jepa-intuitive-physics at commit 41fbfff, prints the ends of the last bar of each chart. Its issues say what is known.
"""

from leaderboard.comparison.report_section import ReportedFigure

REPOSITORY = "https://github.com/facebookresearch/jepa-intuitive-physics"
BEST_CONTEXT = "each property at its best length of context, chosen on the same clips"
PAIRED = "clips paired by number: official pairs differ in more than the violation"
REPORTED = {
    "grasp": (
        ReportedFigure(
            name="V-JEPA-H",
            figure="64.3–68.4",
            about="interval over 2,048 pairs; the mean is drawn, not printed",
            source="figures.ipynb, Figure 1",
            link=f"{REPOSITORY}/blob/41fbfff6c52d5bc27c8731fa0f12250b49b34e63/figures.ipynb",
            caveat=f"{BEST_CONTEXT}; {PAIRED}",
        ),
        ReportedFigure(
            name="V-JEPA-L, context of 2 frames",
            figure="60.6–64.7",
            about="interval over 2,048 pairs; the mean is drawn, not printed",
            source="figures.ipynb, ablation of the context",
            link=f"{REPOSITORY}/blob/41fbfff6c52d5bc27c8731fa0f12250b49b34e63/figures.ipynb",
            caveat=PAIRED,
        ),
        ReportedFigure(
            name="VideoMAEv2-g",
            figure="",
            about="drawn, not printed",
            source="Figure 1; issues 4 and 7, open",
            link=f"{REPOSITORY}/issues/4",
            caveat=(
                "the published code sets the model's predictions to zero before the loss, which then measures the"
                " pixels alone; who ran it without that line got other accuracies on IntPhys"
            ),
        ),
        ReportedFigure(
            name="V-JEPA-H, on IntPhys' dev set",
            figure="",
            about="another benchmark",
            source="issue 8, open",
            link=f"{REPOSITORY}/issues/8",
            caveat=(
                "a reader's runs: by the mean 65.0 to 96.7, by the maximum 46.7 to 73.3; the paper prefers the maximum"
                " for single clips"
            ),
        ),
    )
}
