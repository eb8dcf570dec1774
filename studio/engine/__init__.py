"""The safety engine: paths, policy, plans, diffs, journal and the one writer. No Qt, no network."""
