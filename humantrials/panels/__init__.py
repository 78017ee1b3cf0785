"""Panels send participants: each reads its own parameters from the entry URL."""

from humantrials.panels.framed import FRAMED
from humantrials.panels.generic import GENERIC
from humantrials.panels.invited import INVITED
from humantrials.panels.panel import Panel
from humantrials.panels.prolific import PROLIFIC

__all__ = ["PANELS", "Panel"]

PANELS: dict[str, Panel] = {panel.name: panel for panel in (GENERIC, INVITED, PROLIFIC, FRAMED)}
