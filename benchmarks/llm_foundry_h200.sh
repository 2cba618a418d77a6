#!/bin/bash
# The proof of llm_foundry at `single` on a lent GPU machine, in commands that fit its limits. Usage: llm_foundry_h200.sh STEP OUT [OPTION ...]
#
# Here, once: `pack .` makes .whl, .foundry-tiny and .foundry, which git must ignore (.git/info/exclude), out of the corpus and
# tokenizer of scale `single` and those of scale `test` (`rebench-inspect assets make llm_foundry --scale ...` makes both
# before it refuses a model for GPUs). Then, there, one after another and each within 30 s of the last, or the machine goes back and all is lost:
#   install     carry .whl: the packages (17 s)
#   tiny        carry .foundry-tiny: all three scripts for 8 steps, then one reference with the scorer (140 s; not needed by the others)
#   references  carry .foundry: assets, then the unmodified script on the secret instances
#   distances   honest and other trainings against a reference, for SECONDS at most (500): limits follow from them
#   cases       start, reference, frontier, two cheats, with OPTIONs like `--set length_tolerance=0.01`; said again, it goes on
set -uo pipefail
step=$1 out=$2 scratch=/tmp/foundry
mkdir -p "$scratch"
export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
python=$(command -v python3)
bare="$python -m rebench_inspect.bare llm_foundry --scale single --wheels .whl --set variants=2 --set public_reference=0 --set run_timeout_s=300"

unpack() { mkdir -p "$2"; chmod 755 "$2"; tar -xzf "$1" -C "$2" || exit 1; chmod -R a+rX "$2/public"; chmod 700 "$2/private"; }

script() { # a script by hand: name, folder
    mkdir -p "$scratch/out-$1"
    env -u PYTHONDONTWRITEBYTECODE timeout 200 bash "$2/finetune.sh" "$scratch/short.yaml" "$scratch/tiny/public/foundry" \
        "$scratch/tiny/public/foundry/model" "$scratch/out-$1" >"$scratch/$1.log" 2>&1 ||
        { tail -25 "$scratch/$1.log"; echo "FAILED: $1"; }
    echo "$1: ended after ${SECONDS} s"
}

rm -rf /opt/rebench-bare/scorings/* # of a command that was killed
case $step in # another machine than the last step's: what that made is not here
tiny | references) [ -x /opt/work/bin/python ] || exit 1 ;;
distances | cases) [ -d "$scratch/assets/public" ] || exit 1 ;;
esac
case $step in
pack) # part of the text, since all of it does not travel: every sixth document, long ones cut
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/rebench-inspect/assets
    "$python" -m pip download -q --no-deps --only-binary=:all: --python-version 3.12 --implementation cp -d .whl \
        --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
        --platform manylinux1_x86_64 -r sandboxes/llm_foundry/wheels.txt || exit 1
    mkdir -p .foundry .foundry-tiny
    PYTHONPATH=sandboxes "$cache/python/bin/python" - "$cache" "$scratch/pack" <<'PYTHON' || exit 1
import shutil, sys
from pathlib import Path
from recipes import llm_foundry
from recipes.job import Job

cache, target = map(Path, sys.argv[1:])
shutil.rmtree(target, ignore_errors=True)
real, tiny = target / "real", target / "tiny"
for name in ("private/corpus", "raw/tokenizer"):
    shutil.copytree(cache / "single" / name, real / name)
(real / "public/corpus").mkdir(parents=True)
shutil.copy(cache / "single/public/corpus/dev.txt", real / "public/corpus")
whole = (cache / "single/public/corpus/train.txt").read_text(encoding="utf-8").split("\n\n\n")
kept = [text[:1_000_000].rpartition("\n\n")[0] if len(text) > 1_000_000 else text
        for number, text in enumerate(whole) if number % 6 == 0 or len(text) > 1_000_000]
(real / "public/corpus/train.txt").write_text("\n\n\n".join(kept) + "\n\n\n", encoding="utf-8")
needs, hidden = ({name: cache / "test" / side / name for name in ("corpus", "tokenizer")} for side in ("public", "private"))
sizes = dict(vocabulary=512, context=1024, width=64, layers=2, heads=2, steps=40, sequences=4, rate=0.004, rows=400,
             eval_rows=16, heldout_rows=8, joined=4, seed=3)
folders = [tiny / side / "foundry" for side in ("raw", "public", "private")]
for folder in folders:
    folder.mkdir(parents=True)
llm_foundry.prepare(*folders, Job(needs, hidden, sizes))
PYTHON
    tar -czf .foundry/assets.tar.gz -C "$scratch/pack/real" public private raw
    tar -czf .foundry-tiny/assets.tar.gz -C "$scratch/pack/tiny" public private
    du -sm .whl .foundry .foundry-tiny
    exit
    ;;
install)
    df -h /opt /tmp /dev/shm; free -g
    "$python" -c "import torch; torch.zeros(1).cuda(); print(torch.__version__, torch.backends.cudnn.version())"
    "$python" -c "from pathlib import Path; from rebench_inspect.bare_machine import work_python as w; print(w(Path('.whl'), 'llm_foundry'))" || exit 1
    ;;
tiny)
    unpack .foundry-tiny/assets.tar.gz "$scratch/tiny"
    export PATH=/opt/work/bin:$PATH
    sed 's/^max_duration: .*/max_duration: 8ba/; s/^\(save\|eval\)_interval: .*/\1_interval: 4ba/' \
        tasks/llm_foundry/workspace-cuda/finetune.yaml >"$scratch/short.yaml"
    cp -r tasks/llm_foundry/workspace "$scratch/start"
    script starting "$scratch/start"
    script reference references/llm_foundry/reference
    script frontier references/llm_foundry/frontier
    for name in reference frontier; do
        python tasks/llm_foundry/workspace/compare.py "$scratch/out-$name" "$scratch/out-starting" \
            "$scratch/tiny/public/foundry/model"
    done
    tar -czf "$out/logs.tgz" -C "$scratch" starting.log reference.log frontier.log
    $bare --assets "$scratch/tiny" --parts references --seconds 5 --set run_timeout_s=200  # begins the first one alone: users, filters, NCCL
    ;;
references)
    [ -d "$scratch/assets/public" ] || unpack .foundry/assets.tar.gz "$scratch/assets"
    PYTHONPATH=sandboxes "$python" -m recipes.bare single "$scratch/assets" --only tokenizer foundry || exit 1
    echo "assets: ${SECONDS} s"
    $bare --assets "$scratch/assets" --parts references --seconds $((270 - SECONDS))
    ;;
cases)
    $bare --assets "$scratch/assets" --parts cases --only F08,F07_nine --seconds 390 \
        --json "$scratch/figures.json" "${@:3}"
    cp "$scratch"/figures*.json "$out"/
    ;;
distances)
    timeout "${3:-500}" /opt/work/bin/python benchmarks/llm_foundry_gpu.py "$scratch/assets" "$scratch/distances.json"
    cp "$scratch/distances.json" "$out"/
    ;;
esac
echo "$step: ${SECONDS} s in all"
nvidia-smi --query-gpu=name,memory.used,power.draw --format=csv,noheader
