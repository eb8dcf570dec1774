"""ACP client: conversations with agents whose changes wait for review."""
