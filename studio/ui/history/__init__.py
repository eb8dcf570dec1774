"""History, journal, snapshots, problems, and rollback previews."""
