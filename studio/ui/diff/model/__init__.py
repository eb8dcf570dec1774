"""Qt-free diff model: row layout, folds, columns, search, line selection, moves."""
