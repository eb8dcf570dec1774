#!/usr/bin/env bash
# libgit2 finds another work tree when a repository is opened by the folder that its own search returned.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
python3 -m venv env >/dev/null && env/bin/pip install -q pygit2==1.19.0
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

mkdir data && git init -q --separate-git-dir=data/git tree && echo text > tree/notes.txt
git -C tree add notes.txt && git -C tree -c user.name=A -c user.email=a@example.org commit -qm notes

env/bin/python - <<'PYTHON' | tee seen
import os, pygit2
print("pygit2", pygit2.__version__, "libgit2", pygit2.LIBGIT2_VERSION)
opened = {"by the folder found": pygit2.discover_repository("tree"), "by the work tree": "tree"}
for how, path in opened.items():
    repository = pygit2.Repository(path)
    status = {name: int(flags) for name, flags in repository.status(untracked_files="no").items()}
    print(f"{how}: work tree {os.path.relpath(repository.workdir)}, status {status}")
PYTHON
echo "git: status $(git --git-dir=data/git --work-tree=tree status --porcelain | wc -l) lines" | tee -a seen
# 512: deleted in the work tree.
diff seen - <<'SEEN'
pygit2 1.19.0 libgit2 1.9.1
by the folder found: work tree data, status {'notes.txt': 512}
by the work tree: work tree tree, status {}
git: status 0 lines
SEEN
