#!/usr/bin/env bash
# libgit2 reports the files that a sparse checkout leaves out as deleted.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
python3 -m venv env >/dev/null && env/bin/pip install -q pygit2==1.19.0
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

git init -q tree && mkdir tree/in tree/out && echo a > tree/in/a.txt && echo b > tree/out/b.txt
git -C tree add . && git -C tree -c user.name=A -c user.email=a@example.org commit -qm all
git -C tree sparse-checkout set in

env/bin/python - <<'PYTHON' | tee seen
import pygit2
print("pygit2", pygit2.__version__, "libgit2", pygit2.LIBGIT2_VERSION)
repository = pygit2.Repository("tree")
print("status:", {name: int(flags) for name, flags in repository.status().items()})
print("diff:", [delta.status_char() + " " + delta.old_file.path for delta in repository.diff("HEAD").deltas])
PYTHON
echo "git: status $(git -C tree status --porcelain | wc -l) lines, diff $(git -C tree diff HEAD | wc -l) lines" | tee -a seen
# 512: deleted in the work tree.
diff seen - <<'SEEN'
pygit2 1.19.0 libgit2 1.9.1
status: {'out/b.txt': 512}
diff: ['D out/b.txt']
git: status 0 lines, diff 0 lines
SEEN
