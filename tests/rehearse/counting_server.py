#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A fork server (base/process/fork_server.hpp) that starts a program anew for each request, and writes a line for it.

Arguments: the program, and the file of the lines."""

import os
import socket
import struct
import subprocess
import sys


def main():
    program, lines = sys.argv[1:3]
    requests = socket.socket(fileno=0)
    while True:
        words, files, _, _ = socket.recv_fds(requests, 128 * 1024, 3)
        if not words:
            return
        with open(lines, "a", encoding="utf-8") as file:
            file.write("\n")
        if os.fork() == 0:
            out, err, status = files
            done = subprocess.run([program, *words.decode().split("\0")[:-1]], stdin=subprocess.DEVNULL, stdout=out,
                                  stderr=err, check=False).returncode
            os.write(status, struct.pack("i", -done if done < 0 else done << 8))
            os._exit(0)
        for file in files:
            os.close(file)


if __name__ == "__main__":
    main()
