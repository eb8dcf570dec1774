#!/usr/bin/env bash
# Dulwich writes a change of mode as `old file mode` and `new file mode`, which are no headers of git's: `git apply`
# finds no patch in it, and GNU patch says that it checks the file and leaves its mode alone.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_CEILING_DIRECTORIES="$work"
python3 -m venv python && python/bin/pip install -q dulwich==1.2.21

git init -q tree && cd tree
printf 'one\n' > run && git add run && git -c user.name=a -c user.email=a@b commit -q -m before
chmod +x run && git add run
../python/bin/python - > ../change.diff <<'PYTHON'
import sys
from dulwich import porcelain
porcelain.diff(".", staged=True, outstream=sys.stdout.buffer)
PYTHON
git -c user.name=a -c user.email=a@b stash -q

{
    echo "dulwich $(../python/bin/python -c 'import dulwich; print(*dulwich.__version__, sep=".")')"
    sed -n 2,3p ../change.diff
    git apply ../change.diff 2>&1 || true
    patch -p1 < ../change.diff 2>&1 || true
    stat -c 'mode %a' run | sed 's/6[0-7]*$/without x/'
} | tee ../seen
diff ../seen - <<'SEEN'
dulwich 1.2.21
old file mode 100644
new file mode 100755
error: No valid patches in input (allow with "--allow-empty")
patching file run
mode without x
SEEN
