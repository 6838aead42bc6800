"""The units in examples/systemd: systemd accepts them, they leave the service few rights, and the program that they start
serves the socket that they open."""
import http.client
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

LOGCTL, UNITS = os.environ["LOGCTL"], pathlib.Path(os.environ["UNITS"])
NAMES = ["turnlog.service", "turnlog.socket"]
MOST_EXPOSURE = 15  # tenths, of 100: `systemd-analyze security`
PATIENCE = 60  # seconds


class OverSocket(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=PATIENCE)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class SystemdUnitsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="turnlog-units-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in NAMES:
            unit = (UNITS / name).read_text()
            (self.folder / name).write_text(unit.replace("/usr/bin/logctl", LOGCTL))

    def analyze(self, *arguments):
        return subprocess.run(["systemd-analyze", *arguments], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=PATIENCE)

    def test_systemd_accepts_them(self):
        said = self.analyze("verify", "--man=no", *(f"./{name}" for name in NAMES))
        self.assertEqual((said.returncode, said.stdout), (0, ""))

    def test_few_rights(self):
        said = self.analyze("security", "--offline=true", f"--threshold={MOST_EXPOSURE}", "./turnlog.service")
        self.assertEqual(said.returncode, 0, said.stdout)
        said = self.analyze("security", "--offline=true", "--threshold=1", "./turnlog.service")
        self.assertNotEqual(said.returncode, 0, "the threshold is not looked at")

    # As with the units: the socket is opened first, and the service starts with the first connection.
    def test_socket_activation(self):
        store = self.folder / "store"
        store.mkdir(mode=0o700)
        path = store / "service.sock"
        with subprocess.Popen(["systemd-socket-activate", "-l", str(path), LOGCTL, "--store", str(store), "serve"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as started:
            try:
                self.assertIn("Listening on", started.stderr.readline())
                path.chmod(0o600)  # SocketMode of the unit
                connection = OverSocket(str(path))
                connection.request("GET", "/healthz")
                self.assertEqual(connection.getresponse().status, 200)
                connection.close()
                appended = subprocess.run([LOGCTL, "--store", str(store), "append", "greeting"], text=True,
                                        input='{"type":"turn_start"}\n', capture_output=True, timeout=PATIENCE)
                self.assertEqual(appended.returncode, 0, appended.stderr)
            finally:
                started.terminate()
            self.assertEqual(started.wait(PATIENCE), 0, "it ends in good order")
            self.assertTrue(path.exists(), "the socket is systemd's")


if __name__ == "__main__":
    if shutil.which("systemd-analyze") is None or shutil.which("systemd-socket-activate") is None:
        print("skipped: there is no systemd-analyze or systemd-socket-activate (package systemd)")
        sys.exit(77)
    unittest.main()
