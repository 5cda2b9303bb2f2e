"""Checkpoints are read back before the journal is cut: one that does not load never replaces one that does."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import process
from serving import Server
from typer.testing import CliRunner, Result

import adeptree as at
from adeptree.app.cli import app
from adeptree.core import files

ROWS = "price,w,y\n3,1.5,1\n0,0.1,0\n2,0.7,0\n"
RUN = ["run", "rows.csv", "--rules", "steps(price)", "--weight", "w", "--save", "kept"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text(ROWS)


def run(*more: str) -> Result:
    return CliRunner().invoke(app, [*RUN, *more])


def test_a_run_with_fractional_weights_is_resumed() -> None:
    assert run().exit_code == 0
    Path("rows.csv").write_text(ROWS + "1,0.1,1\n2,0.3,0\n")
    resumed = run("--resume")
    assert resumed.exit_code == 0 and "5 rows" in resumed.output
    assert at.load("kept/checkpoint").best_loss >= 0


SERVE = ("--rules", "steps(price)", "--save", "kept")


def test_a_service_with_fractional_weights_starts_again() -> None:
    with Server(*SERVE) as server:
        for x, y, weight in [(0, 1, 1.5), (1, 0, 0.1), (2, 0, 0.7), (2, 0, 1.5)]:
            ticket = server.ask("/answer", {"x": x}).body["ticket"]
            assert server.ask("/learn", {"ticket": ticket, "y": y, "weight": weight}).status == 200
        assert server.end() == 0
    with Server(*SERVE) as server:
        assert server.ask("/certificate").body["rounds"] == 4


SPOILT = 'saved["account"] |= {"expected_loss": -1.0}'
"""A number that no learner has."""
HOLLOW = 'del saved["learnt"]["engine"]'
"""The numbers look right, but no learner can be built from them."""
BROKEN = """
import adeptree as at
whole = at.Adept.saved
def broken(self):
    saved = whole(self)
    if self.rounds > {rounds}:
        {change}
    return saved
at.Adept.saved = broken
"""


@pytest.mark.parametrize("change", [SPOILT, HOLLOW])
def test_a_checkpoint_of_a_run_that_does_not_load_is_not_kept(change: str) -> None:
    assert run().exit_code == 0
    before = Path("kept/checkpoint").read_bytes()
    Path("rows.csv").write_text(ROWS + "1,0.1,1\n2,0.3,0\n")
    with process(*RUN, "--resume", before=BROKEN.format(rounds=3, change=change)) as failed:
        _, said = failed.communicate(timeout=60)
    assert failed.returncode != 0 and b"the file just written does not load" in said and b"Saved to" not in said
    assert Path("kept/checkpoint").read_bytes() == before and not list(Path("kept").glob("*.part"))
    again = run("--resume")
    assert again.exit_code == 0 and "5 rows" in again.output


@pytest.mark.parametrize("change", [SPOILT, HOLLOW])
def test_a_checkpoint_of_a_service_that_does_not_load_is_not_kept(change: str) -> None:
    with Server(*SERVE, before=BROKEN.format(rounds=0, change=change)) as server:
        server.ask("/answer", {"x": 2})
        assert server.ask("/learn", {"ticket": 1, "y": 1, "weight": 0.1}).status == 200
        assert server.end() != 0
        assert "the file just written does not load" in server.said[-1] and "is saved to" not in server.said[-1]
    with Server(*SERVE) as server:
        assert server.ask("/certificate").body["rounds"] == 1


def test_a_file_that_fails_its_check_leaves_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "state"
    files.save(path, {"n": 1})

    def refuse(written: str) -> None:
        assert files.load(written) == {"n": 2}
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        files.save(path, {"n": 2}, refuse)
    assert files.load(path) == {"n": 1} and [one.name for one in tmp_path.iterdir() if one.suffix == ".part"] == []
