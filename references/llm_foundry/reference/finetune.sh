#!/bin/bash
# One program; for a model of the hub's classes one process a GPU. Usage: finetune.sh CONFIG DATA MODEL OUTPUT
# rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
set -euo pipefail
export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 GIT_PYTHON_REFRESH=quiet
if grep -q 'name: hf_causal_lm' "$1"; then exec composer "$(dirname "$0")/finetune.py" "$@"; fi
exec python "$(dirname "$0")/finetune.py" "$@"
