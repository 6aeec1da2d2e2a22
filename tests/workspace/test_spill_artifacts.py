"""Long output: bounded in memory, whole on disk, read back in ranges and searched."""

from __future__ import annotations

import random
import stat
import tracemalloc
from pathlib import Path

import pytest

from kram.base import Redactor, SystemClock
from kram.workspace import Artifacts, BadPattern, Capture, NoArtifact
from kram.workspace.spill import not_utf8, text_of

DAY_NS = 86_400 * 10**9


class SetClock(SystemClock):
    at_ns = 0

    def now_ns(self) -> int:
        return self.at_ns


def fed(folder: Path, data: bytes, *, piece: int = 1_000, **limits: int) -> Capture:
    capture = Capture(folder, **limits)
    for start in range(0, len(data), piece):
        capture.feed(data[start : start + piece])
    return capture


@pytest.mark.parametrize("size", [0, 1, 99, 100, 101, 199, 200, 201, 5_000])
@pytest.mark.parametrize("piece", [1, 7, 100, 10_000])
def test_head_tail_and_file_tell_the_whole(size: int, piece: int, tmp_path: Path) -> None:
    data = random.Random(size).randbytes(size)
    capture = fed(tmp_path, data, piece=piece, inline_bytes=100)
    assert capture.total_bytes == size
    assert capture.head() == data[:100]
    assert capture.tail() == data[100:][-100:]
    assert capture.hidden_bytes == max(size - 200, 0)
    assert capture.spilled == (size > 100)
    path = capture.take_file()
    assert (path.read_bytes() if path else data) == data
    assert (path is None) == (size <= 100)


def test_a_spill_is_private_and_goes_when_discarded(tmp_path: Path) -> None:
    folder = tmp_path / "artifacts"
    capture = fed(folder, b"x" * 1_000, inline_bytes=10)
    (path,) = folder.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    capture.discard()
    capture.discard()
    assert list(folder.iterdir()) == []


def test_the_file_stops_at_its_cap_and_the_tail_goes_on(tmp_path: Path) -> None:
    capture = fed(tmp_path, b"a" * 900 + b"z" * 100, inline_bytes=50, disk_bytes=500)
    assert capture.file_bytes == 500
    assert "first 500 bytes" in capture.problem
    assert capture.tail() == b"z" * 50


