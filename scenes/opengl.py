"""Chooses MuJoCo's off-screen renderer. Import it before `mujoco`, which reads the choice only once."""

import ctypes.util
import os
from pathlib import Path


def _best() -> str:
    has_gpu = any(Path("/dev").glob("nvidia[0-9]*")) or Path("/dev/dri/renderD128").exists()
    has_egl, has_osmesa = ctypes.util.find_library("EGL"), ctypes.util.find_library("OSMesa")
    return "egl" if has_egl and (has_gpu or not has_osmesa) else "osmesa"


os.environ.setdefault("MUJOCO_GL", _best())
# Mesa's drawing threads do not survive a fork: a forked worker would wait for them for ever. Threads are not needed,
# because clips are made in one process per core.
os.environ.setdefault("LP_NUM_THREADS", "0")
