"""The pieces of a conversation: each renders itself for a width and look, and gives its logical text for copying."""

from .assistant import AssistantBlock
from .block import Block
from .compaction import CompactionBlock
from .diff import Diff, diff_lines, read_diff
from .folding import count, duration, plural
from .notice import NoticeBlock
from .question import QuestionBlock, call_block
from .receipt import CallRecord, ReceiptBlock, money
from .section import SectionBlock
from .thinking import ThinkingBlock
from .tool import FRAME_S, ToolBlock
from .user import UserBlock

__all__ = [
    "FRAME_S",
    "AssistantBlock",
    "Block",
    "CallRecord",
    "CompactionBlock",
    "Diff",
    "NoticeBlock",
    "QuestionBlock",
    "ReceiptBlock",
    "SectionBlock",
    "ThinkingBlock",
    "ToolBlock",
    "UserBlock",
    "call_block",
    "count",
    "diff_lines",
    "duration",
    "money",
    "plural",
    "read_diff",
]
