"""Adapters that ask models: a folder for each provider, and modules for baselines."""

import os

# torch reads this once, when it is imported. Waiting threads that spin make torch six times slower as soon as another
# process needs a core, and a web server on the same machine always does.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# More than two threads slow small models down and leave the site no core; OMP_NUM_THREADS sets another number.
THREADS = min(2, os.cpu_count() or 1, int(os.environ.get("OMP_NUM_THREADS") or 2))
