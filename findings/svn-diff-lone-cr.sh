#!/usr/bin/env bash
# `svn diff` ends lines at a carriage return alone, and writes no line feed there: its hunk counts four lines where
# two end with one. `svn patch` puts it in; `git apply` and GNU patch read it as broken.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
(apt-get download -q subversion=1.14.2-4+deb12u1 libsvn1=1.14.2-4+deb12u1 libapr1 libaprutil1 libutf8proc2 \
     libserf-1-1 >/dev/null
 for each in *.deb; do dpkg-deb -x "$each" installed; done)  # Debian 12
export PATH="$work/installed/usr/bin:$PATH" HOME="$work" GIT_CEILING_DIRECTORIES="$work" LC_ALL=C
export LD_LIBRARY_PATH="$(echo "$work"/installed/usr/lib/*-linux-gnu)"
scheme=file

svnadmin create store && svn checkout -q "$scheme://$work/store" tree && cd tree
printf 'a\rb\nc\rd\n' > f && svn add -q f && svn commit -q -m before
printf 'a\rb\nc\rD\n' > f && svn diff > ../change.diff && svn revert -q f

{
    svn --version -q
    sed -n '/^@@/,$p' ../change.diff | cat -A
    git apply -p0 --check ../change.diff 2>&1 || true
    patch -p0 --dry-run < ../change.diff 2>&1 | sed -n 2p || true
    svn patch ../change.diff && cat -A f
} | tee ../seen
diff ../seen - <<'SEEN'
1.14.2
@@ -1,4 +1,4 @@$
 a^M b$
 c^M-d$
+D$
error: corrupt patch at line 9
patch: **** malformed patch at line 8:  
U         f
a^Mb$
c^MD$
SEEN
