"""Everything one shell call is judged against: the policy, its rules, where the call runs, and the account around it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from kram.base import Data, Intent, Target, resolve

from .globs import path_fits
from .paths import Around, is_protected, is_secret, judge_target
from .policy import Policy
from .rules import Rule
from .shell.model import UNKNOWN, Command
from .verdict import SEVERITY, Call, Decision

MAX_CDS = 3
_SEPARATORS = re.compile(r"[=,:@]")
_ADDRESS = re.compile(r"(?:^|(?<=[=,]))(?!file:)[a-z][a-z0-9+.-]*://[^\s,]*", re.IGNORECASE)
_GLUED = re.compile(r"-{1,2}[A-Za-z](?=[/~.])")
_LONGEST_PATH = 4096


class Scene(Data):
    """`rules` are those about the call's tool. `folders`: where a command of the call may run, `cd` followed."""

    call: Call
    policy: Policy
    rules: tuple[Rule, ...]
    around: Around
    root: Path
    folders: tuple[Path, ...]

    @property
    def auto(self) -> bool:
        return self.policy.mode == "auto"

    def target(self, path: str, intent: Intent, folder: Path) -> Target:
        extra = [Path(one) for one in self.call.roots]
        return resolve(path, intent, root=self.root, extra_roots=extra, cwd=folder)

    # --- words as paths -------------------------------------------------------------------------------------------

    def path_objection(self, word: str, *, writes: bool = False) -> str:
        """Why a literal word may not be taken as the path it could be: outside, secret, or closed by a rule for files.

        `writes`: the program may change what it is given, so that protected paths count too.
        """
        if word == "/dev/null" or not word:
            return ""
        bare = _ADDRESS.sub("", word)
        pieces = {bare, bare.partition("=")[2], *_SEPARATORS.split(bare), _GLUED.sub("", bare)} - {"", "/dev/null"}
        for piece in sorted(pieces):
            if is_secret(piece):
                return f"{piece} may hold secrets"
            if piece.startswith("~"):
                return f"{piece} is outside the project"
            whole = piece == bare and not bare.startswith("-")
            suspicious = whole or piece.startswith("/") or ".." in piece.split("/")
            if suspicious and (problem := self._leads_out(piece, writes)):
                return problem
        return ""

    def _leads_out(self, path: str, writes: bool) -> str:
        if not self.call.root:
            return "nobody said where the project is" if "/" in path or ".." in path else ""
        if len(path) > _LONGEST_PATH:
            return "" if not path.startswith("/") and "../" not in path else "a path that is too long"
        for folder in self.folders:
            if self._plain_and_missing(path, folder):
                continue
            target = self.target(path, "read", folder)
            if not target.inside:
                return f"{path} is outside the project" + (" through a link" if target.via_link else "")
            if target.via_link and is_secret(target.real):
                return f"{path} leads to {target.real}, which may hold secrets"
            if writes and is_protected(target, self.around):
                return f"{path} is protected: it can make programs run or change what is permitted"
            if rule := self._file_rule(target):
                return f"the rule {rule} is about {path}"
        return ""

    def _plain_and_missing(self, name: str, folder: Path) -> bool:
        """A bare name that nothing in the folder has leads nowhere; most words are like that."""
        if "/" in name or name.startswith(".") or self.has_file_rules:
            return False
        try:
            os.lstat(f"{folder}/{name}")
        except FileNotFoundError:
            return folder == self.root
        except (OSError, ValueError):
            return False
        return False

    @property
    def has_file_rules(self) -> bool:
        return any(rule.decision != "allow" and rule.fits_tool("read_file") for rule in self.policy.rules)

    def _file_rule(self, target: Target) -> str:
        """A deny or ask for reading files holds for literal words of commands too."""
        for rule in self.policy.rules:
            if rule.decision == "allow" or rule.any_call or not rule.fits_tool("read_file"):
                continue
            if path_fits(target, rule.pattern, self.around.home, wide=True):
                return str(rule)
        return ""

    def open_objection(self, text: str, tilde: bool) -> str:
        """In the automatic mode: what the known part of a word that is not fully known gives away."""
        if tilde or text.startswith(f"{UNKNOWN}/"):
            return f"{text.replace(UNKNOWN, '…')} may be outside the project"
        for piece in text.split(UNKNOWN):
            if piece and (problem := self.path_objection(piece)):
                return problem
        return ""

    # --- writing --------------------------------------------------------------------------------------------------

    def write(self, path: str) -> tuple[Decision, str]:
        """What is decided for a redirection that writes: the policy for writing files decides."""
        if not self.call.root:
            return "ask", f"it writes to {path}"
        worst: tuple[Decision, str] = ("allow", "")
        for folder in self.folders:
            target = self.target(path, "write", folder)
            found = self._write_to(target)
            if SEVERITY[found[0]] > SEVERITY[worst[0]]:
                worst = found
        return worst

    def _write_to(self, target: Target) -> tuple[Decision, str]:
        rules = [
            rule
            for rule in self.policy.rules
            if rule.fits_tool("write_file")
            and (rule.any_call or path_fits(target, rule.pattern, self.around.home, wide=rule.decision != "allow"))
        ]
        denying = next((rule for rule in rules if rule.decision == "deny"), None)
        if denying is not None:
            return "deny", f"the rule {denying} denies writing {target.real}"
        decision, reason = judge_target(target, self.around)
        if decision != "allow":
            return "ask", f"it writes: {reason}"
        if rules:
            chosen = most_specific(rules)
            return chosen.decision, f"it writes to {target.given}: the rule {chosen}"
        if self.policy.mode in ("accept-edits", "auto"):
            return "allow", ""
        decision = self.policy.class_default("write")
        return decision, f"it writes to {target.given}"


def most_specific(rules: list[Rule]) -> Rule:
    """The rule that decides among those that fit and do not deny; a tie is ask."""
    top = max(rule.specificity() for rule in rules)
    best = [rule for rule in rules if rule.specificity() == top]
    return next((rule for rule in best if rule.decision == "ask"), best[0])


def folders_of(root: Path, start: str, commands: tuple[Command, ...]) -> tuple[Path, ...] | None:
    """Every folder a command may run in when each `cd` may or may not have happened; None where there are too many."""
    folders = [root / start if start else root]
    for command in commands:
        texts = command.texts()
        if texts[:1] != ("cd",):
            continue
        if len(texts) != 2 or command.open:
            continue
        if len(folders) > 2**MAX_CDS:
            return None
        folders += [folder / texts[1] for folder in folders]
    return tuple(dict.fromkeys(folders))
