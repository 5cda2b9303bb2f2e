"""Completion of the shell: bash is run, and asked what it would offer."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from forking import write_command
from running import MAIN, call, environment, good

BASH = shutil.which("bash")
ASKED = """
eval "$(adeptree completion bash)"
complete -p adeptree
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _adeptree_completion adeptree
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(BASH is None or os.name == "nt", reason="needs bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["r"], ["run", "rules"]),
        (["run", "--la"], ["--label", "--labels"]),
        (["run", "f.csv", "--rules", "st"], ["stumps", "steps"]),
        (["run", "f.csv", "--prior", ""], ["paper", "kt", "mixed"]),
        (["run", "f.csv", "--format", "n"], ["ndjson"]),
        (["run", "--rate", "a"], ["anytime", "adaptive"]),
        (["run", "x"], [""]),
        (["completion", "f"], ["fish"]),
    ],
)
def test_bash_offers_what_fits(tmp_path: Path, words: list[str], offered: list[str]) -> None:
    write_command(tmp_path / "adeptree", MAIN, environment())
    env = {**environment(), "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    asked = [str(BASH), "--norc", "-c", ASKED, "bash", "adeptree", *words]
    done = subprocess.run(asked, env=env, capture_output=True, text=True, timeout=60, check=True)
    kind, *found = done.stdout.split("\n")[:-1]
    assert kind == "complete -o default -F _adeptree_completion adeptree"  # (files, where nothing is offered)
    assert (found, done.stderr) == (offered, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_every_shell_has_its_script(shell: str) -> None:
    script = good("completion", shell)
    assert "adeptree" in script and "_ADEPTREE_COMPLETE" in script


def test_another_shell_is_a_sentence() -> None:
    result = call("completion", "tcsh")
    assert result.exit_code == 2 and "'tcsh' is not one of 'bash', 'zsh', 'fish'" in result.stderr
