"""Every error in a peer.toml names file, key and solution; setup works with a valid one."""

import tempfile
import unittest
from pathlib import Path

import core_support
from peers import building, found, manifest, setup

RIGHT = """name = "tiny"
title = "Tiny"
language = "C++"
licence = "MIT"
origin = "yours"
version = "1"
[find]
header = "no_such_header_of_anybody.h"
[build]
steps = [["sh", "-c", "echo built > {out}/program"]]
seconds_max = 5
[run]
command = ["{out}/program", "{port}", "{threads}"]
[serves]
cases = ["plaintext"]
"""


class InFolder(unittest.TestCase):
    """A test with a folder for one peer."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = Path(directory.name) / "tiny"
        self.folder.mkdir()

    def read(self, text):
        """Returns the Peer of this text."""
        (self.folder / "peer.toml").write_text(text)
        return manifest.read(self.folder / "peer.toml")


class Manifests(InFolder):
    def test_a_right_one_is_read(self):
        peer = self.read(RIGHT)
        self.assertEqual([c.name for c in peer.contestants], ["tiny"])
        self.assertEqual(peer.cases, ("plaintext",))

    def test_variants_are_contestants_of_their_own(self):
        peer = self.read(RIGHT + '[[contestant]]\nname = "tiny-a"\ntitle = "A"\n'
                         'arguments = ["--a"]\n[[contestant]]\nname = "tiny-b"\ntitle = "B"\n')
        self.assertEqual([c.name for c in peer.contestants], ["tiny-a", "tiny-b"])
        self.assertEqual(peer.contestants[0].command[-1], "--a")

    def test_each_fault_names_the_file_the_key_and_the_mend(self):
        cases = [
            ('title = "Tiny"\n', "", "title: is missing; write a text"),
            ('"Tiny"', "7", "title: is 7; it must be a text"),
            ("[serves]", 'processes_by = "forks"\n[serves]',
             "[run] processes_by: 'forks' is not known; there are: threads, copies, arguments"),
            ('name = "tiny"', 'name = "other"', "they must be equal"),
            ('name = "tiny"', 'name = "Tiny!"', "but may have only a-z, 0-9 and -"),
            ('"yours"', '"mine"', "origin: 'mine' is not known; there are: distribution"),
            ('"plaintext"', '"plain"', "did you mean plaintext?"),
            ('header = "no_such_header_of_anybody.h"', "", "[find]: is missing"),
            ("seconds_max = 5", 'seconds_max = "5"', "[build] seconds_max: is '5'; it must be"),
            ("seconds_max = 5", "second_max = 5", "did you mean seconds_max?"),
            ('[["sh"', '["sh"', "cannot be read"),
            ("{port}", "{portt}", "{portt} is not known; did you mean port?"),
            ('"{port}", ', "", "has no {port}"),
            ('command = ["{out}/program", "{port}", "{threads}"]', "", "[run] command: is missing"),
            ("[serves]\n", '[run.extra]\n[serves]\n', "[run] extra: is not known"),
            ("[serves]\n", "[case]\nplaintext = 3\n[serves]\n", "write [case.plaintext] arguments"),
            ("title", "title =", "cannot be read"),
        ]
        for old, new, told in cases:
            with self.subTest(told):
                self.assertIn(old, RIGHT)
                with self.assertRaises(manifest.ManifestError) as caught:
                    self.read(RIGHT.replace(old, new, 1))
                self.assertIn("tiny/peer.toml: ", str(caught.exception))
                self.assertIn(told, str(caught.exception))

    def test_one_wrong_manifest_leaves_the_others(self):
        arena = self.folder.parent / "arena"
        core_support.peer(arena / "apps", "good", "right")
        (arena / "apps/bad").mkdir()
        (arena / "apps/bad/peer.toml").write_text("name = 1")
        peers, faults = manifest.read_all(arena)
        self.assertEqual([peer.name for peer in peers], ["good"])
        self.assertIn("bad/peer.toml: ", faults[0])

    def test_every_manifest_of_the_arena_is_right(self):
        peers, faults = manifest.read_all()
        self.assertEqual(faults, [])
        self.assertIn("eider", [peer.name for peer in peers])

    def test_placeholders_are_filled_and_shell_variables_are_not(self):
        peer = self.read(RIGHT)
        self.assertEqual(manifest.filled(["{port}", "${Version}", "{unknown}"], peer, port=1),
                         ["1", "${Version}", "{unknown}"])


class Setup(InFolder):
    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, manifest, "BUILD", manifest.BUILD)
        manifest.BUILD = self.folder.parent / "build"

    def test_what_is_absent_is_told_with_the_way_to_name_it(self):
        self.assertIn("<no_such_header_of_anybody.h> not found on this system; install Tiny and "
                      "name its folder: --prefix tiny=PATH", found.why_absent(self.read(RIGHT)))

    def test_a_header_under_the_prefix_is_found(self):
        include = self.folder.parent / "prefix/include"
        include.mkdir(parents=True)
        (include / "no_such_header_of_anybody.h").touch()
        self.assertEqual(found.why_absent(self.read(RIGHT), str(include.parent)), "")

    def test_a_peer_is_built_once_and_again_when_its_files_change(self):
        peer = self.read(RIGHT.replace('"yours"', '"ours"'))
        self.assertFalse(setup.is_ready(peer))
        setup.set_up(peer, "", lambda text: None)
        self.assertEqual((peer.out / "program").read_text(), "built\n")
        self.assertTrue(setup.is_ready(peer))
        (self.folder / "app.cc").touch()
        self.assertFalse(setup.is_ready(peer))

    def test_a_failing_and_an_endless_step_are_named_with_their_log(self):
        for command, told in (("echo why; exit 3", "ended with status 3: sh -c echo why"),
                              ("sleep 30", "took over 1 s")):
            peer = self.read(RIGHT.replace("echo built > {out}/program", command)
                             .replace("seconds_max = 5", "seconds_max = 1"))
            with self.subTest(command), self.assertRaises(building.BuildFailed) as caught:
                building.run_steps(peer, peer.build["steps"], "", self.folder / "log")
            self.assertIn(told, str(caught.exception))
            self.assertIn("the whole log is in", str(caught.exception))

    def test_a_missing_program_is_named(self):
        peer = self.read('needs_commands = ["no-such-program"]\n'
                         + RIGHT.replace('"yours"', '"ours"'))
        with self.assertRaisesRegex(setup.SetupFailed, "the program no-such-program must be there"):
            setup.set_up(peer, "", lambda text: None)


if __name__ == "__main__":
    unittest.main()
