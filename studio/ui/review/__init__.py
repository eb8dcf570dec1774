"""Controllers and state, without widgets, for reviewing an open project's plans."""
