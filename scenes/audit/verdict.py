"""The result of an audit, and what a test requires of its clips."""

from collections.abc import Callable
from dataclasses import dataclass, field

from scenes.trajectory import Trajectory


@dataclass(frozen=True)
class Finding:
    """A violation of the test's requirements; `check` names the rule, `frame` the first recorded state."""

    check: str
    what: str
    frame: int | None = None

    def __str__(self) -> str:
        return self.what if self.frame is None else f"{self.what} (first at state {self.frame})"


@dataclass(frozen=True)
class Verdict:
    """The answer read from the motion, and the state in which physics was first broken, if any."""

    label: str
    violation_frame: int | None = None
    what: str = ""
    findings: tuple[Finding, ...] = ()


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
