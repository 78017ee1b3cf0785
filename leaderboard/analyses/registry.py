"""All analyses, in the order of the links below boards."""

from leaderboard.analyses import constrained, effort, likelihood, moments, same_eyes, surprise, twins, wordings

ANALYSES = {
    analysis.name: analysis
    for analysis in (
        likelihood.ANALYSIS,
        surprise.ANALYSIS,
        twins.ANALYSIS,
        moments.ANALYSIS,
        same_eyes.ANALYSIS,
        effort.ANALYSIS,
        constrained.ANALYSIS,
        wordings.ANALYSIS,
    )
}
