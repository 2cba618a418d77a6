#!/bin/bash
# Fine-tunes a model on all GPUs. Usage: finetune.sh CONFIG DATA MODEL OUTPUT
# rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
#
#   CONFIG  a file like finetune.yaml           DATA    a folder with train.jsonl and eval.jsonl
#   MODEL   the initial weights, Hugging Face   OUTPUT  folder that receives the trained weights, Hugging Face
set -euo pipefail

config=$1 data=$2 model=$3 output=$4
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 TOKENIZERS_PARALLELISM=false GIT_PYTHON_REFRESH=quiet OMP_NUM_THREADS=8

python "$here/tokenise.py" "$config" "$data" "$model" "$work"
composer "$here/train.py" "$config" "$model" "$work" # as many processes as there are GPUs
python "$here/convert.py" "$model" "$work/checkpoints" "$output"
rm -r "$work"
