"""When people pressed while they watched one clip, as curves beside those of prediction models."""

from collections.abc import Collection

from django.utils.translation import gettext as _

from benchmarks.models import Item
from humantrials.models import Trial
from humantrials.results.moments import presses_at
from leaderboard.charts.surprise_chart import Curve, press_curve


def presses_of(item: Item, trials: Collection[Trial]) -> list[Curve]:
    """A curve of people and one of simulated people, where any pressed in a study that may be read."""
    if item.kind != "plausibility" or item.clip is None:
        return []
    named = ((_("People's presses"), False), (_("Simulated people's presses"), True))
    found = ((name, presses_at(item, trials, is_simulated=is_simulated)) for name, is_simulated in named)
    return [press_curve(name, presses, item.clip.seconds) for name, presses in found if presses]
