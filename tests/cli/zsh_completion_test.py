#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The completion of a line by zsh on a terminal after Tab. Argument: the epochcast program. Ends with 77 without zsh."""
import os
import pathlib
import pty
import select
import shutil
import signal
import sys
import tempfile
import time
import unittest

TIMEOUT_S = 120
# Tab completes, and the resulting line is written to a file; Control-U clears the line.
START = """PROMPT=; fpath=({room} $fpath); autoload -Uz compinit && compinit -u -d {room}/dump
pressed() {{ zle complete-word; print -r -- "$BUFFER|" > {room}/new && mv {room}/new {room}/line }}
zle -N pressed; bindkey '^I' pressed; bindkey '^U' kill-whole-line; : > {room}/ready
"""


class ZshCompletes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.room = pathlib.Path(tempfile.mkdtemp(prefix="epochcast-zsh-"))
        os.system(f"'{PROGRAM}' completion zsh > {cls.room}/_epochcast")
        (cls.room / "pair.json").touch()
        (cls.room / "start").write_text(START.format(room=cls.room))
        cls.process, cls.terminal = pty.fork()
        if cls.process == 0:
            os.chdir(cls.room)
            path = f"{PROGRAM.parent}:{os.environ['PATH']}"
            os.execve(ZSH, ["zsh", "-f", "-i"], {**os.environ, "PATH": path, "TERM": "dumb", "HOME": str(cls.room)})
        os.write(cls.terminal, b". ./start\n")
        cls.wait_for("ready")

    @classmethod
    def tearDownClass(cls):
        os.kill(cls.process, signal.SIGKILL)
        os.close(cls.terminal)
        os.waitpid(cls.process, 0)
        shutil.rmtree(cls.room)

    @classmethod
    def wait_for(cls, name):
        """The content of the file of that name, once it exists; zsh's output is read meanwhile, since it would block otherwise."""
        until_s, printed = time.monotonic() + TIMEOUT_S, b""
        while not (cls.room / name).exists():
            if time.monotonic() > until_s:
                raise AssertionError(f"zsh did nothing for {TIMEOUT_S} s: {printed.decode(errors='replace')}")
            if select.select([cls.terminal], [], [], 0.02)[0]:
                printed += os.read(cls.terminal, 65536)
        return (cls.room / name).read_text()

    def check(self, typed, line):
        os.write(self.terminal, b"\x15" + typed.encode() + b"\t")
        completed = self.wait_for("line")
        (self.room / "line").unlink()
        self.assertEqual(completed, line + "|\n")

    def test_commands_and_their_words(self):
        self.check("epochcast si", "epochcast simulate ")
        self.check("epochcast list pl", "epochcast list platforms ")
        self.check("epochcast measure b", "epochcast measure batches ")

    def test_options_and_their_words(self):
        self.check("epochcast simulate --over", "epochcast simulate --overlap=")
        self.check("epochcast simulate --overlap b", "epochcast simulate --overlap bucket ")
        self.check("epochcast simulate --overlap=b", "epochcast simulate --overlap=bucket ")

    def test_settings(self):
        self.check("epochcast simulate --sweep averaging-p", "epochcast simulate --sweep averaging-period=")
        self.check("epochcast simulate --set network.band", "epochcast simulate --set network.bandwidth=")

    def test_columns(self):
        self.check("epochcast simulate --columns epoch,blo", "epochcast simulate --columns epoch,blocked,")
        self.check("epochcast simulate --sort blo", "epochcast simulate --sort blocked ")

    def test_what_find_looks_for_and_compare_compares(self):
        self.check("epochcast find network.band", "epochcast find network.bandwidth,")
        self.check("epochcast compare deep-est-e", "epochcast compare deep-est-esb ")
        self.check("epochcast compare pa", "epochcast compare pair.json ")

    def test_the_catalogues_names(self):
        self.check("epochcast simulate --platform deep-est-e", "epochcast simulate --platform deep-est-esb ")
        self.check("epochcast simulate --platform=deep-est-e", "epochcast simulate --platform=deep-est-esb ")
        self.check("epochcast simulate --platform d", "epochcast simulate --platform d")  # deep-..., dgx-...

    def test_lists_of_names(self):
        self.check("epochcast simulate --strategy sync,local-", "epochcast simulate --strategy sync,local-sgd,")  # a space removes the comma

    def test_files(self):
        self.check("epochcast simulate --platform pa", "epochcast simulate --platform pair.json ")
        self.check("epochcast report pa", "epochcast report pair.json ")


if __name__ == "__main__":
    ZSH = shutil.which("zsh")
    if ZSH is None:
        print("skipped: zsh is not installed")
        sys.exit(77)
    PROGRAM = pathlib.Path(sys.argv.pop(1)).absolute()
    unittest.main()
