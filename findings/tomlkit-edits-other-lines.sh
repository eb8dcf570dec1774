#!/usr/bin/env bash
# tomlkit moves a table that interrupts an array of tables when it writes unchanged what it read, so that its comment
# is above another one, and takes the comment above the next table out with a deleted one. Both files are valid TOML 1.0.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
python3 -m venv python && python/bin/pip install -q tomlkit==0.15.2

python/bin/python - <<'PYTHON' | tee seen
import tomlkit

print("tomlkit", tomlkit.__version__)
interrupted = "[[rule]]\nname = 1\n\n# of mine\n[mine]\nkey = 1\n\n[[rule]]\nname = 2\n"
print("read and written:", repr(tomlkit.dumps(tomlkit.parse(interrupted))))
commented = "[old]\nkey = 1\n\n# above the table that stays\n[stays]\nkey = 2\n"
document = tomlkit.parse(commented)
del document["old"]
print("old deleted:", repr(tomlkit.dumps(document)))
PYTHON
diff seen - <<'SEEN'
tomlkit 0.15.2
read and written: '[[rule]]\nname = 1\n\n# of mine\n[[rule]]\nname = 2\n[mine]\nkey = 1\n\n'
old deleted: '[stays]\nkey = 2\n'
SEEN
