#!/bin/bash
# Builds Box2D for polygons of 128 corners into var/box2d-polygons (a minute): the original's circles, which the wheel of
# Box2D 2.3.10 refuses. Box2D 2.3.8 is the last release whose source the registry has; its circles move as those of
# 2.3.10 do (docs/benchmarks/craft.md). Needs a C++ compiler and Python's headers (Debian: g++, python3-dev).
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/${1:-var/box2d-polygons}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=$PWD/.venv/bin/python
cat > "$work/source.txt" <<'PINS'
box2d-py==2.3.8 --hash=sha256:bdacfbbc56079bb317548efe49d3d5a86646885cc27f4a2ee97e4b2960921ab7
PINS
"$python" -m pip download --quiet --require-hashes --no-deps --no-binary :all: --dest "$work" -r "$work/source.txt"
tar -xzf "$work/box2d-py-2.3.8.tar.gz" -C "$work"
sed -i 's/\(#define b2_maxPolygonVertices\s*\)16/\1128/' "$work/box2d-py-2.3.8/Box2D/Common/b2Settings.h"
"$python" -m pip install --quiet --target "$work/tools" setuptools==65.5.0 wheel==0.48.0 swig==4.5.1
PYTHONPATH="$work/tools" PATH="$work/tools/bin:$PATH" "$python" -m pip install --quiet --no-deps --no-build-isolation \
    --upgrade --target "$out" "$work/box2d-py-2.3.8"
PYTHONPATH="$out" "$python" -c "import Box2D; assert Box2D.b2_maxPolygonVertices == 128; print('$out')"
