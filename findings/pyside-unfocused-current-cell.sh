#!/usr/bin/env bash
# PySide6 (Qt widgets), accessibility: the current item of every list reports the state "focused", also while the list has
# no focus. A window with two lists and a text field has three focused objects; only the events name the real one.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
python3 -m venv python && python/bin/pip install -q PySide6-Essentials==6.11.1
QT_QPA_PLATFORM=offscreen python/bin/python - <<'PYTHON' | tee seen
import PySide6
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QLineEdit, QListWidget, QVBoxLayout, QWidget

application = QApplication([])
window = QWidget()
layout = QVBoxLayout(window)
lists = [QListWidget(), QListWidget()]
field = QLineEdit()
for widget in (*lists, field):
    layout.addWidget(widget)
for each in lists:
    each.addItems(["first", "second"])
    each.setCurrentRow(0)
window.show()
window.activateWindow()
field.setFocus()
application.processEvents()
print("PySide6", PySide6.__version__, "focus:", type(application.focusWidget()).__name__)
for each in lists:
    view = QAccessible.queryAccessibleInterface(each)
    print("list focused:", bool(view.state().focused), "its current item:", bool(view.child(0).state().focused))
print("field focused:", bool(QAccessible.queryAccessibleInterface(field).state().focused))
PYTHON
diff seen - <<'SEEN'
PySide6 6.11.1 focus: QLineEdit
list focused: False its current item: True
list focused: False its current item: True
field focused: True
SEEN
