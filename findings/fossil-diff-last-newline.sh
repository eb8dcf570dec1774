#!/usr/bin/env bash
# `fossil diff` does not say that a file ends without a newline: a newline that was added there has no hunk, and the
# diff of a last line that never had one is refused by `git apply` and GNU patch on the very file it was made from.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
(apt-get download -q fossil=1:2.21-1+deb12u1 libtcl8.6 libfuse2 >/dev/null
 for each in *.deb; do dpkg-deb -x "$each" installed; done)  # Debian 12
export PATH="$work/installed/usr/bin:$PATH" HOME="$work" USER=a GIT_CEILING_DIRECTORIES="$work"
export LD_LIBRARY_PATH="$(echo "$work"/installed/usr/lib/*-linux-gnu)"

mkdir tree && cd tree && printf 'one\ntwo' > f
{ fossil init ../store; fossil open -f ../store; fossil add f; fossil commit -m before --no-warnings; } > ../log
printf 'one\ntwo\n' > f && fossil diff > ../newline.diff
printf 'one\n2' > f && fossil diff > ../line.diff
printf 'one\ntwo' > f

{
    fossil version | sed 's/ \[.*//'
    echo "the newline: $(grep -c '^@@' ../newline.diff || true) hunks"
    sed -n 5,9p ../line.diff
    git apply -p0 ../line.diff 2>&1 || true
} | tee ../seen
diff ../seen - <<'SEEN'
This is fossil version 2.21
the newline: 0 hunks
@@ -1,2 +1,2 @@
 one
-two
+2

error: patch failed: f:1
error: f: patch does not apply
SEEN
