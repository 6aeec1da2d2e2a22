"""An estimator that learns how a model counts, against the tokenisers of real models."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import anthropic_tokenizer
import bpe_openai
import msgspec
import pytest

from kram.config import Provider
from kram.context import Calibration, Estimator, estimate
from kram.messages import (
    CompletionRequest,
    ImageBlock,
    Message,
    TextBlock,
    ToolResultBlock,
    ToolSpec,
    ToolUseBlock,
    Usage,
)
from kram.providers.embedded import LocalServer

MODEL = "one/m"
PICTURE = ImageBlock(data="eA==")
ROOT = Path(__file__).parents[2]
Count = Callable[[str], int]


def code() -> list[str]:
    return _pieces("".join(path.read_text("utf-8") for path in sorted((ROOT / "kram" / "providers").glob("*.py"))))


def prose() -> list[str]:
    return _pieces("".join((ROOT / name).read_text("utf-8") for name in ("AGENTS.md", "README.md", "LICENSE")))


def rows() -> list[str]:
    rng = random.Random(7)
    made = [
        {
            "id": number,
            "path": f"src/{rng.choice(['core', 'ui', 'api'])}/part_{number}.py",
            "ok": rng.random() < 0.5,
            "score": round(rng.random(), 4),
            "at": f"2026-03-{rng.randrange(10, 29)}T08:00:00Z",
            "sha": f"{rng.getrandbits(80):020x}",
        }
        for number in range(700)
    ]
    return _pieces("\n".join(json.dumps(one) for one in made))


SENTENCES = (
    "这个函数读取配置文件，如果文件不存在就返回默认值。",
    "请先运行测试，然后把失败的那一行发给我看看。",
    "数据库连接超时以后，程序会自动重试三次。",
    "端末に表示される文字はすべてデータとして扱われます。",
    "設定を変更したあとは、もう一度プログラムを起動してください。",
    "この関数は空の一覧を受け取ると例外を投げます。",
    "파일을 저장하기 전에 먼저 변경 사항을 확인해 주세요.",
    "서버가 응답하지 않으면 다른 모델로 다시 시도합니다.",
    "테스트가 모두 통과했는지 확인한 다음에 커밋하세요.",
)


def cjk() -> list[str]:
    rng = random.Random(3)
    return _pieces("".join(rng.choice(SENTENCES) + rng.choice(["", "", "\n"]) for _ in range(2_000)))


def _pieces(text: str, size: int = 3_000) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text) - size, size)]


CORPORA = {"code": code, "prose": prose, "json": rows, "cjk": cjk}


@pytest.fixture(scope="module")
def smollm() -> Iterator[Count]:
    """The embedded model's own tokeniser, asked over the server of llama.cpp."""
    import httpx

    server = LocalServer(Provider(name="local", kind="llama-cpp", key_optional=True))
    url = server.start().removesuffix("/v1")
    client = httpx.Client(headers={"Authorization": f"Bearer {server.key}"}, trust_env=False)

    def count(text: str) -> int:
        return len(client.post(f"{url}/tokenize", json={"content": text}).json()["tokens"])

    yield count
    client.close()
    server.stop()


@pytest.fixture(params=["o200k_base", "cl100k_base", "claude", "smollm"])
def tokenizer(request: pytest.FixtureRequest) -> Count:
    match request.param:
        case "smollm":
            made: Count = request.getfixturevalue("smollm")
        case "claude":
            made = anthropic_tokenizer.count_tokens
        case name:
            made = partial(_length, bpe_openai.get_encoding(name).encode_ordinary)
    return made


def _length(encode: Callable[[str], Sequence[int]], text: str) -> int:
    return len(encode(text))


def asked(texts: Sequence[str]) -> CompletionRequest:
    messages = tuple(Message(role="user", content=(TextBlock(text=one),)) for one in texts)
    return CompletionRequest(system=("You are a careful programmer.",), messages=messages)


def said(request: CompletionRequest) -> list[str]:
    return [block.text for one in request.messages for block in one.content if isinstance(block, TextBlock)]


def reported(request: CompletionRequest, count: Count, *, extra: int = 350) -> int:
    """What a provider would say: the texts, four tokens a message, and instructions of its own."""
    return sum(count(text) + 4 for text in [*request.system, *said(request)]) + extra


def counted(estimator: Estimator, request: CompletionRequest) -> int:
    """As the panel and the trigger do."""
    meter = estimator.meter(MODEL)
    history = sum(meter.count(text) + meter.per_message for text in said(request))
    return meter.fixed(request.system, request.tools) + history


@pytest.mark.parametrize("corpus", sorted(CORPORA))
def test_within_five_percent_after_ten_calls_of_a_growing_session(tokenizer: Count, corpus: str) -> None:
    pieces = CORPORA[corpus]()
    estimator = Estimator()
    for size in range(1, 11):
        request = asked(pieces[:size])
        estimator.observe(MODEL, request, Usage(input=reported(request, tokenizer), output=1))
    for size in range(11, 15):
        request = asked([pieces[at % len(pieces)] for at in range(size)])
        real = reported(request, tokenizer)
        assert abs(counted(estimator, request) - real) / real < 0.05
    assert estimator.of(MODEL).calls == 10


def test_a_session_of_everything_prepares_for_each(tokenizer: Count) -> None:
    """Ten calls of mixed content, then a long session of one kind only, of which it has seen a quarter so far."""
    corpora = {name: make() for name, make in CORPORA.items()}
    mixed = list(itertools.chain(*zip(*(pieces[:3] for pieces in corpora.values()), strict=True)))
    estimator = Estimator()
    for size in range(1, 11):
        request = asked(mixed[:size])
        estimator.observe(MODEL, request, Usage(input=reported(request, tokenizer), output=1))
    for pieces in corpora.values():
        request = asked(pieces[3:15])
        real = reported(request, tokenizer)
        assert abs(counted(estimator, request) - real) / real < 0.12


