#!/bin/bash
# Workers on a Slurm cluster: each task of the array is a GPU box while it runs (docs/deploying.md, "GPU boxes").
#   benchsite join > ~/.benchsite-join && chmod 600 ~/.benchsite-join && sbatch docker/cluster/slurm.sh
# Two minutes before its time limit a task gives its questions back and queues again; when no run has been in progress
# for IDLE seconds it ends and frees its card. Options on sbatch's command line take precedence over those below.
#SBATCH --job-name=benchsite
#SBATCH --array=0-3
#SBATCH --gres=gpu:1
#SBATCH --time=04:00:00
#SBATCH --signal=B:USR1@120
#SBATCH --requeue
#SBATCH --open-mode=append
set -uo pipefail
export JOIN=${JOIN:-$(< "$HOME/.benchsite-join")}
export DATA_DIR=${DATA_DIR:-${TMPDIR:-/tmp}/benchsite-$SLURM_JOB_ID}
task=${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}
in_progress() {
  benchsite shell -v 0 -c 'import sys; from evaluation.runs.lifecycle import in_progress; sys.exit(not in_progress().exists())'
}

mkdir -p "$DATA_DIR"
benchsite serve --only gpu &
worker=$!
is_over=
trap 'is_over=1; kill -TERM $worker' USR1
trap 'kill -TERM $worker' TERM
worked=$SECONDS
while kill -0 $worker 2> /dev/null; do
  sleep "${LOOK:-30}" &
  wait $! # a trap ends it
  if in_progress; then worked=$SECONDS; fi
  [ $((SECONDS - worked)) -lt "${IDLE:-600}" ] || kill -TERM $worker
done
wait $worker
if [ -n "$is_over" ] && in_progress; then
  scontrol requeue "$task"
fi
