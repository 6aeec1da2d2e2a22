"""The looks of an exported page: inline, light and dark by the reader's preference, printable, no script."""

STYLE = """
:root { color-scheme: light dark; --ink: #1f2328; --soft: #59636e; --page: #ffffff; --panel: #f6f8fa; --line: #d1d9e0;
  --person: #0969da; --good: #1a7f37; --bad: #cf222e; --add: #dafbe1; --del: #ffebe9; --hunk: #ddf4ff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9198a1; --page: #0d1117; --panel: #151b23;
  --line: #3d444d; --person: #4493f8; --good: #3fb950; --bad: #f85149; --add: #12261e; --del: #25171c; --hunk: #121d2f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.3; margin: 0; overflow-wrap: anywhere; }
.about { color: var(--soft); font-size: .875rem; margin: .5rem 0 2rem; overflow-wrap: anywhere; }
.said { margin: 1.5rem 0; overflow-wrap: anywhere; }
.who { font-weight: 600; font-size: .875rem; color: var(--soft); }
.user { border-left: 3px solid var(--person); padding-left: 1rem; }
.user .who { color: var(--person); }
.plain { white-space: pre-wrap; }
.note { color: var(--soft); font-size: .875rem; margin: 1rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; background: var(--panel); }
summary { cursor: pointer; padding: .4rem .75rem; overflow-wrap: anywhere; }
details > :not(summary) { margin: 0 .75rem .75rem; }
.name { font-weight: 600; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.soft { color: var(--soft); }
pre, code { font: .8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { background: var(--page); border: 1px solid var(--line); border-radius: 6px; padding: .75rem; overflow-x: auto;
  white-space: pre-wrap; overflow-wrap: anywhere; max-height: 40rem; overflow-y: auto; }
.said pre { background: var(--panel); }
.diff { padding: 0; }
.diff span { display: block; padding: 0 .75rem; min-height: 1.5em; }
.diff .add { background: var(--add); }
.diff .del { background: var(--del); }
.diff .hunk { background: var(--hunk); color: var(--soft); }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .25rem .75rem; text-align: left; }
blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--soft); }
img { max-width: 100%; }
a { color: var(--person); }
@media print { details { break-inside: avoid; } pre { max-height: none; } }
"""
