"""Which lines replace code that a model meant to keep, and which only resemble them."""

from __future__ import annotations

import pytest

from studio.engine.risks.placeholders import is_placeholder

PLACEHOLDERS = """\
# ... existing code ...
// ... rest of the code remains the same ...
# ... rest of the file
# ... (unchanged)
<!-- ... rest of content ... -->
// ... keep existing code
/* ... other methods ... */
{/* ... existing elements ... */}
# rest of code unchanged
// Rest of your code here
// ... same as before
# [remaining functions unchanged]
# ... omitted for brevity
-- ... existing statements ...
... existing code ...
\N{HORIZONTAL ELLIPSIS} rest of the file \N{HORIZONTAL ELLIPSIS}
// rest of the implementation stays the same
// other imports...
/* rest of the styles unchanged */
// ...existing code...
; ... rest of config ...
[... rest of file unchanged ...]"""

ORDINARY = """\
...rest,
...existing
const { a, ...rest } = props;
...
# Loading...
# ... and so on
print("loading the rest of the file...")
# the rest of the file is parsed lazily
# TODO: handle other cases
def f(): ...
# See above
return {...state, items}
# Same as above but for bytes
// Skip existing files
# unchanged
# Waiting for other tests...
// the original text is unchanged by this call
foo(...rest)
... # no value"""


@pytest.mark.parametrize("line", PLACEHOLDERS.splitlines())
def test_line_that_replaces_code_is_a_placeholder(line: str) -> None:
    assert is_placeholder(line)


@pytest.mark.parametrize("line", ORDINARY.splitlines())
def test_ordinary_line_is_no_placeholder(line: str) -> None:
    assert not is_placeholder(line)
