"""Finds the library of a peer that the user provides: a header, or a CMake package.

Must not install or download anything.
"""

import subprocess
import tempfile
from pathlib import Path

SECONDS_MAX = 60
_PROBE = """cmake_minimum_required(VERSION 3.16)
project(probe LANGUAGES CXX)
find_package({name} REQUIRED)
"""


def _has_header(header, prefix):
    folders = [f"-I{Path(prefix) / part}" for part in ("include", "")] if prefix else []
    asked = subprocess.run(["g++", "-std=c++20", "-E", "-x", "c++", *folders, "-o", "/dev/null",
                            "-"], input=f"#if !__has_include(<{header}>)\n#error none\n#endif\n",
                           text=True, capture_output=True, check=False, timeout=SECONDS_MAX)
    return asked.returncode == 0


def _has_package(name, prefix):
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / "CMakeLists.txt").write_text(_PROBE.format(name=name))
        asked = subprocess.run(["cmake", "-S", directory, "-B", f"{directory}/build",
                                f"-DCMAKE_PREFIX_PATH={prefix}"], capture_output=True,
                               check=False, timeout=SECONDS_MAX)
        return asked.returncode == 0


def why_absent(peer, prefix=""):
    """Returns "" if the library is found, else where it was searched and how to name its folder."""
    if prefix and not Path(prefix).is_dir():
        return f"the prefix {prefix} is not a folder"
    find, looked = peer.data.get("find", {}), []
    tries = (("header", "<{}>", _has_header), ("cmake", "find_package({})", _has_package))
    for key, shown, has in tries:
        if key in find:
            looked.append(shown.format(find[key]))
            try:
                if has(find[key], prefix):
                    return ""
            except (OSError, subprocess.TimeoutExpired) as failure:
                looked[-1] += f" ({failure})"
    where = f"in {prefix}" if prefix else "on this system"
    return (f"{' and '.join(looked)} not found {where}; install {peer.title} and name its folder: "
            f"--prefix {peer.name}=PATH")
