"""App folders, restart command, log file, locks and inter-process notifications."""
