#!/bin/bash
# The proof of fix_embedding at `single` on a lent GPU machine, in commands that fit its limits.
# Usage: fix_embedding_h200.sh STEP OUT [SECONDS]: what was measured lies in OUT before SECONDS (540) are over
#
# Here, once, after `rebench-inspect assets make fix_embedding --scale single` (which makes text and tokens, then says that
# the models want a GPU): `pack .` writes .fix-embedding/text.tar.xz, about 61 MB, which git must ignore (.git/info/exclude).
# There, one after another, the second within 30 s of the first, or the machine goes back and all is lost:
#   assets   carry .fix-embedding: text, tokens, both models; about 8 minutes, and said again it goes on
#   cases    the damage, start, reference, frontier, three cheats, the exact repair; about 8 minutes, said again likewise
set -uo pipefail
step=$1 out=$2 limit=${3:-540} folder=/tmp/fix-embedding
export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
umask 022
recipes() { PYTHONPATH=sandboxes timeout $((limit - 30 - SECONDS)) python3 -m recipes.bare single "$folder" --only "$@"; }

# No xz program there, perhaps, but Python reads it.
unpack() { python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2], filter="fully_trusted")' "$@"; }

keep() { # eight files at most
    for name in large small; do
        for file in curve figures; do cp "$folder/raw/model-$name/$file.json" "$out/$file-$name.json"; done
    done
    cp "$folder"/figures*.json "$folder/private/model-damaged/losses.json" /opt/rebench-bare/made.log "$out"/
} 2>/dev/null

case $step in
pack)
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/rebench-inspect/assets/single
    mkdir -p .fix-embedding
    tar -cf - -C "$cache" public/corpus private/corpus raw/tokenizer | xz -T0 >.fix-embedding/text.tar.xz
    du -sm .fix-embedding
    exit
    ;;
assets)
    mkdir -p "$folder" && chmod 755 "$folder"
    [ -d "$folder/public/corpus" ] || unpack .fix-embedding/text.tar.xz "$folder" || exit 1
    echo "unpacked: ${SECONDS} s"
    recipes tokenizer model-large model-small
    ;;
cases)
    [ -d "$folder/public/corpus" ] || { echo "another machine: the assets are not here"; exit 1; }
    recipes tokenizer model-large model-small && recipes model-damaged || { keep; exit 1; }
    chmod -R a+rX "$folder/public"
    echo "damaged: ${SECONDS} s"
    timeout -s INT -k 10 $((limit - 25 - SECONDS)) python3 -m rebench_inspect.bare fix_embedding --scale single \
        --assets "$folder" --only E09,exact_rows,X04,X05 --json "$folder/figures.json" --seconds $((limit - 120 - SECONDS))
    ;;
esac
keep
echo "$step: ${SECONDS} s in all"
nvidia-smi --query-gpu=name,memory.used,power.draw --format=csv,noheader
