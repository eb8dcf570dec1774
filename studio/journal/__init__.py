"""Journal of file requests and replies: entry types and in-memory journal."""