def test_without_a_place_to_write_head_and_tail_remain(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    capture = fed(tmp_path / "file" / "folder", b"a" * 1_000 + b"z", inline_bytes=50)
    assert capture.problem
    assert capture.tail().endswith(b"az")
    assert capture.take_file() is None


@pytest.mark.parametrize("line", [b"x" * 1_048_576, b"one short line\n" * 70_000])
def test_memory_does_not_grow_with_the_output(line: bytes, tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        capture = Capture(tmp_path, disk_bytes=2_000_000)
        for _ in range(100):
            capture.feed(line)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert capture.total_bytes == 100 * len(line)
    assert peak < 4_000_000
    capture.discard()


def test_text_is_cut_between_characters() -> None:
    data = "äöü€😀".encode()
    for start in range(len(data) + 1):
        for end in range(start, len(data) + 1):
            assert "\ufffd" not in text_of(data[start:end], cut_start=True, cut_end=True)
    assert text_of(b"a\xffb\xe2\x82") == "a\ufffdb\ufffd"
    assert not_utf8(b"a\xffb\xe2\x82") == 2
    assert not_utf8("\ufffdä".encode()) == 0


# --- artifacts ------------------------------------------------------------------------------------------------------


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def artifacts(tmp_path: Path, clock: SetClock) -> Artifacts:
    return Artifacts(tmp_path / "artifacts", clock)


def put(artifacts: Artifacts, data: bytes | Path) -> str:
    return artifacts.put(data, session_id="ses_1", call_id="call_1", tool="bash")


def test_an_artifact_says_whose_it_is_and_is_private(artifacts: Artifacts, clock: SetClock) -> None:
    clock.at_ns = 5
    kept = put(artifacts, b"hello")
    info = artifacts.info(kept)
    assert (info.session_id, info.call_id, info.tool, info.size, info.created_at) == ("ses_1", "call_1", "bash", 5, 5)
    assert {stat.S_IMODE(path.stat().st_mode) for path in artifacts.folder.iterdir()} == {0o600}
    assert stat.S_IMODE(artifacts.folder.stat().st_mode) == 0o700


def test_a_file_is_taken_over(artifacts: Artifacts, tmp_path: Path) -> None:
    source = tmp_path / "output"
    source.write_bytes(b"from a file" * 300_000)
    kept = put(artifacts, source)
    assert not source.exists()
    assert artifacts.info(kept).size == 3_300_000
    assert artifacts.read(kept, -11).text == "from a file"


def test_reading_on_gives_everything_once(artifacts: Artifacts) -> None:
    text = "".join(f"äöü€😀{i}\n" for i in range(500))
    kept = put(artifacts, text.encode())
    said, offset = "", 0
    while True:
        part = artifacts.read(kept, offset, 100)
        said += part.text
        offset = part.next_offset
        if not part.remaining:
            break
    assert said == text
    assert artifacts.read(kept, 10**9).text == ""
    assert artifacts.read(kept, -(10**9), 20).offset == 0


@pytest.mark.parametrize(
    "wrong", ["", "art_", "art_00112233445566778", "../../etc/passwd", "art_0011223344556677", "art_001122334455667\n"]
)
def test_nothing_but_an_id_names_an_artifact(wrong: str, artifacts: Artifacts) -> None:
    put(artifacts, b"x")
    with pytest.raises(NoArtifact):
        artifacts.read(wrong)


async def test_lines_are_found_with_their_place(artifacts: Artifacts) -> None:
    text = (
        "".join(f"line {i}\n" for i in range(1, 20_001)) + "an Error here\n" + "x" * 100_000 + "needle" + "x" * 50_000
    )
    kept = put(artifacts, text.encode())
    (found,) = await artifacts.search(kept, r"\berror\b", ignore_case=True)
    assert (found.line, found.text) == (20_001, "an Error here")
    assert artifacts.read(kept, found.offset, 13).text == "an Error here"
    (found,) = await artifacts.search(kept, "needle")
    assert "needle" in found.text
    assert len(await artifacts.search(kept, "line 1", limit=7)) == 7
    assert await artifacts.search(kept, "nowhere") == []
    with pytest.raises(BadPattern):
        await artifacts.search(kept, "[")


def test_what_is_old_expires(artifacts: Artifacts, clock: SetClock) -> None:
    old = put(artifacts, b"old")
    clock.at_ns = 6 * DAY_NS
    young = put(artifacts, b"young")
    (artifacts.folder / "art_00000000000000aa.bin").write_bytes(b"no description")
    (artifacts.folder / "somebody-elses").touch()
    clock.at_ns = 8 * DAY_NS
    assert artifacts.expire() == 1
    with pytest.raises(NoArtifact):
        artifacts.read(old)
    assert artifacts.read(young).text == "young"
    assert (artifacts.folder / "somebody-elses").exists()


def test_secrets_are_taken_out_before_anything_is_stored(tmp_path: Path, clock: SetClock) -> None:
    secret = "sk-ant-" + "a1B2" * 8
    artifacts = Artifacts(tmp_path, clock, Redactor(["hunter2hunter2"]))
    filler = b"filler \xff line\n" * 200_000
    kept = put(artifacts, filler + f"key={secret} pw=hunter2hunter2\n".encode() + filler)
    stored = (tmp_path / f"{kept}.bin").read_bytes()
    assert secret.encode() not in stored
    assert b"hunter2hunter2" not in stored
    assert stored.count(b"filler \xff line\n") == 400_000
