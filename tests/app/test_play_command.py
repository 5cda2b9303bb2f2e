"""``adeptree play``: writes the playground, set to a game, and opens it."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from adeptree.app import cli
from adeptree.app.play_command import play_page


def call(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli.app, ["play", *arguments])
    return result.exit_code, result.output


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    file = tmp_path / "play.html"
    options = ["--rules", "finite(table=['0011', '0101'])", "--horizon", "12", "--prior", "kt", "--mistake-bound", "2"]
    code, text = call("--html", str(file), *options)
    assert code == 0 and text == f"Written: {file}\n"
    start = "c=table-0011-0101&T=12&M=2&rate=paper&prior=kt&g="
    assert file.read_text(encoding="utf-8") == play_page(start) and f'START = "{start}"' in play_page(start)


@pytest.mark.parametrize("opens", [True, False])
def test_the_command_opens_the_page(opens: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def open_it(address: str) -> bool:
        asked.append(address)
        return opens

    monkeypatch.setattr("webbrowser.open", open_it)
    code, text = call()
    path = Path(text.split(": ", 1)[1].strip())
    assert code == 0 and text.startswith("Opened" if opens else "Open it in a browser")
    assert asked == [path.as_uri()] and path.read_text(encoding="utf-8") == play_page()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--rules", "thresholds(n=17)"], "thresholds(n) with n up to 16"),
        (["--rules", "parities(n=3)"], "the playground takes"),
        (["--rules", "finite(table=['0', '1'], points=['a'])"], "the playground takes"),
        (["--horizon", "0"], "1 to 40 rounds; got 0"),
        (["--horizon", "41"], "1 to 40 rounds; got 41"),
        (["--mistake-bound", "7"], "M is at most 6"),
        (["--stream", "some.csv"], "no such option"),
        (["--html", "no/such/folder.html"], "could not be written"),
    ],
)
def test_wrong_input_gets_a_sentence(arguments: list[str], says: str) -> None:
    code, text = call(*arguments)
    assert code in (1, 2) and says in text and "Traceback" not in text


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["show", "--play"], "--play was renamed to a command: adeptree play"),
        (["show", "--stream", "f.csv", "--x", "a"], "--x was renamed to --features"),
        (["run", "--x", "a"], "--x was renamed to --features"),
        (["run", "--costs", "5"], "--costs is two options: --cost-miss and --cost-false-alarm"),
        (["run", "--switches", "3"], "--switches was renamed to --drift"),
        (["serve", "--x=a"], "--x was renamed to --features"),
        (
            ["serve", "--max-rate", "9"],
            "--max-rate was removed: limit rates in a reverse proxy in front, as with nginx",
        ),
        (["classes"], "classes was renamed to rules: adeptree rules"),
        (["run", "--rulse"], "no such option: --rulse (Possible options: --rules"),
        (["show", "--rounds"], "option '--rounds' requires an argument"),
        (["none"], "no such command 'none'; adeptree --help shows"),
    ],
)
def test_an_old_or_unknown_name_gets_one_line(words: list[str], error: str) -> None:
    result = CliRunner().invoke(cli.app, words, prog_name="adeptree")
    assert result.exit_code == 2 and result.output.startswith(f"adeptree: {error}")
    assert result.output.count("\n") == 1
