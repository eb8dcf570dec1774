"""Every benchmark, by name."""

from __future__ import annotations

from tests.perf.applying import APPLYING
from tests.perf.blaming import BLAME
from tests.perf.comparing import COMPARING
from tests.perf.confining import CONFINING
from tests.perf.decoding import LADDER_ASCII, LADDER_CRLF, LADDER_UTF8
from tests.perf.diff_view import DIFF_VIEW
from tests.perf.finding import FINDING
from tests.perf.hooking import HOOK_READ, HOOK_REFUSED, HOOK_TOLD
from tests.perf.layering import CHANGES
from tests.perf.observing import OBSERVING
from tests.perf.opening import OPEN, WALK
from tests.perf.panels import PLAN_TREE, QUEUE, TREE
from tests.perf.patching import GUARD, PATCH_DRY, PATCH_ONE, READ_FEW, READ_MEMORY, READ_MUCH
from tests.perf.refusing import REFUSING
from tests.perf.replies import REPLIES
from tests.perf.ruling import POLICY
from tests.perf.scrolling import SCROLL
from tests.perf.searching import ENTRIES, GLOB, GREP, GREP_ALONE, GREP_REGULAR, NAMES
from tests.perf.serving import MCP
from tests.perf.starting import FS_READ, INSTALLED_START, INSTALLED_VERSION, START, VERSION
from tests.perf.streaming import STREAM
from tests.perf.tools import TOOL_LIST, TOOL_READ
from tests.perf.trying import TRYING
from tests.perf.trying_rules import RULE_TRIAL
from tests.perf.watching import WATCHING
from tests.perf.writing import CHECKOUT, WRITE

BENCHMARKS = (
    *(
        START,
        VERSION,
        INSTALLED_START,
        INSTALLED_VERSION,
        FS_READ,
        MCP,
        *APPLYING,
        WRITE,
        CHECKOUT,
        SCROLL,
        POLICY,
        RULE_TRIAL,
    ),
    *(HOOK_READ, HOOK_REFUSED, HOOK_TOLD),
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
    *FINDING,
    *CONFINING,
    TRYING,
    *WATCHING,
    *OBSERVING,
    *(TOOL_READ, TOOL_LIST),
)
