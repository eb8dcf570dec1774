"""History, problems and the preview of a rollback."""
