import os

# Read once, when torch is imported. Threads that spin while they wait make torch six times slower as soon as anything
# else wants a core, and beside a web server something always does.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

# More than two slow small models down, and leave the site nothing; the usual variable can say one.
THREADS = min(2, os.cpu_count() or 1, int(os.environ.get("OMP_NUM_THREADS") or 2))
