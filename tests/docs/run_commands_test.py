#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What run_commands.py runs of a page, what not, and when a page fails.

Usage: run_commands_test.py
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

RUN_COMMANDS = pathlib.Path(__file__).resolve().parent / "run_commands.py"


class RunCommands(unittest.TestCase):
    def run_page(self, text, *more):
        with tempfile.TemporaryDirectory() as folder:
            room = pathlib.Path(folder)
            program = room / "bin" / "epochcast"
            program.parent.mkdir()
            program.write_text(f"#!/bin/sh\necho \"$@\" >> {room}/typed\n[ \"$1\" != fail ]\n")
            program.chmod(0o755)
            page = room / "page.md"
            page.write_text(text)
            done = subprocess.run([sys.executable, RUN_COMMANDS, program, page, *more], text=True, capture_output=True)
            typed = room / "typed"
            return done.returncode, typed.read_text().splitlines() if typed.exists() else [], done.stdout + done.stderr

    def test_commands_are_typed_into_one_shell_one_after_the_other(self):
        status, typed, _ = self.run_page("```sh\nE=epochcast   # ours\n$E one \\\n  two\n```\ntext\n```sh\n$E three\n```\n")
        self.assertEqual((status, typed), (0, ["one two", "three"]))

    def test_a_command_that_fails_fails_the_page_and_is_named(self):
        status, typed, printed = self.run_page("```sh\nepochcast one\nepochcast fail\nepochcast two\n```\n")
        self.assertEqual((status, typed), (1, ["one", "fail"]))
        self.assertIn("page.md:3: ended with status 1", printed)

    def test_of_a_session_with_prompts_the_commands_are_run(self):
        status, typed, _ = self.run_page("```sh\n$ epochcast one\nits output\n```\n")
        self.assertEqual((status, typed), (0, ["one"]))

    def test_a_block_may_say_why_it_is_not_run(self):
        status, typed, printed = self.run_page("<!-- not run: needs a cluster -->\n```sh\nepochcast one\n```\n")
        self.assertEqual((status, typed), (0, []))
        self.assertIn("page.md:3: not run: needs a cluster", printed)

    def test_a_command_in_a_block_that_is_not_marked_is_a_failure(self):
        status, typed, printed = self.run_page("```\nepochcast one\n```\n")
        self.assertEqual((status, typed), (1, []))
        self.assertIn("page.md:2: commands that are not run", printed)

    def test_values_may_be_smaller_than_printed(self):
        status, typed, _ = self.run_page("<!-- run with: --epochs 1 --seeds 1 -->\n```sh\nepochcast x --epochs 90 --batch 4\n```\n")
        self.assertEqual((status, typed), (0, ["x --epochs 1 --batch 4"]))

    def test_values_are_smaller_inside_quotes_too(self):
        status, typed, _ = self.run_page("<!-- run with: --epochs 1 --batch 2 -->\n```sh\nJ=\"--epochs 90 --batch 4\"\nepochcast $J\n```\n")
        self.assertEqual((status, typed), (0, ["--epochs 1 --batch 2"]))

    def test_python_is_run_where_the_page_says_so(self):
        status, typed, _ = self.run_page("```python\nraise ValueError\n```\n<!-- run -->\n```python\nopen('made', 'w')\n```\n"
                                         "```sh\nepochcast $(ls made)\n```\n")
        self.assertEqual((status, typed), (0, ["made"]))

    def test_a_section_can_be_run_alone(self):
        status, typed, _ = self.run_page("# A\n```sh\nepochcast one\n```\n## B\n```sh\nepochcast two\n```\n", "--section", "B")
        self.assertEqual((status, typed), (0, ["two"]))

    def test_the_first_commands_can_be_run_alone(self):
        status, typed, _ = self.run_page("```sh\nepochcast one\n```\n## B\n```sh\nepochcast two\nepochcast three\n```\n", "--first", "2")
        self.assertEqual((status, typed), (0, ["one", "two"]))


if __name__ == "__main__":
    unittest.main()
