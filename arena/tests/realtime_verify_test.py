"""The requirements for a WebSocket: every error is reported, and a correct contestant passes."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent)]
# pylint: disable=wrong-import-position
from tiny_websocket import MODES, TinyWebSocket
from load import files_dir, idle_sockets
from verify import websockets
from verify.framing import WrongAnswer


class Frames(unittest.TestCase):
    def test_the_accept_value_is_that_of_the_rfc(self):
        self.assertEqual(websockets.accept_of("dGhlIHNhbXBsZSBub25jZQ=="),
                         "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")

    def test_a_masked_frame_is_that_of_the_rfc(self):
        self.assertEqual(websockets.frame(b"Hello", key=bytes.fromhex("37fa213d")).hex(),
                         "818537fa213d7f9f4d5158")

    def test_lengths_take_their_shortest_form(self):
        for size, head in ((0, "8180"), (125, "81fd"), (126, "81fe007e"), (65535, "81feffff"),
                           (65536, "81ff0000000000010000")):
            told = websockets.frame(b"x" * size, key=b"\0\0\0\0")
            self.assertEqual(told.hex()[:len(head)], head)
            self.assertEqual(len(told), len(head) // 2 + 4 + size)


class Impatient(unittest.TestCase):
    """A test with a short timeout for data that never arrives."""

    def setUp(self):
        self.addCleanup(setattr, websockets, "TIMEOUT_SECONDS", websockets.TIMEOUT_SECONDS)
        websockets.TIMEOUT_SECONDS = 0.5


class Echo(Impatient):
    def test_every_way_to_err_is_told(self):
        for mode, told in MODES.items():
            with self.subTest(mode), TinyWebSocket(mode) as server:
                if mode in ("alone", "twice"):
                    continue
                if not told:
                    websockets.check_echo(server.port, "/ws", 70000)
                    continue
                with self.assertRaises(WrongAnswer) as caught:
                    websockets.check_echo(server.port)
                self.assertIn(told, str(caught.exception))

    def test_nobody_there_is_an_error_of_the_system(self):
        with TinyWebSocket() as server:
            port = server.port
        with self.assertRaises(OSError):
            websockets.check_echo(port)


class Rooms(Impatient):
    def test_a_right_room_passes(self):
        with TinyWebSocket() as server:
            websockets.check_room(server.port)

    def test_what_does_not_reach_all_or_reaches_others_is_told(self):
        for mode, told in (("alone", "no complete response"), ("twice", "not opcode"),
                           ("next-door", "not opcode"), ("byte", "not opcode")):
            with self.subTest(mode), TinyWebSocket(mode) as server:
                with self.assertRaisesRegex(WrongAnswer, told):
                    websockets.check_room(server.port)


class IdleSockets(unittest.TestCase):
    def used(self, mode):
        """Uses one connection."""
        with TinyWebSocket(mode) as server:
            with websockets.socket.create_connection(("127.0.0.1", server.port)) as connection:
                idle_sockets.opener("/ws")(connection)

    def test_an_upgrade_and_an_echo_are_awaited(self):
        self.used("right")

    def test_what_is_wrong_is_told(self):
        for mode, told in (("status", "not answered with 101"), ("accept", "not answered with 101"),
                           ("byte", "does not come back"), ("ends", "connection ends")):
            with self.subTest(mode), self.assertRaisesRegex(WrongAnswer, told):
                self.used(mode)


class Files(unittest.TestCase):
    def test_they_are_made_once_and_mended(self):
        with tempfile.TemporaryDirectory() as parent:
            folder = files_dir.ensure(Path(parent) / "files")
            sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
            self.assertEqual(sizes, {"1k.bin": 1024, "64k.bin": 65536, "1m.bin": 1048576})
            before = (folder / "1k.bin").stat().st_mtime_ns
            (folder / "64k.bin").write_bytes(b"torn")
            files_dir.ensure(folder)
            self.assertEqual((folder / "1k.bin").stat().st_mtime_ns, before)
            self.assertEqual((folder / "64k.bin").read_bytes(), files_dir.content("64k"))


if __name__ == "__main__":
    unittest.main()
