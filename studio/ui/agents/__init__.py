"""AI agents in the window: connecting, testing their write blocking, chat sessions."""
