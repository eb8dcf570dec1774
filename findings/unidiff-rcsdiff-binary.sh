#!/usr/bin/env bash
# `rcsdiff -u` names a binary file with dates and revisions, as its headers of text files. unidiff reads
# "Binary files a and b differ" without them as one file; of the line of rcsdiff it sees no file, and raises nothing.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
(apt-get download -q rcs=5.10.1-1 >/dev/null; dpkg-deb -x rcs_*.deb installed)  # Debian 12
export PATH="$work/installed/usr/bin:$PATH" HOME="$work" USER=a TZ=UTC
python3 -m venv venv && venv/bin/pip -q install unidiff==1.0.1

printf '\0\1' > logo && ci -q -l -t-x logo < /dev/null && printf '\0\2' > logo && touch -d 2026-01-02 logo
rcsdiff -u logo > with-dates.diff 2> log || true
diff -u /dev/null logo > without.diff || true

{
    rcsdiff --version | sed -n '1s/.*\(5[0-9.]*\).*/RCS \1/p'
    venv/bin/pip list 2> log | sed -n 's/^unidiff  */unidiff /p'
    for each in with-dates without; do
        sed -E 's/[0-9]{4}.[0-9]{2}.[0-9]{2} [0-9:]{8}/DATE/g' "$each.diff"
        venv/bin/python -c "import sys, unidiff
print(len(unidiff.PatchSet(open('$each.diff', encoding='latin-1'))), 'files')"
    done
} | tee seen
diff seen - <<'SEEN'
RCS 5.10.1
unidiff 1.0.1
Binary files logo	DATE	1.1 and logo	DATE differ
0 files
Binary files /dev/null and logo differ
1 files
SEEN
