"""Scene -> Trajectory: MuJoCo moves the free bodies, the scene's rules move the others."""

import itertools
import math

import mujoco
import numpy as np

from scenes.physics.script import Script, ScriptState
from scenes.scene import STEP, Body, Scene
from scenes.trajectory import Trajectory, described

SUBSTEPS = 10  # a ball at 5 m/s then moves 1 cm a substep, a tenth of its radius
BOUNCE_RATE = 700.0  # 1/s: frequency of a bounce's spring; an impact then lasts 4 ms
# Stiff and strongly overdamped: a body keeps under 2 % of its speed after an impact, and nothing visibly sinks in.
SOFTNESS = (0.005, 3.0)

ROLLING = 0.0005  # metres: rolling resistance, so that a ball comes to rest
# A body that touches something and is this slow for this long is put to rest until something hits it.
REST_SPEED, REST_STEPS = 0.02, 10  # metres a second, recorded steps

SHAPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
}


def simulate(scene: Scene) -> Trajectory:
    """Simulate the scene from start to end; the same scene always gives the same trajectory, bit for bit."""
    return simulate_in(scene, World(scene) if has_free_bodies(scene) else None)


def has_free_bodies(scene: Scene) -> bool:
    return any(body.motion == "free" for body in scene.bodies)


def simulate_in(scene: Scene, world: "World | None") -> Trajectory:
    """Simulate the scene in this world, or by the scene's rules alone if there is none."""
    state, script = ScriptState.at_start(scene), Script(scene)
    steps = round(scene.seconds / STEP)
    record = StateRecorder(scene, steps)
    touching: list[tuple[int, int]] = []
    for step in range(steps):
        record.keep(step, state, touching)
        script.advance(state, step * STEP)
        if world is not None:
            touching = world.advance(state)
    return record.as_trajectory()


class StateRecorder:
    """Collects the states of one run."""

    def __init__(self, scene: Scene, steps: int) -> None:
        bodies = len(scene.bodies)
        self.scene = scene
        self.position = np.zeros((steps, bodies, 3), dtype=np.float32)
        self.orientation = np.zeros((steps, bodies, 4), dtype=np.float32)
        self.colour = np.zeros((steps, bodies, 3), dtype=np.float32)
        self.visible = np.zeros((steps, bodies), dtype=np.bool_)
        self.contacts: list[tuple[int, int, int]] = []

    def keep(self, step: int, state: ScriptState, touching: list[tuple[int, int]]) -> None:
        self.position[step] = state.position
        self.orientation[step] = state.orientation
        self.colour[step] = state.colour
        self.visible[step] = state.visible
        self.contacts.extend((step, first, second) for first, second in touching)

    def as_trajectory(self) -> Trajectory:
        return Trajectory(
            description=described(self.scene),
            time=np.arange(len(self.position), dtype=np.float64) * STEP,
            position=self.position,
            orientation=self.orientation,
            colour=self.colour,
            visible=self.visible,
            contacts=np.array(self.contacts, dtype=np.int32).reshape(-1, 3),
        )


