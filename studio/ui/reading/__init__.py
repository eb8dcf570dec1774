"""Reading beside deciding: any file with who wrote its lines, and applied plans as they were decided."""
