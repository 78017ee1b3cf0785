import scenes.opengl  # noqa: F401  mujoco, which this package imports, reads the choice of GL library only once
