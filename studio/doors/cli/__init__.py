"""The command line: for agents and scripts, and for a reviewer's terminal."""
