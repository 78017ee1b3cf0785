"""All analyses, in the order in which their figures are stored with a row."""

from leaderboard.analyses import constrained, effort, likelihood, moments, same_eyes, surprise, twins, wordings

ANALYSES = {
    analysis.name: analysis
    for analysis in (
        likelihood.ANALYSIS,
        same_eyes.ANALYSIS,
        moments.ANALYSIS,
        surprise.ANALYSIS,
        effort.ANALYSIS,
        twins.ANALYSIS,
        wordings.ANALYSIS,
        constrained.ANALYSIS,
    )
}
