"""Conflicts of a rebase, settled by hand: on disk now, result, proposed (look.md 4.11)."""
