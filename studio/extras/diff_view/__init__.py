"""Diffs as the window shows them: rows, folds, changed words, moved blocks."""
