"""Review of stored plans: staleness, chosen and edited results, rebases."""
