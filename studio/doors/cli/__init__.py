"""The command line: submit and look for agents and scripts, decide and write for a person at a terminal."""
