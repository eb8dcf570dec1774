"""Read-only pages: files with blame, folders, and applied plans."""
