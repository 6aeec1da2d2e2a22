"""Who can answer here, in which order, and what is said where nobody can."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

from kram.base import UsageError
from kram.config import (
    Model,
    Provider,
    Roster,
    Settings,
    build_roster,
    catalog,
    choose,
    embedded_provider,
    keep_key,
    load_settings,
)
from kram.config.catalog import CatalogProvider

KEY = "canary-0f1e2d3c4b5a"


class NoRing:
    """A system without a keyring."""

    def get_password(self, service: str, username: str, /) -> str | None:
        return None

    def set_password(self, service: str, username: str, password: str, /) -> None:
        raise OSError

    def delete_password(self, service: str, username: str, /) -> None:
        raise OSError


def settings(folder: Path, text: str = "") -> Settings:
    (folder / "config.toml").write_text(text)
    return load_settings(folder, folder / "nowhere").settings


def roster(
    folder: Path, text: str = "", env: dict[str, str] | None = None, servers: tuple[Provider, ...] = ()
) -> Roster:
    return build_roster(settings(folder, text), env=env or {}, config_folder=folder, local_servers=servers)


def server(name: str = "ollama", url: str = "http://127.0.0.1:11434/v1") -> Provider:
    model = Model(provider=name, id="qwen3", context_window=32_768)
    return Provider(
        name=name, kind="openai-chat", base_url=url, key_optional=True, models=(model,), origin="local server"
    )


def names(made: Roster) -> list[str]:
    return [candidate.partition("/")[0] for candidate in made.combos["default"].candidates]


# --- the order ----------------------------------------------------------------------------------------------------------


def test_keys_in_the_environment_come_in_the_order_of_the_catalogue(tmp_path: Path) -> None:
    env = {vendor.key_env[0]: f"{KEY}-{vendor.name}" for vendor in reversed(catalog().providers)}
    made = roster(tmp_path, env=env)
    assert names(made) == [vendor.name for vendor in catalog().providers]
    assert names(made)[:4] == ["anthropic", "openai", "gemini", "openrouter"]
    assert made.default_combo == "default"
    for vendor in catalog().providers:
        assert made.combos["default"].candidates[names(made).index(vendor.name)] == f"{vendor.name}/{vendor.default}"
        assert made.providers[vendor.name].api_key == f"{KEY}-{vendor.name}"
        assert made.providers[vendor.name].origin == f"${vendor.key_env[0]}"


def test_environment_then_stored_then_servers_and_the_embedded_model_only_where_there_is_nobody_else(
    tmp_path: Path,
) -> None:
    keep_key(tmp_path, "anthropic", KEY, keyring=NoRing())
    made = roster(tmp_path, env={"GROQ_API_KEY": KEY}, servers=(server(),))
    assert names(made) == ["groq", "anthropic", "ollama"]
    assert made.providers["anthropic"].origin == str(tmp_path / "credentials.toml")


def test_the_embedded_model_answers_where_nobody_else_does(tmp_path: Path) -> None:
    embedded, absent = embedded_provider()
    made = roster(tmp_path)
    if embedded is None:
        assert made.combos == {}
        assert any("kram[local]" in sentence for sentence in made.missing)
        assert absent in made.missing
    else:
        assert made.combos["default"].candidates == ("local/smollm2-135m",)
        model = made.model("local/smollm2-135m")
        assert model is not None
        assert (model.compact, model.size, model.context_window) == (True, "135M", 8192)
    assert names(roster(tmp_path, servers=(server(),))) == ["ollama"]


@pytest.mark.parametrize(("first", "second"), [("GEMINI_API_KEY", "GOOGLE_API_KEY")])
def test_the_first_variable_that_is_set_wins(tmp_path: Path, first: str, second: str) -> None:
    assert roster(tmp_path, env={first: "one-key", second: "other-key"}).providers["gemini"].api_key == "one-key"
    assert roster(tmp_path, env={second: "other-key"}).providers["gemini"].api_key == "other-key"
    assert roster(tmp_path, env={first: "  ", second: "other-key"}).providers["gemini"].api_key == "other-key"


def test_the_environment_beats_the_store(tmp_path: Path) -> None:
    keep_key(tmp_path, "anthropic", "stored-key", keyring=NoRing())
    assert roster(tmp_path, env={"ANTHROPIC_API_KEY": KEY}).providers["anthropic"].api_key == KEY
    assert roster(tmp_path).providers["anthropic"].api_key == "stored-key"


def test_whoever_configured_an_account_gets_no_others_behind_their_back(tmp_path: Path) -> None:
    text = '[providers.mine]\nkind = "openai-chat"\nbase_url = "http://b/v1"\nkey_optional = true\n[providers.mine.models.m]\n'
    made = roster(tmp_path, text, env={"ANTHROPIC_API_KEY": KEY}, servers=(server(),))
    assert made.combos["default"].candidates == ("mine/m",)
    assert choose(made, "anthropic/claude-sonnet-4-5").candidates == ("anthropic/claude-sonnet-4-5",)


def test_a_configured_account_without_a_key_does_not_hide_who_can_answer(tmp_path: Path) -> None:
    made = roster(tmp_path, '[providers.anthropic]\nkind = "anthropic"\n', env={"OPENAI_API_KEY": KEY})
    assert names(made) == ["openai"]
    assert any("'anthropic' has no key: export ANTHROPIC_API_KEY=" in sentence for sentence in made.missing)


def test_what_is_missing_is_said_with_the_commands_that_help(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Python's own way to say that a module is not there.
    for module in catalog().embedded.packages:
        monkeypatch.setitem(sys.modules, module, None)
    made = roster(tmp_path)
    assert made.combos == {}
    text = " ".join(made.missing)
    for word in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "11434", "1234", "8080", "8000", "pip install 'kram[local]'"):
        assert word in text
    assert roster(tmp_path, env={"OPENAI_API_KEY": KEY}).missing == ()


# --- accounts -----------------------------------------------------------------------------------------------------------

ADDRESSES = [
    ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "http://127.0.0.1:9", "anthropic", "http://127.0.0.1:9", "anthropic"),
    ("OPENAI_API_KEY", "OPENAI_BASE_URL", "http://127.0.0.1:9/v1", "openai", "http://127.0.0.1:9/v1", "openai-chat"),
    ("OPENAI_API_KEY", "OPENAI_BASE_URL", "http://127.0.0.1:9", "openai", "http://127.0.0.1:9/v1", "openai-chat"),
    ("OPENAI_API_KEY", "OPENAI_BASE_URL", "", "openai", "https://api.openai.com/v1", "openai-responses"),
    (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "https://api.openai.com/v1/",
        "openai",
        "https://api.openai.com/v1",
        "openai-responses",
    ),
    ("GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "http://x:9/", "gemini", "http://x:9/v1beta", "gemini"),
    ("GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", "http://x:9/p", "gemini", "http://x:9/p", "gemini"),
    ("GROQ_API_KEY", "GROQ_BASE_URL", "http://x:9", "groq", "http://x:9/openai/v1", "openai-chat"),
]


@pytest.mark.parametrize(("key", "variable", "value", "name", "address", "kind"), ADDRESSES)
def test_the_vendors_own_variable_for_another_address_is_honoured(
    tmp_path: Path, key: str, variable: str, value: str, name: str, address: str, kind: str
) -> None:
    env = {key: KEY, variable: value}
    found = roster(tmp_path, env=env).providers[name]
    assert (found.base_url, found.kind) == (address, kind)
    configured = roster(tmp_path, f"[providers.{name}]\n", env=env).providers[name]
    assert (configured.base_url, configured.kind, configured.api_key) == (address, kind, KEY)
    own = roster(tmp_path, f'[providers.{name}]\nbase_url = "http://mine:1/x"\n', env=env).providers[name]
    assert own.base_url == "http://mine:1/x"


@pytest.mark.parametrize("kind", ["openai-chat", "openai-responses"])
def test_an_account_may_choose_among_its_vendors_dialects(tmp_path: Path, kind: str) -> None:
    made = roster(tmp_path, f'[providers.openai]\nkind = "{kind}"\n', env={"OPENAI_API_KEY": KEY}).providers["openai"]
    assert (made.kind, made.base_url, made.api_key) == (kind, "https://api.openai.com/v1", KEY)
    assert made.models[0].id == "gpt-5"


@pytest.mark.parametrize(
    ("kind", "variable"),
    [("anthropic", "ANTHROPIC_API_KEY"), ("openai-responses", "OPENAI_API_KEY"), ("gemini", "GEMINI_API_KEY")],
)
def test_an_account_of_another_name_without_an_address_is_the_vendors(tmp_path: Path, kind: str, variable: str) -> None:
    made = roster(tmp_path, f'[providers.work]\nkind = "{kind}"\n', env={variable: KEY}).providers["work"]
    assert made.api_key == KEY
    assert made.models
    assert {model.provider for model in made.models} == {"work"}


def test_a_vendors_key_never_goes_to_an_address_that_is_not_its_account(tmp_path: Path) -> None:
    text = '[providers.work]\nkind = "openai-chat"\nbase_url = "https://elsewhere.example/v1"\n'
    made = roster(tmp_path, text, env={"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}).providers["work"]
    assert made.api_key == ""


def test_several_accounts_of_one_vendor_have_keys_of_their_own(tmp_path: Path) -> None:
    text = '[providers.a]\nkind = "anthropic"\napi_key_env = "KEY_A"\n[providers.b]\nkind = "anthropic"\napi_key_env = "KEY_B"\n'
    made = roster(tmp_path, text, env={"KEY_A": "key-of-a", "ANTHROPIC_API_KEY": KEY})
    assert (made.providers["a"].api_key, made.providers["b"].api_key) == ("key-of-a", "")
    assert any("'b' has no key: export KEY_B=" in sentence for sentence in made.missing)


def test_the_catalogue_is_overridden_value_by_value(tmp_path: Path) -> None:
    text = (
        '[providers.anthropic.models."claude-sonnet-4-5"]\ncontext_window = 5\nthinking = "enabled"\n'
        '[providers.anthropic.models."claude-next"]\nimages = true\n'
    )
    made = roster(tmp_path, text, env={"ANTHROPIC_API_KEY": KEY})
    known = catalog().find(name="anthropic")
    assert known is not None
    changed = made.model("anthropic/claude-sonnet-4-5")
    assert changed is not None
    assert (changed.context_window, changed.thinking, changed.images) == (5, "enabled", True)
    assert changed.price == known.models["claude-sonnet-4-5"].price
    new = made.model("anthropic/claude-next")
    assert new is not None
    assert (new.images, new.context_window) == (True, 0)


def test_a_model_nobody_listed_is_taken_at_its_word(tmp_path: Path) -> None:
    made = roster(tmp_path, env={"ANTHROPIC_API_KEY": KEY})
    assert choose(made, "anthropic/claude-from-tomorrow").candidates == ("anthropic/claude-from-tomorrow",)


def test_a_gguf_of_ones_own_is_named_by_its_file(tmp_path: Path) -> None:
    made = roster(tmp_path, '[providers.tiny]\nkind = "llama-cpp"\nmodel_path = "/m/qwen-0.5b.gguf"\n')
    assert made.combos["default"].candidates == ("tiny/qwen-0.5b",)


def test_a_server_tells_which_models_an_account_at_its_address_has(tmp_path: Path) -> None:
    env = {"OPENAI_API_KEY": "none-needed", "OPENAI_BASE_URL": "http://127.0.0.1:8000/v1"}
    made = roster(tmp_path, env=env, servers=(server("vllm", "http://127.0.0.1:8000/v1/"),))
    assert made.combos["default"].candidates == ("openai/qwen3",)
    assert made.providers["openai"].api_key == "none-needed"


# --- combos -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[combos.x]\ncandidates = []", "'x' has no candidates"),
        ('[combos.x]\ncandidates = ["claude"]', "'claude' is no provider/model"),
        ('[combos.x]\ncandidates = ["anthropik/claude"]', "'anthropik', which is not declared"),
        ('default_combo = "defualt"\n[combos.default]\ncandidates = ["openai/gpt-5"]', "Did you mean 'default'"),
        ('default_combo = "nobody/x"', "'nobody/x', which is no combo"),
        ('[context]\nsummary_combo = "cheap"\n[combos.cheep]\ncandidates = ["openai/gpt-5"]', "Did you mean 'cheep'"),
        ('[providers.x]\nbase_url = "http://h/v1"', "'x' has no kind"),
    ],
)
def test_what_cannot_be_meant_is_an_error_that_says_so(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        roster(tmp_path, text, env={"ANTHROPIC_API_KEY": KEY})
    assert words in caught.value.text()


def test_the_closest_provider_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Did you mean 'anthropic'"):
        roster(tmp_path, '[combos.x]\ncandidates = ["anthropik/claude"]', env={"ANTHROPIC_API_KEY": KEY})


def test_a_combo_may_name_a_vendor_whose_key_is_not_there_yet(tmp_path: Path) -> None:
    made = roster(tmp_path, '[combos.x]\ncandidates = ["deepseek/deepseek-chat"]')
    assert made.model("deepseek/deepseek-chat") is not None
    assert any("DEEPSEEK_API_KEY" in sentence for sentence in made.missing)
    assert any("'x' has nobody who can answer" in sentence for sentence in made.missing)


def test_a_configured_default_stands_as_it_was_written(tmp_path: Path) -> None:
    text = '[combos.default]\nstrategy = "smart"\ncandidates = ["openai/gpt-5", "anthropic/x", "openai/gpt-5"]\n'
    made = roster(tmp_path, text, env={"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY, "GROQ_API_KEY": KEY})
    assert made.combos["default"].candidates == ("openai/gpt-5", "anthropic/x")
    assert made.combos["default"].strategy == "smart"


def test_the_default_may_be_one_model(tmp_path: Path) -> None:
    made = roster(tmp_path, 'default_combo = "anthropic/claude-haiku-4-5"', env={"ANTHROPIC_API_KEY": KEY})
    assert made.default_combo == "anthropic/claude-haiku-4-5"
    assert made.combos[made.default_combo].candidates == ("anthropic/claude-haiku-4-5",)


def test_a_name_that_is_chosen_may_be_a_combo_or_a_model_and_takes_a_strategy(tmp_path: Path) -> None:
    text = '[combos.cheap]\nstrategy = "p2c"\ncandidates = ["openai/gpt-5-mini"]\n'
    made = roster(tmp_path, text, env={"OPENAI_API_KEY": KEY})
    assert choose(made, "cheap").strategy == "p2c"
    assert choose(made, "cheap", "smart").strategy == "smart"
    assert choose(made, "openai/gpt-5").candidates == ("openai/gpt-5",)
    with pytest.raises(UsageError, match="Did you mean 'cheap'"):
        choose(made, "chaep")
    with pytest.raises(UsageError, match="no combo or model 'nobody/gpt'"):
        choose(made, "nobody/gpt")


# --- the catalogue ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("vendor", catalog().providers, ids=lambda vendor: vendor.name)
def test_every_vendor_of_the_catalogue_is_complete(vendor: CatalogProvider) -> None:
    assert vendor.base_url.startswith("https://")
    assert not vendor.base_url.endswith("/")
    assert vendor.default in vendor.models
    assert vendor.key_env
    for model in vendor.known_models():
        assert 0 <= model.quality_hint <= 1
        assert model.max_output <= (model.context_window or model.max_output)
        assert model.context_window == 0 or model.context_window >= 8_000
        if model.price is not None:
            assert 0 <= (model.price.cache_read or 0) <= model.price.input <= model.price.output


def test_names_and_variables_of_the_catalogue_are_unique() -> None:
    vendors = catalog().providers
    assert len({vendor.name for vendor in vendors}) == len(vendors)
    variables = [variable for vendor in vendors for variable in vendor.key_env]
    assert len(set(variables)) == len(variables)


# --- secrets ------------------------------------------------------------------------------------------------------------


def test_no_key_is_in_what_a_program_prints_of_these(tmp_path: Path) -> None:
    made = roster(tmp_path, env={"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY})
    assert made.providers["anthropic"].api_key == KEY
    assert KEY not in repr(made) + str(made) + repr(made.providers) + repr(made.providers["anthropic"])
    assert KEY not in " ".join(made.missing)
    assert KEY not in repr(msgspec.structs.replace(made.providers["openai"], name="other"))
