"""What a diff shows and what is chosen in it, without a toolkit: cells, rows, folds, columns, hits."""
