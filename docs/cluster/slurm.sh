#!/usr/bin/env bash
# A fit on a Slurm array: eight tasks, each of which does its share of every round and waits for the others in between.
#   array=$(sbatch --parsable slurm.sh) && sbatch --dependency=afterok:"$array" merge.sh
#SBATCH --job-name=latentropy
#SBATCH --array=1-8
#SBATCH --cpus-per-task=4
#SBATCH --time=02:00:00
set -euo pipefail

latentropy fit "${DATA:-votes.csv}" --hidden 3 --restarts 400 --search restarts --seed 1 \
    --shard auto --wait 30m --threads "${SLURM_CPUS_PER_TASK:-1}" --quiet --out "${OUT:-run}"
