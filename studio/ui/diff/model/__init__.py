"""Qt-free model of a diff and its choices: rows, folds, columns, hits."""
