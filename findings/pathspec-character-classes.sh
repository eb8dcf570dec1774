#!/usr/bin/env bash
# pathspec ends a bracket of a .gitignore pattern at the first `]` behind its first member: the named classes of
# POSIX and an escaped bracket, which git reads, match other names there, or none, and nothing is raised.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_CEILING_DIRECTORIES="$work"
python3 -m venv python && python/bin/pip install -q pathspec==1.1.1

git init -q tree
{
    echo "pathspec $(python/bin/python -c 'import pathspec; print(pathspec.__version__)')"
    printf '%s\n' 'log[[:digit:]].txt log1.txt' 'log[[:digit:]].txt logd].txt' 'part[a\]].bin parta.bin' '[0-9].log 7.log' |
        while read -r pattern name; do
            printf '%s\n' "$pattern" > tree/.gitignore
            git=$(git -C tree check-ignore -q "$name" && echo ignored || echo kept)
            peer=$(python/bin/python -W ignore - "$pattern" "$name" <<'PYTHON'
import sys
from pathspec import GitIgnoreSpec
pattern, name = sys.argv[1:]
print("ignored" if GitIgnoreSpec.from_lines([pattern]).match_file(name) else "kept")
PYTHON
            )
            echo "$pattern $name: git $git, pathspec $peer"
        done
} | tee seen
diff seen - <<'SEEN'
pathspec 1.1.1
log[[:digit:]].txt log1.txt: git ignored, pathspec kept
log[[:digit:]].txt logd].txt: git kept, pathspec ignored
part[a\]].bin parta.bin: git ignored, pathspec kept
[0-9].log 7.log: git ignored, pathspec ignored
SEEN
