"""The site's settings, or what the JSON object OTHER_SETTINGS has in place of some: for programs that tests start."""

import json
import os

from benchsite.settings import *  # noqa: F403

globals().update(json.loads(os.environ["OTHER_SETTINGS"]))
