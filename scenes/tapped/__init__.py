"""Our own audiovisual clips in PACS' layout: objects of ten materials tapped, dropped, scraped and rolled."""

import scenes.opengl  # noqa: F401  mujoco, which this package imports, reads the choice of GL library only once
