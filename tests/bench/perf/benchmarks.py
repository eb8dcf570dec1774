"""Every benchmark, by name."""

from __future__ import annotations

from tests.bench.perf.applying import APPLYING
from tests.bench.perf.blaming import BLAME
from tests.bench.perf.comparing import COMPARING
from tests.bench.perf.confining import CONFINING
from tests.bench.perf.decoding import LADDER_ASCII, LADDER_CRLF, LADDER_UTF8
from tests.bench.perf.diff_view import DIFF_VIEW
from tests.bench.perf.finding import FINDING
from tests.bench.perf.footprint import MCP_MEMORY, WINDOW_MEMORY
from tests.bench.perf.hooking import HOOK_READ, HOOK_REFUSED, HOOK_TOLD, HOOK_WAITS
from tests.bench.perf.layering import CHANGES
from tests.bench.perf.observing import OBSERVING
from tests.bench.perf.opening import OPEN, WALK
from tests.bench.perf.panels import PLAN_TREE, QUEUE, TREE
from tests.bench.perf.patching import GUARD, PATCH_DRY, PATCH_ONE, READ_FEW, READ_MEMORY, READ_MUCH
from tests.bench.perf.refusing import REFUSING
from tests.bench.perf.replies import REPLIES
from tests.bench.perf.reviewing import REVIEW, REVIEW_OPEN
from tests.bench.perf.ruling import POLICY
from tests.bench.perf.scrolling import SCROLL
from tests.bench.perf.searching import ENTRIES, GLOB, GREP, GREP_ALONE, GREP_REGULAR, NAMES
from tests.bench.perf.serving import MCP
from tests.bench.perf.starting import FS_READ, INSTALLED_START, INSTALLED_VERSION, START, VERSION
from tests.bench.perf.streaming import STREAM
from tests.bench.perf.tools import TOOL_LIST, TOOL_READ
from tests.bench.perf.trying import TRYING
from tests.bench.perf.trying_rules import RULE_TRIAL
from tests.bench.perf.watching import WATCHING
from tests.bench.perf.writing import CHECKOUT, WRITE

BENCHMARKS = (
    *(
        START,
        VERSION,
        INSTALLED_START,
        INSTALLED_VERSION,
        FS_READ,
        *(MCP, MCP_MEMORY, WINDOW_MEMORY),
        *APPLYING,
        WRITE,
        CHECKOUT,
        SCROLL,
        POLICY,
        RULE_TRIAL,
    ),
    *(HOOK_READ, HOOK_REFUSED, HOOK_WAITS, HOOK_TOLD),
    *(LADDER_ASCII, LADDER_UTF8, LADDER_CRLF),
    *(READ_FEW, READ_MUCH, READ_MEMORY, GUARD, PATCH_ONE, PATCH_DRY),
    *COMPARING,
    *REFUSING,
    *REPLIES,
    *DIFF_VIEW,
    QUEUE,
    PLAN_TREE,
    TREE,
    OPEN,
    WALK,
    *(NAMES, ENTRIES, GLOB, GREP, GREP_REGULAR, GREP_ALONE, STREAM),
    CHANGES,
    BLAME,
    REVIEW,
    REVIEW_OPEN,
    *FINDING,
    *CONFINING,
    TRYING,
    *WATCHING,
    *OBSERVING,
    *(TOOL_READ, TOOL_LIST),
)
