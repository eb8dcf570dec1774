#!/usr/bin/env bash
# `git diff -B -M` can print a diff that `git apply` refuses on the very tree that it was made from: a file whose
# name another file takes by a rename is not in it where an equal file is the source of its own rename.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_CEILING_DIRECTORIES="$work"
(apt-get download -q git=1:2.39.5-0+deb12u3 >/dev/null && dpkg-deb -x git_*.deb installed)  # Debian 12
export GIT_EXEC_PATH="$work/installed/usr/lib/git-core" PATH="$work/installed/usr/bin:$PATH"
lines() { seq -f "$1 line %g" 40; }

git init -q tree && cd tree
mkdir a && lines alpha > a/x && lines alpha > b && lines beta > c
git add . && before=$(git write-tree)
git rm -q --cached -r . && rm -rf a b c
lines alpha > a && lines beta > b
git add . && after=$(git write-tree)
git diff-tree -p -B -M "$before" "$after" > ../change.diff
git read-tree "$before" && rm -rf a b && git checkout-index -a

{ git --version; sed -n 's/^\(rename\|deleted\)/&/p' ../change.diff; git apply ../change.diff 2>&1 || echo "refused"; } | tee ../seen
diff ../seen - <<'SEEN'
git version 2.39.5
rename from a/x
rename to a
rename from c
rename to b
error: b: already exists in working directory
refused
SEEN
