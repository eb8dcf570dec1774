"""Features on top of the engine, loaded late: agents, diagnostics, inbox."""
