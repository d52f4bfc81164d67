#!/usr/bin/env bash
# What follows the array: the shares put together. It names shares that are missing, and does what they have left.
#SBATCH --job-name=latentropy-merge
#SBATCH --cpus-per-task=4
set -euo pipefail

latentropy merge "${OUT:-run}" --threads "${SLURM_CPUS_PER_TASK:-1}"
