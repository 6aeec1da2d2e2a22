"""The house: what a runtime is made of, wired once: who can answer, the gate, the tools, the bench of a turn."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from kram.agent import AnnouncedUser, Bench, Checkpointer, Hooks, Inbox, Limits, PromptSources, Record, Reminding
from kram.agent.notices import Finder, Preparer
from kram.base import AppPaths, Background, Clock, Redactor, UsageError, one_line
from kram.base.spawn import kill_all
from kram.config import Combo, LoadedSettings, Roster, TrustStore, choose
from kram.context import Calibration, Estimator, ViewPolicy
from kram.events import Bus, ProcessChanged, QueueChanged, UserPort
from kram.gateway import strategy_named
from kram.permissions import GrantStore, Mode, Policy, load_policy
from kram.providers import open_provider
from kram.sessions import SessionInfo, Store
from kram.tools import Recall, ToolRegistry, builtin_tools
from kram.workspace import (
    Artifacts,
    Instructions,
    Processes,
    ProcessInfo,
    ReadLedger,
    Skills,
    Workspace,
    find_skills,
    skill_folders,
)

from .answering import keep_measured, open_gateway
from .live import LiveModels
from .options import Options
from .recall import StoreRecall, prompt_facts
from .todos import SessionTodos
from .tracing import tracer_for
from .unasked import HINT, EarlierSessions

CALIBRATION = ("context", "calibration")


class House:
    """What a runtime is made of. Owned by `Runtime`; nothing outside this package holds one."""

    def __init__(
        self,
        *,
        options: Options,
        paths: AppPaths,
        env: Mapping[str, str],
        trust: TrustStore,
        trusted: bool,
        loaded: LoadedSettings,
        roster: Roster,
        store: Store,
        workspace: Workspace,
        user: UserPort,
        clock: Clock,
        redactor: Redactor,
    ) -> None:
        self.options = options
        self.paths = paths
        self.env = env
        self.trust = trust
        self.trusted = trusted
        self.loaded = loaded
        self.live = LiveModels(roster, loaded.settings, paths, clock, open_provider)
        self.roster = roster = self.live.roster()
        self.store = store
        self.workspace = workspace
        self.clock = clock
        self.background = Background()
        self.checkpointer = Checkpointer(self.background)
        self.bus = Bus(clock)
        self.inbox = Inbox(lambda items: self.bus.emit(QueueChanged(items=items)))
        self.redactor = redactor
        self.gateway = open_gateway(roster, store, clock)
        self.estimator = Estimator(_calibrations(store))
        self.grants = GrantStore(paths.data, workspace.root)
        self.registry = ToolRegistry(builtin_tools(), loaded.settings.tools.disabled)
        self.artifacts = Artifacts(paths.data / "artifacts", clock, self.redactor)
        self.processes = Processes(clock, self._process_changed)
        self.user = AnnouncedUser(user, self.bus.emit)
        self.mode: Mode = options.permission_mode or loaded.settings.permissions.default_mode
        self.combo = self._first_combo()
        self.policy()
        self.session = self._first_session()
        self._bench: Bench | None = None

    # --- choices ------------------------------------------------------------------------------------------------

    def adopt(self, loaded: LoadedSettings, roster: Roster) -> None:
        """Settings and accounts as they are now, from the next model call on. What was chosen stays where it still exists."""
        before, self.loaded = self.loaded.settings, loaded
        old = self.roster
        self.redactor.add(*(provider.api_key for provider in roster.providers.values()))
        self.live = self.live.rebased(roster, loaded.settings)
        self.use_roster(self.live.roster())
        for name in {*before.tools.disabled, *loaded.settings.tools.disabled}:
            self.registry.set_enabled(name, enabled=name not in loaded.settings.tools.disabled)
        self.combo = self._combo_after(old)

    def _combo_after(self, old: Roster) -> Combo:
        """The chosen combo with its present candidates; the default where nobody chose, or it is gone."""
        chosen, before = self.combo, old.combos.get(self.combo.name)
        overridden = before is not None and before.strategy != chosen.strategy
        wanted = chosen.name
        if not chosen.candidates or (wanted == old.default_combo and not self.options.model):
            wanted = self.roster.default_combo
        try:
            found = self.find(wanted)
        except UsageError:
            found = self.roster.combos.get(self.roster.default_combo) or Combo(name=wanted, candidates=())
        return _routed(found, chosen.strategy) if overridden else found

    def _first_combo(self) -> Combo:
        if self.options.model:
            return choose(self.roster, self.options.model, self.options.strategy)
        combo = self.roster.combos.get(self.roster.default_combo) or Combo(
            name=self.roster.default_combo, candidates=()
        )
        return _routed(combo, self.options.strategy) if self.options.strategy else combo

    def choose(self, name: str) -> Combo:
        self.combo = self.find(name)
        return self.combo

    def find(self, name: str) -> Combo:
        """A combo by name, or `provider/model`. Raises `UsageError` with the known names."""
        return choose(self.roster, name)

    def use_roster(self, roster: Roster) -> None:
        """From the next model call on these are the models and what is known of them."""
        self.roster = roster
        self.gateway.use(roster)

    def summary_combo(self) -> Combo | None:
        """The combo that writes summaries; None where none is set or it is not there any more."""
        name = self.loaded.settings.context.summary_combo
        try:
            return choose(self.roster, name) if name else None
        except UsageError:
            return None

    def route_by(self, strategy: str) -> Combo:
        self.combo = _routed(self.combo, strategy)
        return self.combo

    def policy(self) -> Policy:
        """Read anew for every call: a rule that was just granted counts. Flags were checked at the start."""
        return load_policy(
            self.paths.config,
            self.workspace.root,
            mode=self.mode,
            allow=self.options.allow,
            ask=self.options.ask,
            deny=self.options.deny,
            granted=self.grants.rules(),
        )

    # --- the session --------------------------------------------------------------------------------------------

    def _first_session(self) -> SessionInfo:
        match self.options.session:
            case "new":
                return self._own(self.store.create(self.workspace.root, self.options.title))
            case "continue":
                found = self.store.sessions(self.workspace.root)
                if not found:
                    raise UsageError("There is no session to continue here", todo="Start one with `kram`")
                return self._own(found[0])
            case "resume":
                return self._own(self.store.get(self.options.session_id))
            case "fork":
                return self._own(self.store.fork(self.options.session_id))

    def _own(self, session: SessionInfo) -> SessionInfo:
        self.store.acquire(session.id)
        return session

    def open_session(self, session_id: str) -> None:
        self.session = self._own(self.store.get(session_id))

    def new_session(self, title: str) -> None:
        self.session = self._own(self.store.create(self.workspace.root, title))

    def fork_session(self, session_id: str) -> None:
        self.session = self._own(self.store.fork(session_id))

    def leave_session(self) -> None:
        """A session in which nothing was said leaves no trace."""
        self.store.release(self.session.id)
        if not self.store.get(self.session.id).entries:
            self.store.delete(self.session.id)

    def rename(self, title: str) -> None:
        self.store.rename(self.session.id, title)
        self.session = self.store.get(self.session.id)

    # --- the bench ----------------------------------------------------------------------------------------------

    @property
    def bench(self) -> Bench:
        assert self._bench is not None, "a session is entered first"
        return self._bench

    def bench_for(self, record: Record) -> None:
        """The bench for a session's record; what belongs to the session (prompt, what was read, todos) starts afresh."""
        settings = self.loaded.settings
        todos = SessionTodos(self.store, record.session_id, self.bus.emit)
        recall = StoreRecall(self.store, self.workspace.root, record.session_id)
        ledger = ReadLedger()
        reminding = Reminding(self.workspace, ledger)
        preparers = self._preparers(record, recall)
        if self._bench is not None:
            self._bench = replace(
                self._bench,
                record=record,
                todos=todos,
                recall=recall,
                ledger=ledger,
                reminding=reminding,
                preparers=preparers,
                prompt=self._prompt_sources(),
            )
            return
        self._bench = Bench(
            record=record,
            emit=self.bus.emit,
            clock=self.clock,
            gateway=self.gateway,
            combo=lambda: self.combo,
            summary_combo=self.summary_combo,
            policy=self.policy,
            grants=self.grants,
            registry=self.registry,
            prompt=self._prompt_sources(),
            estimator=self.estimator,
            view_policy=ViewPolicy(
                tail_messages=settings.context.tail_messages,
                tail_tools=settings.context.tail_tools,
                stub_above_chars=settings.context.stub_above,
                cap_chars=settings.context.view_cap,
                headroom=settings.context.headroom,
                reserve=settings.context.reserve,
            ),
            limits=_limits(self.options, self.loaded),
            inbox=self.inbox,
            user=self.user,
            workspace=self.workspace,
            ledger=ledger,
            processes=self.processes,
            artifacts=self.artifacts,
            todos=todos,
            recall=recall,
            skills=self.skills,
            reminding=reminding,
            redactor=self.redactor,
            refused=self.paths.state / "refused",
            preparers=preparers,
            encoding=settings.context.encoding,
            transclusion=settings.context.transclusion,
            tracer=tracer_for(self.env),
        )

    def _preparers(self, record: Record, recall: Recall) -> tuple[Preparer, ...]:
        if not self.loaded.settings.context.recall:
            return ()
        return (Finder(lambda: record.entries, EarlierSessions(recall), self.inbox.notices, hint=HINT),)

    def set_hooks(self, hooks: Hooks) -> None:
        self._bench = replace(self.bench, hooks=hooks)

    def _prompt_sources(self) -> PromptSources:
        return PromptSources(
            self.workspace,
            self.registry,
            Instructions(self.workspace.root, self.paths.config, lambda: self.trusted),
            skills=self.skills,
            memory=lambda: prompt_facts(self.store.facts(self.workspace.root)),
            today=lambda: datetime.fromtimestamp(self.clock.now_ns() / 1e9, UTC).astimezone().date().isoformat(),
            branch=lambda: git_branch(self.workspace.root),
            system_prompt=self.options.system_prompt,
            append_system_prompt=self.options.append_system_prompt,
            quoting=self.loaded.settings.context.transclusion,
        )

    def skills(self) -> Skills:
        """As they are on disk now; those of the project only while it is trusted as it is."""
        trusted = self.options.trust or self.trust.state(self.workspace.root).standing == "trusted"
        home = Path(self.env["HOME"]) if self.env.get("HOME") else None
        return find_skills(skill_folders(self.workspace.root, self.paths.config, home, trusted=trusted))

    # --- beside the turn ----------------------------------------------------------------------------------------

    def _process_changed(self, process: ProcessInfo) -> None:
        if process.state in ("exited", "failed"):
            # One that was killed was killed by somebody who knows.
            ended = f"Background process {process.id} ended with exit code {process.exit_code}: {one_line(process.command, 120)}"
            self.inbox.note(
                f"{ended}\nRead its output with process_output.", "process", group="process", key=process.id
            )
        self.bus.emit(
            ProcessChanged(
                id=process.id,
                command=process.command,
                state=process.state,
                pid=process.pid,
                exit_code=process.exit_code,
            )
        )

    def warm(self) -> None:
        """Imports the HTTP library in a thread, which is most of what the first turn would wait for."""
        self.background.spawn(asyncio.to_thread(_import_heavy), "warming up")

    def notes(self) -> list[str]:
        """What the person should know about configuration, policy and the store."""
        notes = [
            *self.loaded.notes,
            self.store.salvaged,
            *(f"Not used: {problem}" for problem in self.policy().problems),
        ]
        return [note for note in notes if note]

    async def close(self) -> None:
        await self.checkpointer.settle()
        await self.background.close()
        await self.processes.close()
        await self.gateway.aclose()
        keep_measured(self.gateway, self.store)
        self.store.put_state(*CALIBRATION, self.estimator.export())
        self.leave_session()
        self.store.close()
        kill_all()


