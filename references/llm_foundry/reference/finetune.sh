#!/bin/bash
# One program. Usage: finetune.sh CONFIG DATA MODEL OUTPUT
# rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
set -euo pipefail
export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 GIT_PYTHON_REFRESH=quiet
exec python "$(dirname "$0")/finetune.py" "$@"
