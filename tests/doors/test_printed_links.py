"""What the reading doors say of links and bits that a plan of the app's own puts in place: as git says it."""

from __future__ import annotations

from pathlib import Path

from studio.workspace import Reviewer, Workspace
from tests.doors.conftest import CommandLine
from tests.faults.bench import tree
from tests.tools.restoring import plan_to

NEW_LINK = """diff --git a/new b/new
new file mode 120000
--- /dev/null
+++ b/new
@@ -0,0 +1 @@
+studio.yaml
\\ No newline at end of file
"""


def test_a_link_is_its_target_with_git_s_mode(
    studio: CommandLine, project: Path, workspace: Workspace, reviewer: Reviewer
) -> None:
    """In `show`, in the history, in the journal and before a rollback."""
    (project / "file").write_text("text\n")
    (project / "gone").symlink_to("nowhere")
    (project / "sub").mkdir(mode=0o755)
    before = tree(project)
    wanted = {name: entry for name, entry in before.items() if name != "gone"}
    links = dict.fromkeys(("file", "new"), ("link", 511, b"studio.yaml"))
    plan_id = plan_to(workspace, {**wanted, **links, "sub": ("folder", 0o700, b"")})
    reviewer.apply(plan_id)
    steps = {step["path"]: step for step in studio("show", plan_id, "--diff").json["steps"]}
    modes = {path: step.get("mode") for path, step in steps.items()}
    assert modes == {
        "file": ["100644", "120000"],
        "gone": ["120000", None],
        "new": [None, "120000"],
        "sub": None,
    }
    assert steps["new"]["diff"] == NEW_LINK
    assert "old mode 100644\nnew mode 120000\n" in steps["file"]["diff"]
    assert "deleted file mode 120000\n" in steps["gone"]["diff"] and "-nowhere\n" in steps["gone"]["diff"]
    preview = studio("rollback", plan_id, "--dry-run", json=False)
    assert "sub gets its old mode back (0755)" in preview.out.decode()
    for words in (("show", plan_id), ("history",), ("journal",)):
        said = studio(*words, json=False)
        assert said.code == 0, said
