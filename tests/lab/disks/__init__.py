"""Real file systems, and what becomes of plans on them."""
