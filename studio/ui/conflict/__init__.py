"""Resolution of rebase conflicts: disk version, result, proposed version."""
