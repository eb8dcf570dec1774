"""Dock panels of history, journal, snapshots, problems, comments, observed changes; rollback previews."""
