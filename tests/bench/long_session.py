"""What a long session costs: `python -m tests.bench.long_session [TURNS [WINDOW]]`.

Plays the session of `tests/support/long_session.py` and prints its requests, its compactions by stage and trigger, what the
summaries cost beside the rest, and how long building a view takes.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from tests.support.long_session import WINDOW, Story, play


async def main(turns: int, window: int) -> None:
    story = Story(window=window)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        runtime = await play(Path(folder), turns, story)
        seconds = time.perf_counter() - began
        routes = runtime.routes()
        began = time.perf_counter()
        report = runtime.context_report()
        report_ms = (time.perf_counter() - began) * 1000
        cost = runtime.usage.cost_usd or 0.0
        summaries = sum(one.usage.cost_usd or 0.0 for one in routes if one.purpose == "compaction")
        await runtime.close()
    print(f"{turns} turns in a window of {window}: {story.requests} requests, the largest {story.largest} tokens")
    print(
        f"views shaped anew: {dict(story.stages)}, by {dict(story.triggers)}; {story.summaries} requests for summaries"
    )
    print(f"cost ${cost:.2f}; of the last {len(routes)} calls ${summaries:.2f} for summaries")
    print(
        f"report of {len(report.entries)} items in {report_ms:.1f} ms; {seconds / max(1, story.requests) * 1000:.1f} ms a request"
    )
    for wrong in story.wrong:
        print(f"WRONG: {wrong}")


if __name__ == "__main__":
    arguments = [int(one) for one in sys.argv[1:]]
    asyncio.run(main(*[*arguments, *(300, WINDOW)[len(arguments) :]]))
