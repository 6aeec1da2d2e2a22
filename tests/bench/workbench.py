"""`python -m tests.bench.workbench [RUNS]`: the context workbench over 2,000 items, in one process without a terminal.

open     from F2 to a laid-out list: the report counted, every item placed, the first screen of rows made
filter   from a typed letter to the narrowed list
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from textual.app import App
from textual.widgets import Input

from kram.messages import Kind, entry
from kram.runtime import Runtime
from kram.tui.dialogs.workbench import Workbench
from kram.tui.themes import load_themes, stylesheets
from kram.tui.widgets.rows import RowList
from tests.support.opened import opened

ITEMS = 2_000


class Host(App[None]):
    def __init__(self) -> None:
        super().__init__(css_path=[str(path) for path in stylesheets()])
        for theme, _ in load_themes().values():
            self.register_theme(theme)
        self.theme = "kram-dark"


async def figures(runtime: Runtime) -> tuple[float, float]:
    app = Host()
    async with app.run_test(size=(120, 40)) as pilot:
        began = time.perf_counter()
        await app.push_screen(Workbench(runtime))
        rows = app.screen.query_one(RowList)
        rows.render_line(0)
        open_s = time.perf_counter() - began
        await pilot.pause()
        began = time.perf_counter()
        app.screen.query_one(Input).value = "9"
        app.screen.on_input_changed()
        rows.render_line(0)
        return open_s, time.perf_counter() - began


async def main(runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with opened(Path(folder), '[[steps]]\ntext = "Yes."') as (runtime, _):
            for number in range(ITEMS // 2):
                runtime._bench.record.append(
                    entry(Kind.USER, f"What comes after {number}? " + "please " * 40),
                    entry(Kind.ASSISTANT, f"It is {number + 1}. " + "indeed " * 80, model="script/script"),
                )
            measured = [await figures(runtime) for _ in range(runs)]
    for name, values in zip(("open", "filter"), zip(*measured, strict=True), strict=True):
        spread = f"{min(values) * 1000:.0f} to {max(values) * 1000:.0f}"
        print(f"{name:<8} {statistics.median(values) * 1000:6.0f} ms   ({spread}, {runs} runs, {ITEMS} items)")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
