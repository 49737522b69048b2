"""The ease table, with a peer folder and programs made for the test.

Must not compile anything: a script replaces every compiler and registry.
"""

import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
# pylint: disable=wrong-import-position
from peers import building, ease, manifest, pulled

MANIFEST = """
name = "heron"
title = "Heron"
language = "C++"
licence = "MIT"
origin = "{origin}"
version = "1.2.0"
packages = ["libheron-dev"]
[build]
hello = {hello}
hello_source = "{source}"
[run]
command = ["{{out}}/app", "{{port}}"]
[serves]
cases = ["plaintext"]
"""
HELLO = "// Hello.\n\n#include <heron.h>\nint main() {}\n"
COMPILER = '#!/bin/sh\necho "$@" >>"$CALLS"\nfor last; do :; done\necho made >"$last"\n'
COMPILE = '[["g++", "-std=c++17", "-O3", "hello.cc", "-lheron", "-o", "{out}/hello"]]'
BAD_COMMANDS = (["cp", "hello.cc", "there"], ["g++", "-o", "app", "one.o"], ["cargo", "build"],
                ["g++", "-c", "one.cc", "two.cc"], ["sh", "-c", "g++ hello.cc"])


class Fixture(unittest.TestCase):
    """A folder with one peer, its own PATH and its own build folder."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        self.calls = self.root / "calls"
        for name in ("programs", "heron", "build/heron"):
            (self.root / name).mkdir(parents=True)
        path = f"{self.root / 'programs'}:{os.environ['PATH']}"
        for patch in (mock.patch.object(manifest, "BUILD", self.root / "build"),
                      mock.patch.dict(os.environ, PATH=path, CALLS=str(self.calls))):
            patch.start()
            self.addCleanup(patch.stop)

    def program(self, name, text):
        """Makes a script with this name, found before the real program."""
        path = self.root / "programs" / name
        path.write_text(text)
        path.chmod(0o755)

    def peer(self, hello=COMPILE, origin="distribution", source="hello.cc"):
        """Returns the peer as the arena reads it."""
        (self.root / "heron/hello.cc").write_text(HELLO)
        path = self.root / "heron/peer.toml"
        path.write_text(MANIFEST.format(hello=hello, origin=origin, source=source))
        return manifest.read(path)

    def measured(self, peer):
        """Returns its row, without any registry."""
        with mock.patch.object(pulled, "count", return_value=4):
            return ease.measure(peer, "", self.root / "log")


class Lines(unittest.TestCase):
    """The lines of hello world that are counted."""

    def test_comments_and_blank_lines_do_not_count(self):
        cases = ((HELLO, ".cc", 2), ("/* a\n * b\n */\nint a;\n", ".cc", 1),
                 ("int *p;\n*p = 1;\n", ".cc", 2), ("# a\nlisten 80;\n", ".conf", 1),
                 ("#include <a>\n", ".cc", 1), ("#[tokio::main]\n//! b\n", ".rs", 1),
                 ("a(); // b\n", ".js", 1), ("", ".js", 0), ("\n \n", ".go", 0))
        for text, suffix, count in cases:
            with self.subTest(text=text):
                self.assertEqual(ease.lines_of(text, suffix), count)

    def test_every_adapter_has_the_hello_source_that_it_names(self):
        peers, faults = manifest.read_all()
        self.assertEqual(faults, [])
        for peer in peers:
            source = peer.build.get("hello_source")
            if source:
                path = peer.folder / manifest.filled([source], peer)[0]
                self.assertGreater(ease.lines_of(path.read_text(), path.suffix), 0, peer.name)


class Compiling(Fixture):
    """The compile time divided by that of four standard headers."""

    def test_flags_are_kept_and_what_is_for_linking_is_not(self):
        step = ["/usr/bin/clang++-19", "-std=c++20", "-isystem", "there", "-DNDEBUG", "-I", "a",
                "-Wl,-s", "-Wall", "-o", "out", "hello.cc", "lib.a", "-lfmt", "-pthread"]
        flags, source = ease.compile_command(step)
        self.assertEqual(flags, ["/usr/bin/clang++-19", "-std=c++20", "-isystem", "there",
                                 "-DNDEBUG", "-I", "a", "-Wall", "-pthread"])
        self.assertEqual(source, "hello.cc")

    def test_what_compiles_no_single_file_gives_no_ratio(self):
        for step in BAD_COMMANDS:
            with self.subTest(step=step):
                self.assertIsNone(ease.compile_command(step))
        self.assertIsNone(ease.compile_ratio(BAD_COMMANDS, self.root))

    def test_the_two_alternate_with_the_same_flags(self):
        self.program("g++", COMPILER)
        self.assertGreater(ease.compile_ratio([["g++", "-O3", "hello.cc", "-lx"]], self.root), 0)
        calls = [line.split() for line in self.calls.read_text().splitlines()]
        self.assertEqual(len(calls), 2 * ease.ROUNDS)
        for number, call in enumerate(calls):
            self.assertEqual(call[:2], ["-O3", "-c"])
            self.assertEqual(Path(call[2]).name, ("baseline.cc", "hello.cc")[number % 2])


class Row(Fixture):
    """A whole row."""

    def test_a_row_says_what_was_measured(self):
        self.program("g++", COMPILER)
        row = self.measured(self.peer())
        self.assertEqual((row["name"], row["licence"], row["hello_lines"], row["packages_pulled"],
                          row["binary_bytes"]), ("heron", "MIT", 2, 4, len("made\n")))
        self.assertGreaterEqual(row["build_seconds"], 0)
        self.assertGreater(row["compile_ratio"], 0)

    def test_what_is_not_measured_is_null(self):
        row = self.measured(self.peer(hello="[]", source="absent.cc"))
        for key in ("hello_lines", "build_seconds", "compile_ratio", "binary_bytes"):
            self.assertIsNone(row[key], key)

    def test_hello_world_is_built_in_an_empty_folder_without_caches(self):
        (self.root / "build/heron/kept").write_text("of an earlier build")
        script = "test ! -e {out}/kept && test $CCACHE_DISABLE = 1 && test -n $GOCACHE"
        row = self.measured(self.peer(hello=f'[["sh", "-c", "{script} && echo a >{{out}}/hello"]]'))
        self.assertEqual(row["binary_bytes"], 2)

    def test_what_was_built_before_is_never_timed(self):
        (self.root / "build/heron/libheron.a").write_text("library")
        with self.assertRaisesRegex(building.BuildFailed, "ended with status 1"):
            self.measured(self.peer(hello='[["cp", "{out}/libheron.a", "{out}/hello"]]'))

    def test_every_hello_world_that_cmake_builds_is_configured_first(self):
        for peer in manifest.read_all()[0]:
            steps = [step[1] for step in peer.build.get("hello", ()) if step[0] == "cmake"]
            if steps:
                self.assertEqual(steps, ["-S", "--build"], peer.name)

    def test_a_hello_world_that_does_not_build_is_told(self):
        with self.assertRaisesRegex(building.BuildFailed, "ended with status 1"):
            self.measured(self.peer(hello='[["false"]]'))

    def test_a_saved_row_is_read_back(self):
        peer = self.peer()
        self.assertIsNone(ease.saved(peer))
        ease.save(peer, {"name": "heron"})
        self.assertEqual(ease.saved(peer), {"name": "heron"})


class Pulled(Fixture):
    """The number of dependencies in the output of each registry's program."""

    def assert_count(self, origin, program, script, count):
        """Returns the number for this output of the registry's program."""
        self.program(program, "#!/bin/sh\n" + script)
        self.assertEqual(pulled.count(self.peer(origin=origin)), count)

    def test_debian_packages_on_top_of_a_compiler(self):
        script = ('echo "Reading package lists..."; echo "Inst libc6 (2.36)"\n'
                  'case "$*" in *libheron-dev*) printf "Inst %s (1)\\n" libheron-dev libheron1 b;; '
                  'esac\necho "Conf libc6 (2.36)"\n')
        self.assert_count("distribution", "apt-get", script, 2)

    def test_crates_under_the_one_with_the_version_of_the_peer(self):
        script = ('case "$*" in *--depth*) printf "%s\\n" "app v1.0.0 (/a)" "heron v1.2.0" '
                  '"serde v1.0.9";;\n*heron@1.2.0*) printf "%s\\n" "heron v1.2.0" "a v1.0.0" '
                  '"b v1.0.0 (proc-macro)" "b v1.0.0 (*)" "a v2.0.0";; esac\n')
        self.assert_count("crates.io", "cargo", script, 3)

    def test_wheels_beside_the_library_and_what_installs_them(self):
        python = self.root / "build/heron/venv/bin/python"
        python.parent.mkdir(parents=True)
        told = "heron==1.2.0 pip==23.0 a==1 b==2 setuptools==66"
        python.write_text(f"#!/bin/sh\nprintf '%s\\n' {told}\n")
        python.chmod(0o755)
        self.assertEqual(pulled.count(self.peer(origin="pypi")), 2)
        python.write_text("#!/bin/sh\nexit 1\n")
        self.assertIsNone(pulled.count(self.peer(origin="pypi")))

    def test_crates_cannot_be_counted_where_the_library_is_not_certain(self):
        self.assert_count("crates.io", "cargo", 'printf "a v1.2.0\\nb v1.2.0\\n"\n', None)

    def test_go_modules_besides_the_library(self):
        script = 'printf "\\napp\\nheron v1.2.0\\na v1.0.0\\na v1.0.0\\n"\n'
        self.assert_count("go", "go", script, 1)

    def test_npm_packages_besides_the_one_asked_for(self):
        script = 'printf "/x\\n/x/node_modules/heron\\n/x/node_modules/@a/b\\n"\n'
        self.assert_count("npm", "npm", script, 1)

    def test_a_program_that_fails_gives_null(self):
        for origin, program in (("distribution", "apt-get"), ("crates.io", "cargo"), ("go", "go"),
                                ("npm", "npm")):
            with self.subTest(origin=origin):
                self.assert_count(origin, program, "exit 1\n", None)

    def test_the_word_of_the_manifest_comes_first(self):
        peer = self.peer()
        peer.data["depends_on"] = 0
        self.assertEqual(pulled.count(peer), 0)


if __name__ == "__main__":
    unittest.main()