def _routed(combo: Combo, strategy: str) -> Combo:
    """The combo with another strategy. Raises `UsageError` for an unknown one."""
    strategy_named(strategy)
    return msgspec.structs.replace(combo, strategy=strategy)


def _limits(options: Options, loaded: LoadedSettings) -> Limits:
    settings = loaded.settings.tools
    calls, segments = (options.max_turns, 1) if options.max_turns else (settings.max_turns, settings.max_segments)
    return Limits(
        calls_per_segment=calls,
        segments=segments,
        max_cost_usd=options.max_cost_usd,
        max_tokens=options.max_tokens,
        max_seconds=options.max_seconds,
    )


def _calibrations(store: Store) -> dict[str, Calibration]:
    """How each model counts, as far as earlier runs learnt it."""
    raw = store.get_state(*CALIBRATION)
    try:
        return msgspec.json.decode(raw, type=dict[str, Calibration]) if raw else {}
    except msgspec.MsgspecError:
        return {}


def git_branch(root: Path) -> str:
    """The branch of the repository around a folder, read from its files: no process, no configuration of the repository."""
    for folder in (root, *root.parents):
        head = folder / ".git" / "HEAD"
        try:
            return head.read_text("utf-8").strip().removeprefix("ref: refs/heads/")
        except OSError:
            continue
    return ""


def _import_heavy() -> None:
    importlib.import_module("httpx")
