"""The upstream of a proxy starts together with the load, is passed to all, and ends with the cell.

Must not need a peer or Eider: a tiny contestant is the upstream.
"""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]
# pylint: disable=wrong-import-position
import core_support
from experiments import proxy
from experiments.model import Machine, both
from load import process, starting
from load.server import Manners, Server
from peers import manifest

TWO_CORES = Machine((0,), (1,))


class Upstream(unittest.TestCase):
    def setUp(self):
        core_support.with_fake_wrk(self)
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.peer = core_support.peer(directory.name, "tiny", "right")
        self.peer.data["case"] = {"plaintext": {"environment": {"A": "b"}}}
        self.cell = core_support.cell(is_proxied=True)
        self.results = core_support.folder(directory.name + "/results", self.peer.contestants)

    def run_with(self, upstream_command):
        """Returns the samples of a cell with this upstream, and the upstream's Server."""
        made = []
        def upstream(_cell, ports, _machine):
            port = ports.take()
            words = [word.format(port=port) for word in upstream_command]
            made.append(Server("upstream", words, port, {0}, Manners(is_exit_clean=False)))
            return made[0]
        with mock.patch.object(starting, "upstream_server", upstream):
            planned = core_support.planned([self.cell], [self.peer], rounds=1)
            return core_support.carry_out(planned, self.results), made[0]

    def test_it_runs_while_the_cell_is_measured_and_no_longer(self):
        samples, server = self.run_with([sys.executable, "-I", "-S", str(core_support.TINY),
                                         "{port}", "right"])
        self.assertEqual([row["wrong"] for row in samples], [""])
        self.assertIsNotNone(server.process.returncode)
        self.assertFalse(process.is_listening(1, server.port))

    def test_without_it_the_cell_is_left_out_and_told(self):
        samples, _ = self.run_with(["/no/such/floor_epoll", "{port}"])
        self.assertEqual(samples, [])
        self.assertIn("the upstream does not start: cannot be started",
                      self.results.run["left_out"][0]["why"])

    def test_its_place_is_told_by_word_and_environment(self):
        self.peer.data["case"] = {"plaintext": {"arguments": ["--upstream", "{upstream}"]}}
        who = self.peer.contestants[0]
        words = starting.command(who, self.cell, 80, 1, upstream="127.0.0.1:9")
        self.assertEqual(words[-2:], ["--upstream", "127.0.0.1:9"])
        told = starting.manners(who, self.cell, 80, "127.0.0.1:9").environment
        self.assertEqual(told, {"UPSTREAM": "127.0.0.1:9"})
        self.assertNotIn("UPSTREAM", starting.manners(who, self.cell).environment)

    def test_it_is_the_bare_loop_on_the_cores_of_the_load(self):
        server = starting.upstream_server(self.cell, starting.Ports(), TWO_CORES)
        self.assertEqual((Path(server.command[0]).name, server.cores), ("floor_epoll", {1}))
        self.assertEqual(server.command[1:], [str(server.port), "1"])

    def test_it_answers_as_many_bytes_and_speaks_websocket_where_the_cell_asks(self):
        cells = {cell.id: cell for cell in proxy.experiment(TWO_CORES).cells}
        words = starting.upstream_server(cells["b1m"], starting.Ports(), TWO_CORES).command
        self.assertEqual(words[-2:], ["--bytes", str(len(cells["b1m"].ask.expected.body))])
        words = starting.upstream_server(cells["websocket"], starting.Ports(), TWO_CORES).command
        self.assertEqual(Path(words[0]).name, "arena_eider")


class Plans(unittest.TestCase):
    def test_the_cell_is_bounded_by_nginx_and_served_by_it(self):
        for cell in proxy.experiment(TWO_CORES).cells:
            self.assertEqual((cell.bound, cell.bound_over), (both(1.0), ("nginx",)))
            self.assertTrue(cell.is_proxied)
        peers, _ = manifest.read_all()
        there = {peer.name for peer in peers if "proxy" in peer.cases}
        self.assertLess({"eider", "nginx"}, there)
        self.assertLessEqual({"eider", "nginx"}, {p.name for p in peers if "tunnel" in p.cases})


if __name__ == "__main__":
    unittest.main()
