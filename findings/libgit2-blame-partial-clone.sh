#!/usr/bin/env bash
# libgit2 gives every line to the newest commit where objects of the history are missing, without an error.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
python3 -m venv env >/dev/null && env/bin/pip install -q pygit2==1.19.0
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

git init -q origin && git -C origin config uploadpack.allowFilter true
for name in Anna Bert Cleo; do
    echo "line of $name" >> origin/notes.txt && git -C origin add notes.txt
    git -C origin -c user.name=$name -c user.email=$name@example.org commit -qm "$name"
done
git clone -q --no-local --filter=blob:none origin clone

env/bin/python - <<'PYTHON' | tee seen
import pygit2
print("pygit2", pygit2.__version__, "libgit2", pygit2.LIBGIT2_VERSION)
for hunk in pygit2.Repository("clone").blame("notes.txt"):
    print("libgit2:", hunk.lines_in_hunk, "lines of", hunk.final_committer.name)
PYTHON
# git fetches the missing objects, so it comes last.
git -C clone blame --line-porcelain notes.txt | sed -n 's/^author /git: 1 line of /p' | tee -a seen
diff seen - <<'SEEN'
pygit2 1.19.0 libgit2 1.9.1
libgit2: 3 lines of Cleo
git: 1 line of Anna
git: 1 line of Bert
git: 1 line of Cleo
SEEN
