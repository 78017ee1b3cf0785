"""Test 12: did the ball get behind the plank that closes a corner?"""

from scenes.audit.geometry import first_true, is_hidden, jump_of, surface_distances
from scenes.audit.objects.covered_tray import aim_of, corner_findings, rolling_findings, side_of
from scenes.audit.verdict import Expectation, Finding, Verdict
from scenes.trajectory import Trajectory

INSIDE = 0.01  # metres
CLOSED = 0.02  # metres between the plank's ends and the walls


def read(trajectory: Trajectory) -> Verdict:
    (ball,), (plank,) = trajectory.with_role("ball"), trajectory.with_role("barrier")
    jump = jump_of(trajectory, ball)
    findings = rolling_findings(trajectory, ball, jump) + corner_findings(trajectory, ball)
    findings += _plank_findings(trajectory, plank)
    end = len(trajectory) - 1
    if aim_of(trajectory, ball) != side_of(trajectory, ball, end):
        findings += (Finding("motion", "the ball is not found in the corner to which it ran"),)
    passages = [
        frame for frame in (first_true(surface_distances(trajectory, ball, plank) < -INSIDE), jump) if frame is not None
    ]
    is_behind = side_of(trajectory, ball, end) == side_of(trajectory, plank, end)
    if is_behind != bool(passages):
        findings += (Finding("solidity", "the ball is neither kept out by the plank nor through it"),)
    if not is_behind:
        return Verdict("plausible", findings=findings)
    frame = min(passages, default=None)
    if frame is not None and not is_hidden(trajectory, ball, frame):
        findings += (Finding("hidden", "the ball passes through the plank in plain view", frame),)
    return Verdict("implausible", frame, "the ball gets through a solid plank into a closed corner", findings)


def _plank_findings(trajectory: Trajectory, plank: int) -> tuple[Finding, ...]:
    """The plank must close the corner between end wall and side wall, be as high as a ball and stay hidden at first."""
    (wall,) = trajectory.with_role("wall")
    (floor,) = trajectory.with_role("floor")
    side = min(float(surface_distances(trajectory, plank, other)[0]) for other in trajectory.with_role("side"))
    findings = []
    if (
        max(side, float(surface_distances(trajectory, plank, wall)[0])) > CLOSED
        or surface_distances(trajectory, plank, floor)[0] > CLOSED
    ):
        findings.append(Finding("geometry", "the plank does not close its corner"))
    if trajectory.description.bodies[plank].size[2] < 0.2:
        findings.append(Finding("geometry", "the plank is too low"))
    if not is_hidden(trajectory, plank, 0):
        findings.append(Finding("early", "the plank can be seen before the cover opens", 0))
    if is_hidden(trajectory, plank, len(trajectory) - 1):
        findings.append(Finding("sight", "the plank can't be seen at the end"))
    return tuple(findings)


EXPECTATION = Expectation(
    read=read,
    roles={"ball": 1, "barrier": 1, "cover": 1, "curtain": 1, "wall": 1, "side": 2, "floor": 1},
    main=("ball",),
    movers=("ball", "cover"),
    exits=("ball",),  # it waits under its cover, which may reach beyond the picture
    jumpers=("ball",),
    excused=("ball", "barrier"),
    delay=(0.0, 2.0),
    known_defects=frozenset({"early"}),  # published: the plank's end can look out from under the cover
)
