"""From a draft to a stored plan: every step checked against the project; nothing decided, nothing written."""
