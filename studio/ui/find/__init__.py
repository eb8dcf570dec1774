"""Finding lines across plans, project and history, in the dock."""
