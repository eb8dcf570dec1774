#!/usr/bin/env bash
# regex in VERSION0, its mode that is compatible with re: braces behind a character that hold a word of fuzzy matching
# are no text, as for re, but allow errors. The same expression is taken by both and matches other lines.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
python3 -m venv python && python/bin/pip install -q regex==2026.11.19

python/bin/python -W ignore - <<'PYTHON' | tee seen
import re

import regex

print("regex", regex.__version__)
for expression, line in ((r"f{e}", "print f{e} here"), (r"\${d}", "cp ${d}/file"), (r"f{n}", "print f{n} here")):
    print(expression, *(f"{module.__name__} {module.search(expression, line).group()!r}" for module in (re, regex)))
PYTHON
diff seen - <<'SEEN'
regex 2026.11.19
f{e} re 'f{e}' regex 'p'
\${d} re '${d}' regex ''
f{n} re 'f{n}' regex 'f{n}'
SEEN
