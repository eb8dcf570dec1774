<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>AccessibleText</name>
    <message>
        <source>Diff as text</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>Add a note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Allow this folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Allow what the agent asks for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apply plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approve step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approve undecided…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the desktop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask an agent…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask for changes…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the proposed result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to what was read before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Browse the folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose single lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Code at its usual size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colour-blind-safe</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comment on a line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comments on this plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare images in another way</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare with the last round</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect agents…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy commit message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy reply for the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the path of the file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy what I typed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy without signs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deny what the agent asks for…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Diagnostics…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Diff as accessible text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dismiss plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dock</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Documentation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit the result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Facts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter the queue by path…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter the queue…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find in plans, project and history…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find next</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find on this page…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find previous</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First tab of the dock</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fold unchanged lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Font for code…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forget the text you began</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gates of connected agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to line…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to the other end of moved code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide nothing in the queue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep all observed changes…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep what is on disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys of one letter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Larger code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out or take in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave white space out of what is shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look for changes by others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look now at what the command did</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New snapshot…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next pane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next step not viewed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Observed changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On to what was read after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One column</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only this hunk or line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a project…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open in your editor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paste plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preview again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous pane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Problems</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put the forgotten text back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Queue and project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read the file as the step found it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read the file as the step would leave it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read the file, and who wrote its lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rebase</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reject plan…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reject…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repair the pasted text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Roll back…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rules for files…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run a command…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Second tab of the dock</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show in its folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smaller code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Snapshots</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sort the queue…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop the command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch project…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take both</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take in a plan file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take what is proposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Third tab of the dock</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tick a kind of steps…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trust of the project&apos;s own file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try the demo project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo last</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use the text you began</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use this result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Viewed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>White space</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wrap long lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>accept all yes everything</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>accept outside</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>accept yes ok</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ancestor conflict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>annotate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>answer agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>base before old original left side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>begin welcome tutorial tour connect rules demo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>blame annotate author open origin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cancel applying noting abort</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>change modify</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>clear filter reset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>clipboard</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>collapse expand</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>command shell call permit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>command shell call refuse</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>commands actions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>comment message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>conflict merge</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>details warnings information sidebar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>directory list files hidden pattern around</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft discard</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft unsent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>drop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>end kill cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>escape cancel close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>example tutorial sample</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exclude include stage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exclude others stage alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>external code line vscode visual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fault bundle log crash report bug doctor support versions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>file back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>file forward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>focus</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>folder switch repository</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>forward next history</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>git version control</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>history</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>history journal problems</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hunk back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hunk forward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ignore whitespace indentation blank lines hide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>import clipboard insert diff patch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>import diff patch load</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in queue, diff and plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>inline side by side split</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>invisible spaces tabs line ends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>journal log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>jump number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>keep whole state backup checkpoint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lamp doctor proof connect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>manual guide pages errors how</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mend fix correct</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>merge stale conflict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>moved cut paste where from to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>name clipboard</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>observed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>open jump find read path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>order by largest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other proposal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ours mine conflict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>outside unseen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>page down scroll</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>page up scroll</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>partial stage select</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>picture swipe blend difference</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>preferences options configuration limits undo notifications</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>previous history</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>propose sandbox</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reason comment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recent window other waits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>refresh reload stale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>refuse decline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>refuse decline no deny</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>refused stale failed errors warnings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>remove delete close archive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rescan refresh note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>resolve conflict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>restore whole state backup history</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>result after new right side whole</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reveal files explorer finder browse</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>revert reset discard</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>revert roll back history</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>revert undo history</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sandbox shell execute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>screen reader</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>search again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>search files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>search grep everywhere all files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>search hide only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>seen read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>select several group translations all alike folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>send back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>settings allow deny pattern secrets which files try</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>settings gate prove doctor hook disconnect claude codex gemini</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>settings preferences monospace typeface</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>settings rules denied refused open permit packages bin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>settings shortcuts single</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>settings studio.yaml widen allow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>shortcuts bindings settings keyboard hotkeys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sidebar settings panel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>soft word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>talk chat acp</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>test build check run sandbox</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>theirs conflict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>theme settings appearance accessibility</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>theme settings appearance automatic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>theme settings appearance colours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>theme settings appearance colours night</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>threads said lines rounds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>undo decision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unread</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>version previous revision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>write save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>zoom font size</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AgentPanel</name>
    <message>
        <source>Agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask the agent; Ctrl+Enter sends it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In the sandbox</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It works. What it asks for comes into the queue.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It works. What it changes comes into the queue once it has said all.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No agent works here for you.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sessions with agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The command that starts an agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you say to the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{agent}, {age}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{words} (at work)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{words} (waits for you)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{worth}. {why}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AgentRow</name>
    <message>
        <source>Close what is open below first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connected; our entries are to be renewed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Disconnect…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its files can&apos;t be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mend…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not connected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not installed, or not found as {program}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prove gate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Somebody changed our entry</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Something of ours was taken out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it could still do without asking:</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AgentSays</name>
    <message>
        <source>About this plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How the command went, and what it printed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the agent says</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>AgentsPart</name>
    <message>
        <source>Agents that can be connected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This window was started without the agents&apos; doors.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Apply</name>
    <message>
        <source>Applied {files} of {n} plans of this session, “{title}” last.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Applied {files} of “{title}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Applying {done} of {total}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Applying {files}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{title}” was not applied.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Attention</name>
    <message>
        <source>An agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It asks to use {what}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It proposes: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{agent} waits in {project}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} agent waits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} agents wait</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BacklogWords</name>
    <message>
        <source>an agent waits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an apply was interrupted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>another folder is there now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>can&apos;t be read now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its history is damaged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kept by a newer version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kept by an older version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no history</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not there now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing waits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the disk does not answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} agents wait</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} plan to apply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} plan waits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} plans to apply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} plans wait</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Bindings</name>
    <message>
        <source>A whole plan is decided by a button, never by a key.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text fields need {key}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This key is used inside of strips and texts too; it stays.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This works everywhere, also while you type: choose a key with Ctrl or Alt.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What writes files has a key with Ctrl or Alt.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{key} is never the key of a command.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{key} is the key of “{command}”.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BlameGutter</name>
    <message>
        <source>Who wrote the lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not known</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>BuiltInPart</name>
    <message>
        <source>Built-in rules</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Denied: {reason}. Allowed by a rule, or where git&apos;s HEAD has files in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Denied: {reason}. Allowed by a rule.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Locked: {reason}. No rule allows it.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CallStrip</name>
    <message>
        <source>A word to the agent; a denial needs one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Allow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deny</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In {folder}, since {when}. What it does to files can&apos;t be shown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shows the next one that waits; nothing is decided.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text for the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What would be run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{agent} asks to use {tool}, and waits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} more wait.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} more waits.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Calls</name>
    <message>
        <source>Allowed what {agent} asked for.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Denied what {agent} asked for.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChangeCounts</name>
    <message>
        <source>{added} lines added, {removed} removed</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ChangeSheet</name>
    <message>
        <source>As they were, its files are kept: {files}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changes exactly what is shown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is being done.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is being written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its files are being read…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave it as it is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is left to change for {title}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the difference again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This holds the change already: {files}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This just came under your hand; one moment.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To connect {title}, this is put into its configuration:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To disconnect {title}, this is taken out of its configuration:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What changes in {file}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it had changed by then stays; the difference shows what is left to do.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was to do it was killed from outside.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What would be written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write {file}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} is connected.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} is no longer connected.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ClosedPlans</name>
    <message>
        <source>Fold refused and withdrawn plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refused and withdrawn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show refused and withdrawn plans</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CodeFonts</name>
    <message>
        <source>Font for code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fonts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No font of fixed width is called so.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The system&apos;s font for code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{font}, in use</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CommandPanel</name>
    <message>
        <source>A command works on a layer over the project; nothing of it reaches that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Commands</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Propose what a trial writes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The command to run in the sandbox</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try “{title}”</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Copying the project first: {files}, {size}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It begins…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It changed nothing that can be proposed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It has changed nothing so far.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is at work.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is being stopped…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was stopped before it began.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That is no command. Type it as for a shell.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it changed is plan {plan}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it has changed so far is in the queue, as plan {plan}, version {version}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What ran the command was killed from outside; no more of it is known.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>[{size} left out]</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CommentStrip</name>
    <message>
        <source>Comment for the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comment on line {n} as it was before.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comment on line {n} of the result.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It goes to the agent with your decision.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CommentsPanel</name>
    <message>
        <source>Comments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comments on the files of this plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File and line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Round</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was said</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you say about lines of this plan (C) is listed here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Who</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You, draft kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>line {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>line {n} before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{agent} answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{path}, {line}, round {n}, {who}: {text}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CommitMessages</name>
    <message>
        <source>Copied the commit message. The commit is yours.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ConflictPane</name>
    <message>
        <source>Both</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conflict {n} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conflicts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>E to type in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next conflict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On disk now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous conflict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Proposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take proposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is the first conflict.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is the last conflict.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use this result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your lines for this conflict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rebase · 1 conflict open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rebase · all settled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rebase · {open} of {n} conflicts open</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ConflictView</name>
    <message>
        <source> · lines you typed are not used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conflict {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not settled: choose 1, 2 or 3, or edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On disk now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On disk now, result, proposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Proposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>both changed these lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>settled: edited by you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>settled: kept what is on disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>settled: took both</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>settled: took what is proposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lines}, {places}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} line without a conflict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} lines without a conflict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} place merged by itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} places merged by themselves</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Conflicts</name>
    <message>
        <source>Another plan writes this file too. “{title}” of {agent}, step {n}, {path}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>you</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ConsentStrip</name>
    <message>
        <source>Approving takes it unread.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approving takes them unread.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>I accept {n} line that looks like a secret</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>I accept {n} line that was never shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>I accept {n} lines that look like secrets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>I accept {n} lines that were never shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is written may be committed and seen by others.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} line is too long to show.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} line looks like it holds a secret.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} lines are too long to show.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} lines look like they hold secrets.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ContextMenus</name>
    <message>
        <source>Allow this folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Browse it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy commit message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy reply for the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to a file in it…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open in your editor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read it, and who wrote its lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Roll back…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show as it was decided</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show in its folder</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Conversations</name>
    <message>
        <source>Agents can&apos;t be started here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How that agent was started is not known: press Ask to start it anew.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No agent was asked yet: choose one, and press Ask.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That is no command that starts an agent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent can&apos;t be started: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This agent is at work for another window or terminal.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CountBar</name>
    <message>
        <source>{done} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Decided</name>
    <message>
        <source>Approved part of {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approved {file} as you edited it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approved {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rejected {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take back approval of {file}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take back rejection of {file}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take back {n} approvals in “{title}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take back {n} decisions in “{title}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take back {n} rejections in “{title}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Took back the approval of {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Took back the rejection of {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Took back {n} approvals in “{title}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Took back {n} decisions in “{title}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Took back {n} rejections in “{title}”.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DecisionCall</name>
    <message>
        <source>This step changed while you pressed. Nothing was decided. Look again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your decision is being saved. Another process may keep the store busy.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Decisions</name>
    <message>
        <source>Approved {steps} of “{title}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Asked for changes of “{title}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discarded the step for {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dismissed “{title}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rejected “{title}”.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DepartedStrip</name>
    <message>
        <source>Copy what I typed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing can be decided here any more. What you typed is kept; go on when you like.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Departure</name>
    <message>
        <source>Changes of this plan were asked for in another window or on the command line.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan is applied now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan is not kept any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan is {state} now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan was applied in another window or on the command line.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan was dismissed in another window or on the command line.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan was rejected in another window or on the command line.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{agent} has withdrawn this plan.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DiagnosticsPage</name>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied. Nothing was sent: paste it where you want it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Diagnostics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find in this text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is still being put together.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing fits these words.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Putting it together…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text of the diagnostics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first one again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What helps somebody else to find a fault: versions, settings, the log, and the newest entries of the journal, without contents of files. Nothing is sent anywhere: read it, save or copy it, and hand it on yourself.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DiffCanvas</name>
    <message>
        <source>Line {n}, {sign}, {state}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>goes in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>left out</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DiffView</name>
    <message>
        <source> left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After this step · 1 of 1 hunk in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After this step · a new file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After this step · hunk {n} left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After this step · hunk {n}: {taken} of {all} lines in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After this step · hunks {n} left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After this step · nothing goes in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After this step · of hunk {n} only some lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After this step · the file is gone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After this step · the rest is being compared…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After this step · {hunks}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After this step · {n} of {n} hunks in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before · as it was when applied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before · as it was when proposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before · no such file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before · on disk, checked just now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changed at columns {places}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hunk {n} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only a pending step can be changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other steps of the same change need this one whole.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This file stands on one side only.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step is approved. Take that back first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>White space left out of what is shown · {after}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>moved from {path}:{line}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>moved to {path}:{line}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no newline at the end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} hunk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} hunks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} unchanged line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} unchanged lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>… and {n} more characters</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>DiscardStrip</name>
    <message>
        <source>Discard the undo of “{title}” for good?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It frees {size}; the files stay as they are.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} file can&apos;t be rolled back any more ({names}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} files can&apos;t be rolled back any more ({names}).</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Dock</name>
    <message>
        <source>Comments: {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dock</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fold the dock to its tabs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Observed changes: {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Problems: {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the dock again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tabs of the dock</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Editor</name>
    <message>
        <source>Leave hunks out, or reject the step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This text holds line separators that an editor would change.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>EmptyPage</name>
    <message>
        <source>A diff or a JSON plan from any chat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An interrupted apply waits for you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy commit message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy reply for the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>History of all applied plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is not the folder that the history of this project belongs to. Nothing is written until you say that it is the same project.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last decision: “{title}”, applied {when}, {files}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing can be applied until that is settled.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing waits for you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paste a plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans appear here when an agent proposes something, or when you paste one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settle it now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shows each file, and what can be done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take something back…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This folder waits for your word</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was applied, changed and left out, and why</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was applied, for a commit of your own</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>EntriesField</name>
    <message>
        <source>Its value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One more for “{setting}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take out {entry}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tools write there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Yes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{folder} (tools write)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}: {value}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FactLine</name>
    <message>
        <source>Facts</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Facts</name>
    <message>
        <source> with mark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, column {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, guessed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A file is there now that was not there when this step was proposed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A hint, no proof</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A long path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A very long line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agent’s reason</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Allowed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another file has almost this name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Applied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attributes are lost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Becomes executable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By “{rule}”, level {level}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Came in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Characters you cannot see</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Control characters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decided</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Denied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Encoding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File changed since</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Final newline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First seen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Format</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Git is not touched, neither its data nor its index. What a snapshot can&apos;t hold stays.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Has other names</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Holds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In an unknown encoding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Invisible</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It gets its own line in History and can be undone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Letters that look like others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Line ends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Line {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Line {n} before: {text}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Line {n}: {text}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looks like a secret</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Made</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mode</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No file is deleted that was not made by this plan. Git is not touched.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No plan wrote this: it is on disk already, and was seen afterwards.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No rule denies it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is left to decide.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing unusual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Observed, not proposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On a mounted disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only reformatted meanwhile</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Operation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Part of a larger change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Placeholder in place of code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put on the new file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reads differently than it runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refused by a check</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restoring is a change too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rolling back is a change too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs with other rights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SHA-256</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Secrets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Snapshot</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text far to the right</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The disk no longer holds the reviewed base {hash}. The change was not made by a step of ours.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The folder is no longer as it was when this step was proposed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The name holds characters you cannot see</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The name imitates another</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The other one is not held up by it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The other {n} are not held up by it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The owner changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step was refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Viewed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What will not happen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your comments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your reason</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>and {n} more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>binary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>complete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>does not exist</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>holds the result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mixed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no longer kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not readable as text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not searched</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rolled back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>same as base</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{names} stays as it is, because it can&apos;t be looked at.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{names} stays as it is, because it no longer holds what was written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is stale.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} place</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} places</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} step was refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} steps were refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} thing to look out for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} things to look out for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n}, {d} decided</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{places} and more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{v} of {n}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FactsPanel</name>
    <message>
        <source>Facts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Facts about the current step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as you edited it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>part of the proposal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what}, being looked at</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FaultStrip</name>
    <message>
        <source>A decision was on its way: look at its step before you go on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decisions that are shown as made are stored.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Diagnostics…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files are being written: that is finished, or undone as a whole.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on working; if the window behaves oddly, close it and open it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No file is left half written: only Apply writes, and one that is interrupted is finished, or undone as a whole.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No project is open here, and nothing was written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Puts what failed on the clipboard, without the name of your home folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shows what helps to find the fault; you can save it. Nothing is sent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Something in Exacta Studio failed ({times}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Something in Exacta Studio failed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What failed, for whoever mends it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you have typed could not be stored yet: copy it before you close the window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you have typed is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} times</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FilePane</name>
    <message>
        <source>As the plan would leave it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before the plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No plan changed it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On disk now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans that changed this file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This file is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} lines</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Find</name>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>added</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>removed</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Close the search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find next</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find on this page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find previous</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is found.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} of more than {total}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} of {total}, still looking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} place</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} places</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FindPanel</name>
    <message>
        <source>After</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All plans in the queue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Both sides</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changed lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expression</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>History</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines that were found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Match case</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No line fits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type what is to be found. Up and down show each line in the middle.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where to look</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lines}, and more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lines}, the first {n} are listed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} lines</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FirstDayPage</name>
    <message>
        <source>A small program with plans waiting, made for trying: nothing of yours is in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents propose changes of files. You see exactly what would be written, decide, and can take it back. Nothing is sent anywhere.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect agents…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect an agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In any order, and none of them has to be done. Help ▸ First steps shows them again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Local only. Nothing is written before you press Apply, and no agent can press it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a project…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rules…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The demo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try the demo project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it would write then waits here. The lamp at the top says what each gate is worth.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What this is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which paths no agent may change. Without rules of your own the built-in ones hold.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your rules</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>done</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FolderPane</name>
    <message>
        <source>*.py, or folder/*.py</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All of the project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hidden ones</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In the folders below, too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Names like</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing here is called so.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is more than is listed: name a pattern, or a folder in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the folder holds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{folders}, {files}, {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} folders</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>GateLamp</name>
    <message>
        <source>Command line may approve</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gate ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is written before you press Apply.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>config.yaml says review: command_line: allow. Set it to ask to end this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no agent connected</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>GatesPage</name>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command line may approve</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect agents…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gates of connected agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It writes any file, and nobody sees it before.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It writes any file, unseen, where our part of the gate fails.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No agent is connected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the settings…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What a connected agent would write waits here for your word. In a terminal “studio connect claude-code” connects one, and “studio doctor claude-code” tries whether anything passes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whether it can write unseen was not tried with what is there now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>config.yaml says review: command_line: allow. Set it to ask to end this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{agent}: {worth}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>GoBar</name>
    <message>
        <source>1 to {n}, Enter goes there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no lines on this page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no such line; the last one is {n}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>GoToFile</name>
    <message>
        <source>Files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No file of the project is called so.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The files of the project can&apos;t be listed.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>History</name>
    <message>
        <source>By</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changed on disk since it was proposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its undo is not kept any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No undo is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing of this plan is on disk any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Problem</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rebase it, preview it again, or discard the step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refused by a check</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>State</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The old contents of this plan are no longer kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan is rolled back already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo of {n} plan is kept, {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo of {n} plans is kept, {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you can do</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>applied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>applied · can no longer be rolled back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>applied · its undo was discarded by {who}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>applied · rolled back in part</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>applied · undoes {when}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at the next apply that of “{title}” goes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at the next apply {n} go, “{title}” first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>copied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>decided {how}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>empty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for {n} day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for {n} days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mode</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>moved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rolled back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the newest {n} in any case</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>up to {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{added} added, {removed} removed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} file as you edited it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} files as you edited them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{state} · its undo goes at the next apply</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HistoryPanel</name>
    <message>
        <source>A message for your commit of what was applied; no commit is made.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Applied plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard undo…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter shows a plan as it was decided, R rolls it back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter by plan, agent or file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>History</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No row fits; {n} plan is hidden.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No row fits; {n} plans are hidden.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans that were applied are listed here, and can be rolled back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redo…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Roll back…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shows what would happen first; writes nothing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was applied, changed and left out, and why, for the agent.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ImagePair</name>
    <message>
        <source>After this step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comparing the pixels…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Image</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Made smaller, {n} of {all} pixels differ, all within {w} × {h} at {x}, {y}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No pixel differs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One of the images can&apos;t be shown; nothing can be compared.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only what differs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Same size in pixels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file is too large to be shown as an image.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The image is damaged and can&apos;t be shown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The images are not read yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is only one image; nothing can be compared.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is no image of a kind that is shown here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Under a divider</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>before to the left, after to the right of {n} %; ← → or the mouse move it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no such file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the file is gone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} of {all} pixels differ, all within {w} × {h} at {x}, {y}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} pixels higher</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} pixels lower</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} pixels narrower</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} pixels wider</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{w} × {h} pixels are too many to be shown.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Journal</name>
    <message>
        <source>Bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Entry</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hash</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>access denied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by {who}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changed by an agent, outside of the project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>disk full</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>folder not empty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hashes cover time and plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>invalid path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no reply yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not found</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>out of time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>path too long</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>read by an agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>read or write error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{kind}: {words}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} fault</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} faults</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>JournalExport</name>
    <message>
        <source>Contents of files are not.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop ({n} entries written)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The export was stopped; no file was left.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} entries are in {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} entry is in {file}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>JournalPanel</name>
    <message>
        <source>All entries</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deletions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every write that is asked for and answered is listed here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export the journal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Faults</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders and modes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Journal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Journal of what was written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Moves</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No entry fits these words.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Records without a request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which entries are listed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With a reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Without a reply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writes</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>JournalRowButtons</name>
    <message>
        <source>Lists all entries of it, by its id.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Q, S and P list all of a row’s request, step or plan.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>JournalTools</name>
    <message>
        <source>Choose which entries are listed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find by words, path, plan or id</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lists the faults alone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writes all entries to a new file, a line each, without contents of files.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>KeptTexts</name>
    <message>
        <source>Forgot the text you began for {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The step changed while you pressed. Your text is kept and was not used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The text you began for {file} is kept again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your text is the result of {file} now. Look at it and decide.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LanguageChoice</name>
    <message>
        <source>As the system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Counts from the next start on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} can&apos;t be read whole: {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} text stays English: in {file} it has other gaps or signs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} texts stay English: in {file} they have other gaps or signs.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>LoginChoice</name>
    <message>
        <source>Login of {agent}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No login</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The login that is given in the sandbox</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Looking</name>
    <message>
        <source>Changes by others are not listed any more: what looks for them was ended again and again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is listed: noting how the project is was stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again: View, Look for changes by others.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is written before you press Apply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Review</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Version {v}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{project} – Exacta Studio</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>Colours</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NoteBlock</name>
    <message>
        <source>Add a note for the agent…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your note for the agent</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Observed</name>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What no plan wrote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a hint: {hints}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a link now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changed while indexing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>deleted while indexing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>folder is gone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>link is gone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>link leads elsewhere</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>moved from {path}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no link any more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>observed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other permissions</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ObservedChanges</name>
    <message>
        <source>How the project is was not noted, so what others write is not listed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept what was observed in {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept {n} observed changes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looked at the whole project. What others changed is listed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note it later: View, Look for changes by others.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ObservedHeader</name>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revert…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shows what would be written first; writes nothing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file stays as it is, and is not listed any more.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ObservedPane</name>
    <message>
        <source>A group is kept or reverted as a whole.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A link is kept or reverted as a whole.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After reverting {n} hunk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After reverting {n} hunks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As it was</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files of this group</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep all of it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep {n} files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Observed change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Observed: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On disk now, written without a plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revert {n} files…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revert {n} hunks…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revert {n} hunk…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revert…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no changed lines here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This file changed again just now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This file changed while the project was first indexed. What it was before is not known, so there is no diff and no way back.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ObservedPanel</name>
    <message>
        <source>Asks first; the files stay as they are.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changes that no plan wrote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep everything…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Observed changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revert…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shows what would be written first; writes nothing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file stays as it is, and is not listed any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What others write in the project without a plan is listed here.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ObservedStrip</name>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep everything</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep {n} observed change?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep {n} observed changes?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The files stay as they are. From then on they can&apos;t be reverted here.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Opening</name>
    <message>
        <source>An interrupted apply of “{title}” was finished.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An interrupted apply of “{title}” was undone.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>OutputView</name>
    <message>
        <source>What the command prints</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Outside</name>
    <message>
        <source>No editor with a window is known here. Name yours in VISUAL, and start again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This desktop has no program that shows folders.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{editor} could not be started.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>OverviewMap</name>
    <message>
        <source>Overview of the changes</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>OwnSettings</name>
    <message>
        <source>Colours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Font for code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The system&apos;s font for code</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PageBars</name>
    <message>
        <source>Nothing to search on this page</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PaintedRows</name>
    <message>
        <source>A person wrote this line, not the agent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hunk {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>edited by hand</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only white space</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>top of the file</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Palette</name>
    <message>
        <source>Commands</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>F2 changes the key of a row. In a text field Ctrl+Enter is done, Esc closes it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find a key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Press the new key for “{command}”. Esc leaves it, Delete brings the usual one back.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Panes</name>
    <message>
        <source>Conflicts can&apos;t be searched</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The dock has no such tab.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step shows no images.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PartView</name>
    <message>
        <source>Format or agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Names are small letters, digits, hyphens and underscores.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PastPlan</name>
    <message>
        <source>Approved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approved as edited</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approved in part ({part})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent: {words}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>applied {when}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>decided {how}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not decided</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{chosen} of {all} hunks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} comment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} comments</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{verdict} {how}, {when}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{who}, on line {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{who}, on line {n} before</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PastPlanPane</name>
    <message>
        <source>After this step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After this step · as a person edited it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Applied plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Roll back…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shows what would happen first; writes nothing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps of the plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The old contents of this plan are no longer kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan does not stand applied any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan has no steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What this step wrote is not kept any more.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PastePane</name>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Closes the preview; nothing was stored.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied the answer for the agent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the answer for the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fits with one repair: {what}. {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing of this text can be proposed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pasted text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Proposes it; each step waits there for your decision.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put into the queue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repair</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shows the text again with this made good, before anything is stored: {what}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is more. Copy takes all of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What becomes of it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the agent is told</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the text would change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>can&apos;t be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in the queue already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing stored yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} repaired</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{state} · repaired: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what} {file}, {verdict}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PathRow</name>
    <message>
        <source>Words of the path</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>People</name>
    <message>
        <source>at a terminal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by your setting command_line: allow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by {who}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in the window</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PlanPane</name>
    <message>
        <source>Approve undecided…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approve {n} undecided…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approve {steps}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approving writes nothing yet and can be taken back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask for changes…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dismiss plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It deletes {names}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It deletes {n} file: {names}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It deletes {n} files: {names}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look at the first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reject plan…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take back all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Takes it out of the queue for good, with what only it holds.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You have looked at every step that is approved now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You have not looked at {n} of these steps: {names}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} is stale and stays undecided.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} stale steps stay undecided.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} step has a text you began and did not use, and stays undecided.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} step has lines too long to show and stays undecided.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} step looks like it holds a secret and stays undecided.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} steps have lines too long to show and stay undecided.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} steps have texts you began and did not use, and stay undecided.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} steps look like they hold secrets and stay undecided.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PlanTable</name>
    <message>
        <source>Steps of the plan</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PlanTableModel</name>
    <message>
        <source>Lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look out for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your decision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changed on disk since it was proposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>folded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not decided</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>text not used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{chosen} of {all} hunks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} of {all} decided</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} to look at</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PlanTools</name>
    <message>
        <source>Approve {n}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approve…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every step is decided.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fold or unfold every folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Order of the steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reject…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sort by step to see the folders.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sort the steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps that are alike</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The filter hides every step. Empty it with Esc.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tick a kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tick every listed step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tick every listed step (Ctrl+A)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Viewed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words of the path, *.po, is:delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>approved {n} of {all} before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changed files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changed rights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>copied files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>deleted files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lines added at the end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>moved files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not viewed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only added lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only removed lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>to look out for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{word}” is not known. See “Tick a kind” for what is.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>PlanWarnings</name>
    <message>
        <source>Changed on disk since proposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What to look out for in this plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} more to look out for</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ProblemsPanel</name>
    <message>
        <source>Nothing is refused, stale or failed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Problems</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ProofSheet</name>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is being stopped…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It starts in the sandbox, several times, with copies of {files}, without your logins, a network or a real model. Command:
{command}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its own program is started several times, in an empty home and a project made for that. It may take some minutes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its own program is started several times, in the sandbox, with copies of your settings. It may take some minutes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The gate of {title} is being tried…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The gate was not tried.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try in an empty home</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try the gate of {title} with your own settings?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try with your settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was proved before stays as it was.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where {attempt}: {became}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>written</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>written, as it has to be</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} could not be tested with your own settings.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Queue</name>
    <message>
        <source>The filter does not show this. It is listed because it stands on screen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The project and its settings can be read again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You began a text for this; it is not used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>copied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>edited</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>look out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>moved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no longer waits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not viewed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not what the filter shows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one of {n} plans of its session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>text not used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{added} added, {removed} removed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{agent} waits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{agent}, caller gone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{agent}, {n} plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{decided} of {steps} decided</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} new plan arrived.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} new plans arrived.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title}, {agent}, {decided} of {steps} decided</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QueuePanel</name>
    <message>
        <source>No agent proposed these: they are on disk already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans and steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans appear here when an agent proposes something, or when you paste a diff.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Queue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The filter hides every step. Choose “Hide nothing” in its menu.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a folder to confirm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all decided</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an apply to settle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} hidden</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} new</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} observed changes…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} observed change…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} to decide</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>QueueTools</name>
    <message>
        <source>All steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approved steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By path…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose the order</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose which steps are listed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Largest change first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most to decide first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Newest plan first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Oldest plan first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Order of plans and steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans by agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refused steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rejected steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stale steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps as proposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps by path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps by state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps not viewed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps that another plan writes too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps to decide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps to look out for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What to look out for first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which steps are listed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ReadHeader</name>
    <message>
        <source>Back to what was read before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On to what was read after</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Reading</name>
    <message>
        <source>Commit {commit}, by {who}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Commit {commit}, by {who}, or an older one that this shallow clone lacks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No plan and no commit is known to have brought this line.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans that changed it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>approved by {who}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>copied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>made</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>moved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>permissions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>proposed by {agent}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rolled back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>written into the result by {who}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{title}”</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ReadingText</name>
    <message>
        <source>The file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file goes on; this is its beginning.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ReasonStrip</name>
    <message>
        <source>Ask for changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask {agent} for another round. What should be different?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reject every undecided step. What should {agent} know?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reject plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reject step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reject these</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reject this step. What should {agent} know?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reject what is ticked ({steps}). What should {agent} know?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Say why first: the agent gets this text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send my {n} line comment too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send my {n} line comments too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text for the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} steps</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Reasons</name>
    <message>
        <source>A command is at work. Stop it first, or wait for its end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another step of the same change needs a look of its own first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Applying this plan failed. The agent has to propose again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Applying this plan was interrupted. Settle that first, in the strip at the bottom.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changes are asked for; the agent has to propose again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a snapshot first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose an applied plan in History first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the comparison with the earlier round first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the observed change first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the pasted text first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the preview of what would come back first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the rollback preview first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close what you read first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every hunk is left out. Reject the step instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every step of this plan that can be approved is decided.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every step that is left has a begun text, or lines to accept first. Look at each.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every step that is left has lines to accept first. Look at each of them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every ticked step has something to settle or to accept first. Look at each of them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every ticked step is decided. Take that back first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finish or close the editor first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It looks like it holds a secret. Accept that first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It stops before the next file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its hunks can&apos;t be told apart as they were proposed. Decide the step as a whole.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines you typed for conflict {n} are not used. Edit them on and press Done, or choose.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking at the file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No agent asks for a command.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No code in this file is known to have moved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No command is at work for this window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No earlier round changed this file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No editor is open.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No file is chosen. Choose at least one that did not change since.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No observed change is open.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No one repair alone makes what is refused fit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No plan is waiting.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No text that you began is kept for this step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No text that you forgot belongs here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No ticked step has a decision to take back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing has been applied in this project yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing of this plan would be written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing of this text is refused.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing runs that could be stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing stands applied that could be committed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was left by going back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was read before.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only a plan that is refused, withdrawn, rejected, sent back or failed can be dismissed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other steps of the same change need this one whole. Approve or reject them together.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paste a text first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refused by a check. This step cannot be approved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scroll to its end first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a step first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a step, or read a file first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Some lines are too long to show. Accept that first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent has withdrawn this plan.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The conflicts are on show already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The edited result goes in as a whole. Drop the edit to choose hunks.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The edited result is the file as it is. Reject the step instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The editor is open already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file changed again. Leave your lines with Esc, they are kept; then look again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file changed on disk. Close the editor, what you typed is kept; then choose above.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file is another one now. Close the editor and open it again, what you typed is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The project is already like that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The project is being looked at for the first time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The project is being read for a snapshot.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The project&apos;s folder is not there any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The result is as it was proposed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no changed lines here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no conflicts to settle.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no lines to comment on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There was no file before this step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This file stands on one side only; it is taken or left as a whole.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is not text. Approve or reject it as a whole.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This just changed under your hand; one moment.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan has no decision to take back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan is applied. Roll it back in History.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan is being applied.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan is closed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan is rejected. Take that back first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This plan was refused as a whole.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step has no decision to take back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step has no text to edit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step is applied. Roll it back in History.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step is approved. Take that back first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step is not on screen yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step is not stale any more. Go back to it with Esc; what you typed is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step is not stale.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step is rejected. Take that back first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step is rolled back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step leaves no file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This text is repaired. Look at it once more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This window does not look for what others write.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wait until this is done: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What a command writes while a plan is tried is no change of the project.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You began a text for this step that is not used. Use it, edit it on or forget it first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your last decision is being saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} already holds this result. There is nothing to decide.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} changed on disk. Choose what happens next first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} conflict is still to settle.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} conflicts are still to settle.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} step of “{title}” is still to decide.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} steps of “{title}” are still to decide.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Rebase</name>
    <message>
        <source>The step stands on the new file now. It is pending: look at it and decide.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you edited could not be put on it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you edited was put on it too.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RecordBlocks</name>
    <message>
        <source>All of it: studio show PLAN --left-out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Left out of the plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stale: what would be written is another by now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The plan itself changes tests: {files}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The plan itself changes tests: {files} and {n} more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{seconds} s, {ago}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Recovery</name>
    <message>
        <source>Settled {n} interrupted applies.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settled {n} interrupted apply.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This folder is the project from now on.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RecoveryStrip</name>
    <message>
        <source>Finishes the apply, or puts every old file back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is the same project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It was replaced or copied. Nothing is written until you say it is the same one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Later</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing can be applied until then.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans and history go on in this folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is being done.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is not the folder that the history of this project belongs to.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>and {n} more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: it can&apos;t be looked at now; before it was {old}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: somebody else&apos;s work is there, neither {old} nor {new}. It stays.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: the old file is there ({old}); “{title}” was to write {new}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: what “{title}” writes is there already ({new}); before it was {old}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Reply</name>
    <message>
        <source>Copied the reply for {agent}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the agent</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Restore</name>
    <message>
        <source>After restoring</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After reverting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore {n} file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore {n} files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore “{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restored “{name}”: {files}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restoring “{name}”…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revert</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revert a part of {file}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revert {file}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revert {n} file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revert {n} files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revert {n} observed change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revert {n} observed changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reverted what was observed: {files}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reverting what was observed…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The snapshot “{name}” is not there any more. Nothing was restored.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>comes back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gets its old permissions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>goes back to what it was</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stays as it is: {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder comes back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the folder is removed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what}; no plan wrote what is there now</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RestorePane</name>
    <message>
        <source>After restoring</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is kept only as long as the undo of this restore.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On disk now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preview of what would come back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The project is already like that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What would become of each path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writes all of them, or none; this can be undone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} file holds what no plan wrote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} files hold what no plan wrote</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ResultEditor</name>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit the result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you typed is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You are editing lines {first} to {last} of what this step leaves.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You are editing what this step leaves. Type in its lines.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Rollback</name>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep as it is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Merge…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redid {files} of “{title}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redoing {files}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore the old bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rolled back {files} of “{title}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rolling back {files}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the old version beside</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Some files changed since. Choose what goes back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What happens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>comes back with its old bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>goes back, what was written since is replaced</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is deleted with what was written since</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>keeps what was written since, without this plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stays, the old version comes as {path}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RollbackHeader</name>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Closes the preview; nothing was written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Roll back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>preview · nothing written</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RollbackPane</name>
    <message>
        <source>After redoing it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After rolling back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files that would go back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On disk now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preview of a rollback</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redo {n} file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redo {n} files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redo “{title}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Roll back {n} file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Roll back {n} files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Roll back “{title}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What becomes of this file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writes the files; this can be undone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} stays as it is. Choose another way in its row.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RollbackTools</name>
    <message>
        <source>All files that can go back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No file can go back as it is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only files that changed since</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RootWatch</name>
    <message>
        <source>Put it back, or open it where it is now. Nothing is decided meanwhile.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{folder} is back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{folder} is not there any more: it was moved, deleted or unmounted.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RowView</name>
    <message>
        <source>Change {n} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Diff</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Place in the diff</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Place in the lines</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RuleBlock</name>
    <message>
        <source>Rule</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>RuleSheet</name>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files that the rule touches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For none of them anything changes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It speaks of {matched} of {total}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None of {files} of the project.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a project to see which of its files this touches.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first {n} are listed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With the rule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>denied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>may be changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{files} may be changed then.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{files} will be denied.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} that are denied now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} that is denied now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} that may be changed now</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Runner</name>
    <message>
        <source>Nothing was written by it. The log has the details.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Something went wrong inside Exacta Studio.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>A folder whose files are taken as proposals while studio inbox runs; empty for none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A tool that writes at once asks before it deletes. What becomes a plan is decided by you anyway.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After so many minutes an approval that was not applied is asked for again; 0: until something changes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents may change nothing in them. Nothing opens them again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents may not change what matches. Nothing opens it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents whose login a command in the sandbox may be given without asking.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Allowed files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Allowed folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Allowed kinds of files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another name of limits.file_bytes; of two the smaller counts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another name of limits.steps; of two the smaller counts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blocked folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blocked kinds of files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By the name of a program, whether it gets the network in the sandbox without asking.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By the name of an agent, whether the desktop is told when it begins to wait: it is, unless it says false.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes of one file in a plan.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes of one file in plans of this format or agent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes of one name in a path.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes that kept contents may take. At the cap the oldest go, and the window shows which.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes that snapshots and the state that changes are seen against may take.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Commands that are offered for trying a plan before it is applied.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Commands to try plans with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confirm deletions of tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Counts: {value}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Days for which undo is kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deciding in a terminal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deepest path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Denied by default from now on, as secrets/ is; an allowed file opens it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Denied files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Denied to this source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each entry is a name, a colon and patterns: catalogues: *.po *.mo. What matches stands together in a plan.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Encodings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files of these kinds are denied. Nothing opens them again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders allowed in one project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders and files of secrets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders of the project: only these may be changed. Folders elsewhere: tools read them, and write there at once, without a plan, where write is true in your own file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For so many days a plan can be rolled back, however many came after it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hard limits: {low} to {high}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hidden from the sandbox</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How files that match are read and written, where their bytes don&apos;t say.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hunks of one plan&apos;s text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hunks of plans of this format or agent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>If there are any, files of other kinds are denied.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>If there are any, plans of this format or agent change files of these kinds alone. The format file-action starts with .md, which your own list replaces.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inbox</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kinds of files for this source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Largest file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Largest file for this source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Largest file for tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logins for the sandbox</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Longest name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Minutes for which an approval counts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most files at once for tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most hunks for this source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most hunks of a plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most steps for this source</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most steps of a plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most steps of a plan made from a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Names for steps that belong together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Names in one path.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Network for the sandbox</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not observed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note what tools read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Notifications by agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opens a folder that is denied by default, in one project. Secrets, keys and locked files in it stay denied.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opens what is denied by default, such as hidden folders, programs and keys.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paths at which changes from outside are not noted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plans whose undo is kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Room for snapshots</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Room for undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shell commands of agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>So many of the newest plans can be rolled back, however old they are.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps of plans of this format or agent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps of what a text or an agent&apos;s calls propose.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps of what studio makes itself: of a command&apos;s changes, of a folder, of a snapshot.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What a command in the sandbox does not see: paths from the top, from your home (~) or in the project.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What plans of this format or agent may not change, beside what is denied to all.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What tools read is noted in the journal, too. What is written is always noted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ask: a person types the first digits of the plan&apos;s id. allow: nothing is asked, and whatever runs commands as you may approve. off: only the window decides.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ask: each waits for you. deny: all are refused. client: the agent&apos;s own client decides. sandbox: each runs in the sandbox, and what it changes is a plan.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>default</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}, line {line}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{folder} (tools write)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{folder} in {project}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}: {value}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find a setting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No setting is called “{words}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Part</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Parts of the settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings of the part</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} was written. What it says counts from now on.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SettingsParts</name>
    <message>
        <source>A connected agent asks before it changes a file. What it can still do unasked is listed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A project&apos;s own file lowers these at once, and never raises yours.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By format or agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deciding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Encodings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys, fonts and colours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Limits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Notifications</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Observed changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rules for files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sandbox</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first of these decides on a path: outside of the project, locked, denied, allowed, denied by default. Patterns are as in .gitignore. What agents and git are configured with is locked, whatever stands here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The project&apos;s own file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These belong to the window and stand in no configuration file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What agents may do</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What narrows the rules for plans of one format or one agent. An agent names itself, so this is a convenience; what is narrowed by format holds.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SnapshotList</name>
    <message>
        <source>No snapshot was made: you stopped it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Snapshot “{name}” is deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Snapshot “{name}” was made: {files}, {size}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} were freed.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SnapshotPanel</name>
    <message>
        <source>Delete snapshot…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keeps the project&apos;s whole state; changes nothing in it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New snapshot…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shows what would happen first; writes nothing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Snapshot</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Snapshots</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Snapshots of the project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Snapshots take {used} of {cap}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whole states of the project are listed here, and can be restored.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SnapshotStrip</name>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comparing the project with the snapshot</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete snapshot</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete “{name}” for good?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is kept beside the project; nothing in the project changes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its {files}, {size}, can&apos;t be restored any more; the project stays as it is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep the project&apos;s whole state, ignored files too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keeping the project&apos;s state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make snapshot</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it is called, for example: before the migration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the snapshot is called</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Snapshots</name>
    <message>
        <source>but for {n} entries left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>but for {n} entry left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>whole</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SpecialPanel</name>
    <message>
        <source>A symbolic link. What it leads to is not looked at.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An empty folder is made.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Becomes executable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Binary file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Binary file is deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Content</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied, content unchanged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Empty file is deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Encoding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every byte is the same; the first file stays.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every byte stays the same; only the path changes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every character stays the same; the bytes that stand for it change.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File becomes a link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Final newline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder goes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to change 1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to line {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its bytes are in no encoding we can show. Approving takes the file as a whole.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its bytes are kept, so that it can be put back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its lines are compared by their bytes. Bytes that can&apos;t be shown are drawn as boxes below.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Large file: {size}, {lines}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leads to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Led to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Line ends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Line {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Link becomes a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Link goes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Link leads elsewhere</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mode</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Moved, content unchanged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New binary file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New empty file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No longer executable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing can be shown line by line. Approving takes the file as a whole.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing to show</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only line ends differ</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the encoding changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the link goes; what it leads to stays.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the mode changes. A program could then be started from this file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the mode changes. The file can then no longer be started as a program.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only where the link leads changes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only white space differs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read the file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SHA-256</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show as hex</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show white space</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shown without colours. The first change is on line {n}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text in an unknown encoding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The empty folder is removed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file already holds exactly these bytes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file holds no bytes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file holds no bytes; only its name goes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The link goes; what it leads to stays.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>They can make code read differently from what runs. They are drawn as boxes below.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step holds no content.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What a refused step proposed is not kept; the reason stands above.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the file held goes. What the link leads to is not looked at.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>and more; the facts beside the diff name the places</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unknown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} hunk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} hunks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} line changes in spaces and tabs, none in words.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} line ends differently, no other byte changes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} line holds characters you cannot see</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} lines change in spaces and tabs, none in words.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} lines end differently, no other byte changes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} lines hold characters you cannot see</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StartPage</name>
    <message>
        <source>A folder on this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A small program with plans waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Agents propose file changes. </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect an agent…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Local only. Nothing is written before you press Apply, and no agent can press it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a project first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a project…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paste a plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recent projects</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>So that what it would write waits here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try the demo project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You see exactly what would be written, decide, and can take it back.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>States</name>
    <message>
        <source>Line {n}: {said}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>already there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>append</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>applied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>applying</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>approved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>approved in part</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>approved, edited</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changes asked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>create</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>dismissed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mode</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>modify</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>move</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pending</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rejected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rolled back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>withdrawn</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StatusBar</name>
    <message>
        <source>Status</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StepHeader</name>
    <message>
        <source>Approve edited</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approve part</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approve step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approved as edited</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approved, {chosen} of {all} hunks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reject…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Viewed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You began a text for this result, and it is not used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>text not used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{operation} from {path}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StepPane</name>
    <message>
        <source>After this step · as you edit it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After this step · as you edited it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finish or close the text below first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Round {n} compared with round {before} · back to the step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Round {n} · as it was proposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Round {n} · compare with round {before}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Round {n} · this step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is the first change.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is the last change.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What changed in the result since the round before.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You, on line {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You, on line {n} before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>draft kept</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sent</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StepStrip</name>
    <message>
        <source>Allow this folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Applying “{title}” failed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approvals of this plan have become too old.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Approving waits until you choose.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the proposed result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy reply for the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forget</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forgets what you typed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It differs from line {n} on: “{text}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is not approved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keeps that text again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Makes it the result of this step. Nothing is written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Names the reason and says what to do instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was written. Choose what happens next; approving waits for that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only white space and line ends, as a formatter leaves them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opens the editor again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opens the editor with it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preview again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put it back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Puts the step on the new file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Puts the step on the new file. Merges cleanly.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rebase</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refused by a check.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refused by a rule.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Same result, compared with the new file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shows each file it would open first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tells {agent} that the file has moved on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The result stays as it is shown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The step is another one since then; your text is put on it as it is now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The text you began for it is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is nothing to decide or to write.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step cannot be approved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step cannot be approved; the other {n} step is not held up.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step cannot be approved; the other {n} steps are not held up.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What stands on the right is what is written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You began a text for this result, and it is not used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You edited this result.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You forgot the text you began for this result.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} already holds this result.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} changed on disk after this step was proposed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} line differs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} lines differ.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} place conflicts; you settle it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} places conflict; you settle them.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SubBar</name>
    <message>
        <source>Change {n} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find on this page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fold unchanged lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One column</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show white space and line ends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no changed lines here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is the first change.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is the last change.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wrap long lines</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Submission</name>
    <message>
        <source>Copy a diff or plan.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing of it is stored yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pasted plan, {when}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The clipboard holds no text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This text is no plan.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{title}” is here already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{title}” is in the queue.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{title}” would fit if it were repaired.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Switcher</name>
    <message>
        <source>Enter goes there. Delete takes a project from before off this list.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Projects</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>forgotten</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{project}” can&apos;t be opened: {why}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{project}” is not listed any more. Its folder and its history stay.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{project}” is open; close its window first.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Table</name>
    <message>
        <source>Columns</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TickedSteps</name>
    <message>
        <source>Left out {steps} of “{title}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rejected {steps} of “{title}”.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Timeline</name>
    <message>
        <source>applied {when}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>approved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its undo discarded {when}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>proposed {when}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>proposed {when} by {who}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rejected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rolled back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rolled back {when}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sent back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} steps</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Times</name>
    <message>
        <source>Yesterday</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Toolbar</name>
    <message>
        <source>Apply plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a project first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paste plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Toolbar</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo last</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Transcript</name>
    <message>
        <source>! The agent is gone: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It means to do:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its turn ended: {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The agent is gone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinks: {text}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You: {text}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} {version} goes on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title} {version} is here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>• {title} ({status})</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TranscriptView</name>
    <message>
        <source>What was said and done</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Tree</name>
    <message>
        <source>created by {agent}: “{title}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>denied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>observed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>you</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} files with steps, gravest: {word}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TreePanel</name>
    <message>
        <source>Files of the project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only files of plans and of observed changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Project</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TroubleStrip</name>
    <message>
        <source>Not all that is configured has an effect.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open in your editor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} can&apos;t be used as it is. Nothing can be proposed or written until it is mended.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Trust</name>
    <message>
        <source>studio.yaml is not trusted any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>studio.yaml is trusted until one of its bytes changes.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TrustPart</name>
    <message>
        <source>Counts now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It can&apos;t be said while a file can&apos;t be read; see above.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a project to see what its own studio.yaml says.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Setting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take the trust back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file would allow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The project&apos;s own file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This just came under your hand; one moment.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This project has no studio.yaml. Your own configuration counts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trust this file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the file would allow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>line {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>studio.yaml ({hash})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} allows nothing beyond what counts already. There is nothing to trust.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} is not trusted. What it denies and lowers counts; what it would allow does not, and is listed here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} is trusted: all it says counts until one of its bytes changes.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TrustStrip</name>
    <message>
        <source>Asks again once the file has changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look at it…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not this version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing of that counts until you trust this very file. The rest goes on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shows what it would allow, beside what counts now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This project&apos;s studio.yaml would allow more: {settings}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TypedCopy</name>
    <message>
        <source>Copied what you typed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing that you typed about this plan is kept.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TypedField</name>
    <message>
        <source>Result of this step</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>UndoDiscard</name>
    <message>
        <source>“{title}” can&apos;t be rolled back any more.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>UndoGoing</name>
    <message>
        <source> and of {n} more plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> and of {n} more plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The next apply discards the undo of “{title}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is applied next can&apos;t be undone: its undo has no room</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>UndoLast</name>
    <message>
        <source>Nothing has been decided here or applied in this project yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redo “{title}”, {files}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Something else came after it. Roll it back in History.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Takes back the last decision or write.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The old contents of the last plan are no longer kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This decision does not stand any more.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo last</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo last stands for something else by now. Nothing was undone. Look again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo “{title}”, {files}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wait until the history is read again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wait until this is done: {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your last decision is being saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what}. Nothing was written for it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what}: shows first what would be written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what}: writes at once, if the files are as they were left.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ValueField</name>
    <message>
        <source>On</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your own file says nothing of it then</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Walk</name>
    <message>
        <source>Every step in the queue is viewed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That was the first plan.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>That was the last plan.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>WindowActions</name>
    <message>
        <source>, {n} rejected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apply plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apply {files}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close “{page}” first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys of one letter do nothing just now. Click, or stop typing for a second.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No lines are on screen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing that was written last is told here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Noting how the project is: {done} of {total}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of an observed change whole hunks are chosen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a project</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a project first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a step first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Side by side only.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take in a plan file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no lines on this page.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>can be undone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ends the command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{agent} waits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} plan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{plans} of this session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{steps} approved</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>WindowControl</name>
    <message>
        <source>No project is open that this could be for. Nothing was taken in.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a project first, then drop it again.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>WindowHelp</name>
    <message>
        <source>It was not installed with the program; its pages are in the folder docs of the sources.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the diagnostics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved as {file}, for you alone to read. Nothing was sent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The documentation is in {folder}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This desktop has no program that shows pages.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>just now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{age} ago</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} h</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} steps</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Worth</name>
    <message>
        <source>Gate active</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gate not proved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gate open on failure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not protected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tried in an empty home with {version}, {when}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tried with your own settings and {version}, {when}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} agent writes unseen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} agents</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} agents write unseen</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>_Answer</name>
    <message>
        <source>What the agent is told</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>_Rows</name>
    <message>
        <source>Nothing fits these words.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
