"""Features on top of the engine: sandbox, snapshots, file tools, change observation."""
