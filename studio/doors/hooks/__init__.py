"""Hooks of agents' clients: each tool use waits for a decision."""

from studio.doors.gate import Patience
from studio.doors.hooks.answers import answer_text
from studio.doors.hooks.clients import CLIENTS, Client
from studio.doors.hooks.hook import answer, watch_parent

__all__ = ["CLIENTS", "Client", "Patience", "answer", "answer_text", "watch_parent"]
