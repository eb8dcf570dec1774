"""Apply approved plans: gateway, write requests, completion, crash recovery, undo retention."""
