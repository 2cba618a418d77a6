#!/bin/bash
# The proof of fix_embedding at `single` on a lent GPU machine, in commands that fit its limits. Usage: fix_embedding_h200.sh STEP OUT
#
# Here, once, after `rebench-inspect assets make fix_embedding --scale single` (which makes text and tokens, then says that
# the models want a GPU): `pack` writes .fix-embedding/text.tar.xz, about 61 MB, which git must ignore (.git/info/exclude).
# There, one after another, the second within 30 s of the first, or the machine goes back and all is lost:
#   assets   carry .fix-embedding: text, tokens, both models; about 8 minutes, and said again it goes on
#   cases    the damage, start, reference, frontier, two cheats, the exact repair; about 9 minutes, said again likewise
set -uo pipefail
step=$1 out=$2 folder=/tmp/fix-embedding
export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
recipes() { PYTHONPATH=sandboxes timeout $((540 - SECONDS)) python3 -m recipes.bare single "$folder" --only "$@"; }

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
    [ -d "$folder/public/corpus" ] || tar -xJf .fix-embedding/text.tar.xz -C "$folder" || exit 1
    echo "unpacked: ${SECONDS} s"
    recipes tokenizer model-large model-small
    ;;
cases)
    recipes model-damaged || exit 1
    echo "damaged: ${SECONDS} s"
    python3 -m rebench_inspect.bare fix_embedding --scale single --assets "$folder" --only E09,P20_hard,exact_rows,half \
        --json "$folder/figures.json" --seconds $((450 - SECONDS))
    cp "$folder"/figures*.json "$out"/
    for name in large small; do cp "$folder/raw/model-$name/curve.json" "$out/curve-$name.json"; done
    cp "$folder/private/model-damaged/losses.json" "$out"/
    ;;
esac
echo "$step: ${SECONDS} s in all"
nvidia-smi --query-gpu=name,memory.used,power.draw --format=csv,noheader
