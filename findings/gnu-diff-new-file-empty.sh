#!/usr/bin/env bash
# GNU `diff -ruN` prints nothing of a file that is empty and in one of the folders only, and exits with 0: with -N an
# absent file counts as an empty one. A patch made so neither adds nor removes it (`__init__.py`, `.gitkeep`).
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
(apt-get download -q diffutils=1:3.8-4 >/dev/null && dpkg-deb -x diffutils_*.deb installed)  # Debian 12
diff() { "$work/installed/usr/bin/diff" "$@"; }
mkdir old new && touch new/__init__.py old/.gitkeep
{ diff --version | head -1; diff -ruN old new && echo "no difference, exit 0"; diff -ru old new || true; } | tee seen
diff seen - <<'SEEN'
diff (GNU diffutils) 3.8
no difference, exit 0
Only in old: .gitkeep
Only in new: __init__.py
SEEN