class World:
    """The solid bodies of a scene as one MuJoCo model."""

    substeps = SUBSTEPS

    def __init__(self, scene: Scene) -> None:
        self.columns = [column for column, body in enumerate(scene.bodies) if body.is_solid or body.motion == "free"]
        bodies = [scene.bodies[column] for column in self.columns]
        self.free = [column for column in self.columns if scene.bodies[column].motion == "free"]
        self.guided = [column for column in self.columns if scene.bodies[column].motion == "guided"]
        self.slow_steps = dict.fromkeys(self.free, 0)
        self.model = _model(scene, bodies, self.substeps)
        self.data = mujoco.MjData(self.model)

    def advance(self, state: ScriptState) -> list[tuple[int, int]]:
        """Move the free bodies by one recorded step; returns the pairs of touching bodies."""
        for number, column in enumerate(self.guided):
            self.data.mocap_pos[number] = state.position[column]
            self.data.mocap_quat[number] = state.orientation[column]
        self._launch(state)
        held = [number for number, column in enumerate(self.free) if state.held[column]]
        for count in [1] * self.substeps if held else [self.substeps]:
            self._pin(held, state)
            self.step(count)
        self._pin(held, state)
        for number, column in enumerate(self.free):
            state.position[column] = self.data.qpos[7 * number : 7 * number + 3]
            state.orientation[column] = self.data.qpos[7 * number + 3 : 7 * number + 7]
            state.speed[column] = np.linalg.norm(self.data.qvel[6 * number : 6 * number + 3])
        touching = self._touching()
        self._lay_to_rest(state, touching)
        return touching

    def step(self, count: int) -> None:
        """So many substeps of the engine."""
        mujoco.mj_step(self.model, self.data, count)

    def _launch(self, state: ScriptState) -> None:
        for number, column in enumerate(self.free):
            if velocity := state.launched.pop(column, None):
                self.data.qvel[6 * number : 6 * number + 3] = velocity

    def _pin(self, held: list[int], state: ScriptState) -> None:
        for number in held:
            column = self.free[number]
            self.data.qpos[7 * number : 7 * number + 3] = state.position[column]
            self.data.qpos[7 * number + 3 : 7 * number + 7] = state.orientation[column]
            self.data.qvel[6 * number : 6 * number + 6] = 0.0

    def _lay_to_rest(self, state: ScriptState, touching: list[tuple[int, int]]) -> None:
        """Set the speed of bodies to 0 that have been slow for a while; a later push moves them again."""
        supported = {column for pair in touching for column in pair}
        for number, column in enumerate(self.free):
            is_slow = state.speed[column] < REST_SPEED and column in supported and not state.held[column]
            self.slow_steps[column] = self.slow_steps[column] + 1 if is_slow else 0
            if self.slow_steps[column] > REST_STEPS:
                self.data.qvel[6 * number : 6 * number + 6] = 0.0

    def _touching(self) -> list[tuple[int, int]]:
        # All contacts as one array: one object per contact would add half of the simulation's time.
        pairs = {(min(pair), max(pair)) for pair in self.data.contact.geom.tolist()}
        return sorted((self.columns[first], self.columns[second]) for first, second in pairs)


def _model(scene: Scene, bodies: list[Body], substeps: int) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.option.timestep = STEP / substeps
    spec.option.gravity = scene.gravity
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    for body in bodies:
        _add_body(spec, body)
    for first, second in itertools.combinations(bodies, 2):
        if "free" in (first.motion, second.motion):
            _add_contact(spec, first, second)
    return spec.compile()


def _add_body(spec: mujoco.MjSpec, body: Body) -> None:
    is_guided = body.motion == "guided"
    part = spec.worldbody.add_body(name=body.name, pos=body.position, quat=body.orientation, mocap=is_guided)
    if body.motion == "free":
        part.add_freejoint()
    # contype and conaffinity of 0: only the pairs added below may touch, since their friction is a mean and MuJoCo's
    # own rule is a maximum.
    part.add_geom(name=body.name, type=SHAPES[body.shape], size=_half(body), mass=body.mass, contype=0, conaffinity=0)


def _half(body: Body) -> tuple[float, float, float]:
    """MuJoCo's sizes: half edges, or a radius, or a radius and half a height."""
    x, y, z = (edge / 2 for edge in body.size)
    return (x, z, 0.0) if body.shape == "cylinder" else (x, y, z)


def _add_contact(spec: mujoco.MjSpec, first: Body, second: Body) -> None:
    friction = (first.friction + second.friction) / 2
    spec.add_pair(
        geomname1=first.name,
        geomname2=second.name,
        condim=6 if friction > 0 else 1,
        friction=(friction, friction, 0.001, ROLLING, ROLLING),
        solref=_softness(max(first.bounce, second.bounce)),
    )


def _softness(bounce: float) -> tuple[float, float]:
    """MuJoCo's `solref` of a contact: with bounce, a damped spring that returns this share of the speed."""
    if bounce <= 0:
        return SOFTNESS
    loss = -math.log(bounce)
    damping = loss / math.hypot(math.pi, loss)
    return -(BOUNCE_RATE**2), -2 * damping * BOUNCE_RATE  # negative values: MuJoCo takes stiffness and damping directly
