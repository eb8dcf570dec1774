"""Open project: shared context, agents' tool calls, file list, rollback titles."""
