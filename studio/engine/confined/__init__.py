"""What stands between us and a sandboxed command: the process that leaves the machine's name spaces, and the
first one in the new ones. `engine/sandbox` starts it; nobody else imports it."""
