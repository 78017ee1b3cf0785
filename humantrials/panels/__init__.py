"""Panels send participants: each reads its own parameters from the entry URL."""

from humantrials.panels.arrival import Arrival, NotLetIn, WayBack
from humantrials.panels.framed import FRAMED
from humantrials.panels.generic import GENERIC, read_arrival
from humantrials.panels.invited import INVITED
from humantrials.panels.panel import Panel
from humantrials.panels.prolific import PROLIFIC

__all__ = ["PANELS", "Arrival", "NotLetIn", "Panel", "WayBack", "find_panel", "read_arrival"]

PANELS: dict[str, Panel] = {panel.name: panel for panel in (GENERIC, INVITED, PROLIFIC, FRAMED)}


def find_panel(name: str) -> Panel:
    return PANELS[name]
