"""Requirements on a test's clips and the reading of their answer, as data for the general checks."""

from collections.abc import Callable
from dataclasses import dataclass, field

from scenes.audit.verdict import Verdict
from scenes.trajectory import Trajectory


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """The expectation of one test; all tuples name roles of bodies."""

    read: Callable[[Trajectory], Verdict]  # returns the answer and the findings specific to this test
    roles: dict[str, int]  # how many bodies have each role
    main: tuple[str, ...] = ()  # subjects of the question; must be in the picture
    movers: tuple[str, ...] = ()
    exits: tuple[str, ...] = ()  # may be outside the picture for a while
    jumpers: tuple[str, ...] = ()  # may jump; judged by `read`
    recoloured: tuple[str, ...] = ()  # may change colour; judged by `read`
    appearing: tuple[str, ...] = ()  # may be absent at the start
    vanishing: tuple[str, ...] = ()  # may come and go; judged by `read`
    turners: tuple[str, ...] = ()  # boxes that may turn; judged by `read`
    excused: tuple[str, ...] = ()  # two roles whose bodies may overlap; judged by `read`
    delay: tuple[float, float] | None = None  # seconds within which the first motion starts
    must_move: bool = True
    known_defects: frozenset[str] = field(default_factory=frozenset)  # checks that the faithful profile fails
