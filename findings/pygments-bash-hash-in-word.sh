#!/usr/bin/env bash
# Pygments, lexer for shells: a # inside a word begins a comment where the part before it ends with a quote, `)`, `}` or an
# escaped blank. Shells begin one only where a word begins, so that what is drawn as a comment runs.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
python3 -m venv python && python/bin/pip install -q pygments==2.21.0

cat > lines <<'LINES'
echo "a"#b; echo ran
echo $(echo a)#b; echo ran
x=a; echo ${x}#b; echo ran
echo a\ #b; echo ran
echo a#b; echo ran
LINES
while IFS= read -r line; do
    printf '%s' "$line" > script
    bash script | tail -1 | tr '\n' ' '
    LINE=$line python/bin/python - <<'PYTHON'
import os

import pygments
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment

tokens = get_lexer_by_name("bash").get_tokens(os.environ["LINE"])
print("pygments", pygments.__version__, [text for kind, text in tokens if kind in Comment])
PYTHON
done < lines | tee seen
diff seen - <<'SEEN'
ran pygments 2.21.0 ['#b; echo ran\n']
ran pygments 2.21.0 ['#b; echo ran\n']
ran pygments 2.21.0 ['#b; echo ran\n']
ran pygments 2.21.0 ['#b; echo ran\n']
ran pygments 2.21.0 []
SEEN
