#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a page of the documentation, as a reader who types them.

Usage: run_commands.py EPOCHCAST PAGE.md [--section TITLE] [--first COUNT] [--list]

Blocks marked ```sh are typed into one shell, from top to bottom, in a temporary folder that has what the source folder has:
models and traces as copies, the rest as links; `epochcast` and this Python as `python3` are on its PATH. A command that does not
end with status 0 fails the page. In a block with lines that begin with "$ ", these are the commands and the others their output.

What a page presumes (a model, a folder of data) is made by a script of its name here, PAGE.sh, which runs first; where that ends
with status 77 the page is skipped, and so does this program end, with what the script has printed as the reason.

A comment on the line before a block says what else there is to know of it:
  <!-- not run: REASON -->           the block is not run, and the list at the end has the reason
  <!-- run with: --epochs 1 ... -->  these values in place of those that the commands have, where the real ones take too long
  <!-- run -->                       a ```python block is run, too (others are not)
A block that is not marked ```sh and has a command of ours in it must say why it is not run.
"""
import argparse
import os
import pathlib
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
COPIED = ["models", "traces"]  # commands may write into these
LINKED = ["bench", "docs", "tests", "tools", "CMakeLists.txt", "Makefile"]
OURS = re.compile(r"^(\$ |\$E |build/\S+/epochcast|epochcast[ -])")
TIMEOUT_S = 3000
SHOWN_LINES = 30
SKIPPED = 77


class Block:
    def __init__(self, line, language, directive, section):
        self.line = line  # of its first line, from 1 on
        self.language = language
        self.directive = directive
        self.section = section
        self.text = []

    def not_run_because(self):
        found = re.fullmatch(r"not run: (.+)", self.directive)
        return found.group(1) if found else None

    def values(self):
        """The values of flags to run it with, by flag."""
        found = re.fullmatch(r"run with: (.+)", self.directive)
        return dict(re.findall(r"(--[a-z0-9-]+) (\S+)", found.group(1))) if found else {}

    def has_command_of_ours(self):
        return any(OURS.match(line) for line in self.text)

    def commands(self):
        """(line, command) of each."""
        if self.language == "python":
            return [(self.line, "python3 - <<'END_OF_BLOCK'\n" + "\n".join(self.text) + "\nEND_OF_BLOCK")]
        is_session = any(line.startswith("$ ") for line in self.text)
        commands = []
        is_continued = False
        for number, line in enumerate(self.text, self.line):
            if is_continued:
                commands[-1] = (commands[-1][0], commands[-1][1] + "\n" + line)
            elif is_session and not line.startswith("$ "):
                continue
            elif line.strip() and not line.lstrip().startswith("#"):
                commands.append((number, line.removeprefix("$ ") if is_session else line))
            else:
                continue
            is_continued = line.endswith("\\")
        return [(number, with_values(command, self.values())) for number, command in commands]


def with_values(command, values):
    for flag, value in values.items():
        command = re.sub(rf"(?<=[\s\"']){flag}[ =][^\s\"']+", f"{flag} {value}", command)
    return command


def blocks_of(text):
    blocks, block, directive, section = [], None, "", ""
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.fullmatch(r"\s*```(\w*)", line)
        if fence and block is None:
            block = Block(number + 1, fence.group(1), directive, section)
        elif fence:
            blocks.append(block)
            block = None
        elif block is not None:
            block.text.append(line)
        else:
            heading = re.fullmatch(r"#+ (.+)", line)
            section = heading.group(1) if heading else section
            comment = re.fullmatch(r"\s*<!-- (.+) -->", line)
            directive = comment.group(1) if comment else ""
    return blocks


