"""``adeptree serve``: its options, and the service that they define."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adeptree.app.command_options import LearnerOptions, command_of
from adeptree.app.terminal import note
from adeptree.core.errors import InvalidArgument, StateError

if TYPE_CHECKING:
    from adeptree.app.serve.requests import Limits
    from adeptree.app.serve.writer import Writer

# Modules that need numpy are imported inside functions, so that --help is fast.

TOKEN = "ADEPTREE_TOKEN"
SHORTEST_TOKEN = 16
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class ServeOptions(LearnerOptions):
    """The options of the command line."""

    rules: str | None = None
    learner: list[str] | None = None
    features: str | None = None
    times: str | None = None
    save: str | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    token_file: str | None = None
    allow_host: list[str] | None = None
    max_body: int = 1 << 20
    max_batch: int = 1000
    max_open: int = 100_000
    quiet: bool = False

    def settings(self, rules: str) -> dict[str, Any]:
        """Return the settings that determine the results of a learner; a service that resumes it must have the same."""
        names = ("features", "times", *LearnerOptions.__dataclass_fields__)
        return {"service": True, "rules": rules, **{name: getattr(self, name) for name in names}}


def _serve(options: ServeOptions) -> None:
    """Decide over HTTP, and learn labels as they come.

    Examples:
      adeptree serve --rules "thresholds(score)" --save DIR     survives a crash
      adeptree serve --learner "a=stumps(x, y)" --port 0        a named learner
    """
    from adeptree.app.serve.server import bound_socket, check_installed, ended_by_signals, listen, prepared
    from adeptree.app.serve.service import Service

    check_installed()
    limits, wanted = _limits(options), _learners(options)
    with ExitStack() as stack:
        # Bind the port first, so that a second service started by mistake does not touch the folders.
        sock = stack.enter_context(bound_socket(options.host, options.port))
        # Check all settings before writing to a folder, so that a refused one leaves nothing behind.
        starts = [_checked(stack, options, name, rules) for name, rules in wanted.items()]
        writers = {name: start() for name, start in zip(wanted, starts, strict=True)}
        server = prepared(Service(writers, limits))
        # Before the service reports that it is ready, because a reader of that line may stop it.
        stack.enter_context(ended_by_signals(server))
        for writer in writers.values():
            stack.callback(_end, writer, options.quiet)
            writer.start()
        if not options.quiet:
            address = f"[{options.host}]" if ":" in options.host else options.host
            note(f"serving {', '.join(writers)} at http://{address}:{sock.getsockname()[1]}/")
            if not options.save:
                note("nothing is kept: what was learnt is gone when the service ends; --save DIR keeps it")
        listen(server, sock)


serve_command = command_of(ServeOptions, _serve)


def _end(writer: Writer, quiet: bool) -> None:
    writer.stop()
    served = writer.served
    if writer.broken:
        raise StateError(f"{served.name}: {writer.broken}")
    if served.folder and not quiet:
        note(f"{served.name} is saved to {served.folder.path}; the same command resumes it")


def _learners(options: ServeOptions) -> dict[str, str]:
    found = {} if options.rules is None else {"main": options.rules}
    for text in options.learner or ():
        name, sign, rules = text.partition("=")
        if not sign or not NAME.fullmatch(name.strip()):
            raise InvalidArgument(f'--learner: expected NAME=RULES, NAME of letters, digits, _ and -; got "{text}"')
        if name.strip() in found:
            raise InvalidArgument(f'--learner: "{name.strip()}" comes twice; each learner needs a different name')
        found[name.strip()] = rules
    if not found:
        raise InvalidArgument('say what to compete with, e.g. --rules "thresholds(delay)"; adeptree rules lists more')
    return found


def _limits(options: ServeOptions) -> Limits:
    from adeptree.app.serve.requests import LOOPBACK_NAMES, Limits
    from adeptree.app.serve.server import is_loopback

    token, alone = _token(options), is_loopback(options.host)
    if not token and not alone:
        raise InvalidArgument(
            f"--host: {options.host} can be reached from other machines, so requests must bear a token: set {TOKEN}, "
            f"or give --token-file FILE or --token TOKEN; or listen on 127.0.0.1"
        )
    if options.max_batch > options.max_open:
        raise InvalidArgument(
            "--max-batch must not be more than --max-open: answers of one request would expire at once"
        )
    hosts = {host.lower() for host in options.allow_host or ()}
    if alone:
        hosts |= LOOPBACK_NAMES | {f"[{options.host}]" if ":" in options.host else options.host.lower()}
    return Limits(options.max_body, options.max_batch, options.max_open, frozenset(hosts) or None, token)


def _token(options: ServeOptions) -> str:
    """Return the token, or "" without one."""
    given = options.token
    if options.token_file is not None:
        if given is not None:
            raise InvalidArgument("--token and --token-file: give one of them")
        try:
            given = Path(options.token_file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not text"
            raise InvalidArgument(f"--token-file: {options.token_file} could not be read: {why}") from None
    given = os.environ.get(TOKEN) if given is None else given
    if given is None:
        return ""
    if len(given) < SHORTEST_TOKEN or not given.isascii() or not given.isprintable() or " " in given:
        raise InvalidArgument(
            f"a token must have at least {SHORTEST_TOKEN} letters, digits and signs, and no spaces; "
            f"make one with: openssl rand -hex 24"
        )
    return given


def _checked(stack: ExitStack, options: ServeOptions, name: str, rules: str) -> Callable[[], Writer]:
    """Check the settings of a learner and its folder; return a function that starts it."""
    from adeptree.app.run.run_setup import fresh, meanings, resumed
    from adeptree.app.serve.served_learner import ServedLearner
    from adeptree.app.serve.service_columns import ServiceColumns
    from adeptree.app.serve.writer import Writer
    from adeptree.core.escaping import counted
    from adeptree.runner.run_folder import RunFolder

    columns, folder = ServiceColumns(rules, options.features, options.times, options.by), None
    settings = {**options.settings(rules), "columns": columns.all, "found": meanings(columns.layout)}
    if options.save:
        place = str(Path(options.save) / name)
        folder = stack.enter_context(RunFolder(place, resume=True, follow=True, durable=True))
        folder.refuse_differences(settings)
    new = None if folder and folder.checkpoint_path.exists() else fresh(options, columns.layout)

    def begun() -> Writer:
        if folder:
            try:
                folder.path.parent.mkdir(exist_ok=True)
            except OSError as error:
                raise InvalidArgument(f"--save: {options.save} cannot be written: {error.strerror}") from None
            folder.begin(settings)
        learner = new or resumed(folder, columns.layout, options.segments) or fresh(options, columns.layout)
        served = ServedLearner(name, columns, learner, options.max_open)
        if folder:
            again = served.go_on(folder)
            if served.taken and not options.quiet:
                rows = f", {counted(again, 'row')} of the journal taken again" if again else ""
                note(f"{name} resumes after {counted(learner.rounds, 'round')}{rows}")
        return Writer(served)

    return begun
