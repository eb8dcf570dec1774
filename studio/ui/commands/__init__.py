"""The dock's commands: what is run in the sandbox, and what it prints."""