class Shell:
    """One shell, that keeps what commands have set."""

    def __init__(self, room, epochcast):
        self.room = room
        tools = room / ".bin"
        tools.mkdir()
        (tools / "python3").symlink_to(sys.executable)
        for preset in ("dev", "release"):
            (room / "build").mkdir(exist_ok=True)
            (room / "build" / preset).symlink_to(epochcast.parent)
        home = room / ".home"
        home.mkdir()
        environment = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache"),
                       "PATH": f"{tools}:{epochcast.parent}:{os.environ['PATH']}"}
        self.statuses, told = os.pipe()
        self.bash = subprocess.Popen(["bash", "--norc"], cwd=room, env=environment, stdin=subprocess.PIPE, pass_fds=[told],
                                     start_new_session=True, text=True)
        os.close(told)
        self.told = told
        self.ready = selectors.DefaultSelector()
        self.ready.register(self.statuses, selectors.EVENT_READ)

    def run(self, command):
        """Its exit status (None: it took too long, or ended the shell) and what it printed."""
        typed, printed = self.room / ".typed", self.room / ".printed"
        typed.write_text(command + "\n")
        self.bash.stdin.write(f". {typed} > {printed} 2>&1 < /dev/null {self.told}>&-; echo $? >&{self.told}\n")
        self.bash.stdin.flush()
        status = os.read(self.statuses, 16) if self.ready.select(TIMEOUT_S) else b""
        return int(status) if status else None, printed.read_text(errors="replace") if printed.exists() else ""

    def end(self):
        try:
            os.killpg(self.bash.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.bash.wait()


def furnish(room):
    for name in COPIED:
        shutil.copytree(SOURCE / name, room / name)
    for name in LINKED:
        (room / name).symlink_to(SOURCE / name)


def plan(page, section):
    """What to run, what not and why, and what the page has to say more of."""
    to_run, left_out, problems = [], [], []
    blocks = blocks_of(page.read_text())
    if section and section not in [block.section for block in blocks]:
        problems.append(f"{page}: no section \"{section}\" with commands")
    for block in blocks:
        if section and block.section != section:
            continue
        if block.not_run_because():
            left_out.append((block, block.not_run_because()))
        elif block.language == "sh" or (block.language == "python" and block.directive == "run"):
            to_run.append(block)
        elif not block.language and block.has_command_of_ours():
            problems.append(f"{page}:{block.line}: commands that are not run; mark the block ```sh, or say before it "
                            "<!-- not run: REASON -->")
    return to_run, left_out, problems


def run_page(page, epochcast, commands):
    """The exit status for the page."""
    with tempfile.TemporaryDirectory(prefix="epochcast-docs-") as folder:
        room = pathlib.Path(folder)
        furnish(room)
        shell = Shell(room, epochcast)
        try:
            first = SOURCE / "tests" / "docs" / f"{page.stem}.sh"
            if first.exists():
                status, printed = shell.run(f"bash -e {first}")
                if status == SKIPPED:
                    print(f"skipped: {printed.strip()}")
                    return SKIPPED
                if status != 0:
                    print(f"{first}: ended with {status}\n{printed}")
                    return 1
            for line, command in commands:
                began_s = time.monotonic()
                status, printed = shell.run(command)
                print(f"{page.name}:{line}: {time.monotonic() - began_s:.1f} s: {command.splitlines()[0]}", flush=True)
                if status != 0:
                    shown = "\n".join(printed.splitlines()[-SHOWN_LINES:])
                    print(f"{command}\n{shown}\n{page}:{line}: " +
                          (f"ended with status {status}" if status is not None else f"not done after {TIMEOUT_S} s"))
                    return 1
        finally:
            shell.end()
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("epochcast", type=pathlib.Path)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--section", help="the blocks below this heading only")
    parser.add_argument("--first", type=int, metavar="COUNT", help="so many commands only")
    parser.add_argument("--list", action="store_true", help="show what would be run, and what not")
    given = parser.parse_args()

    to_run, left_out, problems = plan(given.page, given.section)
    commands = [each for block in to_run for each in block.commands()][:given.first]
    if given.list:
        for line, command in commands:
            print(f"{given.page.name}:{line}: {command}")
    for block, reason in left_out:
        print(f"{given.page.name}:{block.line}: not run: {reason}")
    if problems:
        sys.exit("\n".join(problems))
    sys.exit(0 if given.list else run_page(given.page, given.epochcast.absolute(), commands))


if __name__ == "__main__":
    main()
