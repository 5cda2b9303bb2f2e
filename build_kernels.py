"""Compile the kernels (``src/adeptree/**/*_kernel.py``) where a C compiler is found; elsewhere they are interpreted.

The hook of the wheel (and of editable installs) that pyproject.toml names. ADEPTREE_BUILD says what must come of it:
``auto`` (the default: machine code if it can be had), ``require`` (fail without), ``none`` (a pure wheel).

    python build_kernels.py        compile into src/adeptree/_compiled, for work on the kernels
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ModuleNotFoundError:  # called by hand, where hatchling is not needed
    BuildHookInterface = object  # type: ignore[assignment,misc]

ROOT = Path(__file__).resolve().parent
HOME = Path("adeptree") / "_compiled"
MODES = ("auto", "require", "none")
# Cython's support code for array views, compiled once for all kernels, because it takes longer than they do.
SHARED = "adeptree._compiled.views_of_arrays"
# Kernels import what does nothing in Python; Cython knows its own module by name.
SHIM = "from adeptree.core import cython_shim as cython"
WINDOWS = sys.platform == "win32"
STABLE = not sysconfig.get_config_var("Py_GIL_DISABLED")  # free-threaded Python has no stable ABI yet
# Machine code and the interpreted source give the same bits: no fused multiply-add, no reordered sums.
FLAGS = ["/O2", "/fp:precise"] if WINDOWS else ["-O3", "-g0", "-ffp-contract=off"]
DIRECTIVES = {
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "binding": False,  # (methods as C has them: with names for arguments each call makes two tuples)
    "always_allow_keywords": False,
    "auto_pickle": False,  # engines are copied by what they declare; the code for it was half of the machine code
    "language_level": 3,
}


def sources(root: Path = ROOT) -> list[Path]:
    """Return the kernels and the declarations that they share with each other."""
    return sorted(path for kind in ("py", "pxd") for path in (root / "src" / "adeptree").rglob(f"*_kernel.{kind}"))


def fingerprint(root: Path = ROOT) -> str:
    """Return what the machine code depends on, to see whether it is that of today's sources."""
    parts = [path.name.encode() + b"\0" + path.read_bytes() for path in [*sources(root), root / "build_kernels.py"]]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def build(root: Path, work: Path, required: bool) -> list[Path]:
    """Compile all kernels and return the files made, below ``work``; none where there is no compiler."""
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension

    # Kernels lie in several packages; the machine code has different names, so that both can be loaded.
    home = work / "sources" / HOME
    home.mkdir(parents=True)
    for folder in (home, home.parent):
        (folder / "__init__.py").touch()
    for path in sources(root):
        (home / path.name).write_text(path.read_text(encoding="utf-8").replace(SHIM, "import cython"), encoding="utf-8")
    files = {f"adeptree._compiled.{path.stem}": HOME / path.name for path in sorted(home.glob("*_kernel.py"))}
    wanted = [
        Extension(
            name,
            [str(file)],
            define_macros=[("Py_LIMITED_API", "0x030B0000")] if STABLE else [],
            py_limited_api=STABLE,
            extra_compile_args=FLAGS,
            libraries=[] if WINDOWS else ["m"],
        )
        for name, file in {**files, SHARED: HOME / "views_of_arrays.c"}.items()
    ]
    here = Path.cwd()
    os.chdir(work / "sources")
    try:
        made = cythonize(
            wanted,
            build_dir=str(work / "c"),
            quiet=True,
            compiler_directives=DIRECTIVES,
            shared_utility_qualified_name=SHARED,
        )
        for extension in made:
            extension.optional = not required  # cythonize forgets it when it is given to Extension
        command: Any = Distribution({"ext_modules": made}).get_command_obj("build_ext")
        command.build_temp, command.build_lib, command.parallel = str(work / "t"), str(work / "l"), os.cpu_count()
        command.ensure_finalized()
        command.run()
    finally:
        os.chdir(here)
    built = sorted(path for path in (work / "l" / HOME).glob("*") if path.is_file())
    if len(built) < len(wanted):  # all or none: half of them would not fit the other, interpreted half
        return []
    (work / "l" / HOME / "built").write_text(fingerprint(root) + "\n")
    return [*built, work / "l" / HOME / "built"]


def mode() -> str:
    """Return what ADEPTREE_BUILD asks for."""
    asked = os.environ.get("ADEPTREE_BUILD", "auto")
    if asked not in MODES:
        raise ValueError(f"ADEPTREE_BUILD is one of {', '.join(MODES)}; got {asked!r}")
    return asked


def place(built: list[Path], root: Path = ROOT) -> None:
    """Put the machine code next to the sources, replacing old code."""
    target = root / "src" / HOME
    for old in [*target.glob("*.so"), *target.glob("*.pyd"), *target.glob("built")]:
        old.unlink()
    for path in built:
        shutil.copy(path, target)


class Kernels(BuildHookInterface):  # type: ignore[type-arg,misc]
    """The build hook that hatchling calls when it makes a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the machine code to the wheel; of an editable install, to the sources."""
        root = Path(self.root)
        self.work = TemporaryDirectory()
        built = [] if mode() == "none" else build(root, Path(self.work.name), mode() == "require")
        if version == "editable":
            place(built, root)
            return
        for path in built:
            build_data["force_include"][str(path)] = (HOME / path.name).as_posix()
        if built:
            build_data["pure_python"] = False
            if STABLE:
                platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
                build_data["tag"] = f"cp311-abi3-{platform}"
            else:
                build_data["infer_tag"] = True
        elif mode() == "auto":
            self.app.display_warning("no C compiler was found: the engines will be interpreted")

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Throw away what was only needed on the way."""
        self.work.cleanup()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        place(build(ROOT, Path(folder), required=True))
    print("compiled into", ROOT / "src" / HOME)