def test_an_unknown_model_takes_a_token_for_four_bytes() -> None:
    meter = Estimator().meter(MODEL)
    for text in ("", "a", "word " * 100, "日本語"):
        assert meter.count(text) == estimate(text)


def test_what_is_learnt_stays_with_its_model_and_survives_a_restart() -> None:
    estimator, request = Estimator(), asked(code()[:4])
    real = 2 * reported(request, estimate)
    for _ in range(5):
        estimator.observe(MODEL, request, Usage(input=real, output=1))
    plain = msgspec.json.decode(msgspec.json.encode(estimator.export()), type=dict[str, Calibration])
    later = Estimator(plain)
    assert counted(later, request) == counted(estimator, request) == pytest.approx(real, rel=0.05)
    assert later.meter("one/other").count("word") == estimate("word")


@pytest.mark.parametrize("odd", [Calibration(calls=3, weights=(1.0,)), Calibration(calls=3, uncertainty=(1.0, 2.0))])
def test_figures_of_another_shape_are_forgotten(odd: Calibration) -> None:
    assert Estimator({MODEL: odd}).of(MODEL).calls == 0


def test_weights_stay_within_their_bounds_whatever_is_reported() -> None:
    rng = random.Random(5)
    estimator, pieces = Estimator(), code()
    for _ in range(60):
        request = asked(pieces[: rng.randrange(1, 8)])
        estimator.observe(MODEL, request, Usage(input=rng.randrange(1, 10_000_000), output=1))
    words = estimator.meter(MODEL).count("word " * 1_000)
    assert 250 <= words <= 5_000


def test_one_odd_report_moves_little() -> None:
    estimator, pieces = Estimator(), code()
    for size in range(2, 12):
        request = asked(pieces[:size])
        estimator.observe(MODEL, request, Usage(input=reported(request, estimate), output=1))
    request = asked(pieces[:10])
    before = counted(estimator, request)
    estimator.observe(MODEL, request, Usage(input=before * 3, output=1))
    assert counted(estimator, request) < before * 1.1


@pytest.mark.parametrize("usage", [Usage(), Usage(input=0, output=5)])
def test_nothing_is_learnt_from_nothing(usage: Usage) -> None:
    estimator = Estimator()
    estimator.observe(MODEL, asked(["text"]), usage)
    assert estimator.of(MODEL).calls == 0


@pytest.mark.parametrize(
    "picture", [ImageBlock(data="eA=="), ToolResultBlock(tool_use_id="1", images=(ImageBlock(data="eA=="),))]
)
def test_nothing_is_learnt_from_pictures(picture: ImageBlock | ToolResultBlock) -> None:
    estimator = Estimator()
    request = CompletionRequest(messages=(Message(role="user", content=(TextBlock(text="look"), picture)),))
    estimator.observe(MODEL, request, Usage(input=1_700, output=1))
    assert estimator.of(MODEL).calls == 0


def test_a_provider_that_writes_definitions_shorter_is_noticed() -> None:
    """Tool definitions become something else than JSON at many providers; their share is learnt on its own."""
    tools = tuple(
        ToolSpec(
            name=f"tool_{number}",
            description="Does what it says. " * 20,
            parameters={"type": "object", "properties": {}},
        )
        for number in range(12)
    )
    estimator, pieces = Estimator(), code()
    plain = sum(estimate(msgspec.json.encode(one).decode()) for one in tools)
    for size in range(1, 11):
        request = msgspec.structs.replace(asked(pieces[:size]), tools=tools if size % 2 else tools[:4])
        share = plain if size % 2 else plain / 3
        estimator.observe(MODEL, request, Usage(input=reported(request, estimate) + round(share / 2), output=1))
    assert estimator.meter(MODEL).count_tools(tools) == pytest.approx(plain / 2, rel=0.35)


def test_calls_and_results_count_too() -> None:
    estimator = Estimator()
    called = Message(role="assistant", content=(ToolUseBlock(id="1", name="bash", arguments='{"command": "ls -la"}'),))
    result = Message(role="user", content=(ToolResultBlock(tool_use_id="1", text="a line of output\n" * 400),))
    seen = estimator.observe(MODEL, CompletionRequest(messages=(called, result)), Usage(input=2_000, output=1))
    assert seen.counted > 1_500


def test_doubt_is_nothing_at_first_and_never_much() -> None:
    estimator, pieces = Estimator(), code()
    assert estimator.doubt(MODEL) == 0.0
    for number in range(12):
        wild = reported(asked(pieces[:3]), estimate) * (1 + number % 2)
        estimator.observe(MODEL, asked(pieces[:3]), Usage(input=wild, output=1))
    assert estimator.doubt(MODEL) == 0.05


def test_how_good_it_is_in_words() -> None:
    estimator, request = Estimator(), asked(code()[:3])
    assert estimator.quality(MODEL) == "uncalibrated"
    real = reported(request, estimate)
    for _ in range(12):
        estimator.observe(MODEL, request, Usage(input=real, output=1))
    assert estimator.quality(MODEL) == "±1 % after 12 calls"
    for _ in range(8):
        estimator.observe(MODEL, request, Usage(input=round(real * random.Random(_).uniform(0.8, 1.2)), output=1))
    assert estimator.quality(MODEL) not in ("±1 % after 20 calls", "uncalibrated")
