// SPDX-License-Identifier: Apache-2.0
// Every option that names a file to write, pointed at places where none should be written.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

/// A command that writes to the path after its last word.
struct Writer {
  std::string command;
  std::string input;  ///< a file in the folder that it reads
};

std::vector<Writer> writers() {
  const std::string fit = "calibrate --messages messages.json ";
  const std::string import =
      "import times.csv --network resnet20 --input 3x32x32 --device gpu --machine m --batch 32 ";
  return {{kJob + " --strategy sync --timeline", "pair.json"},
          {fit + "--output", "messages.json"},
          {fit + "--output fitted.json --html", "messages.json"},
          {fit + "--platform pair.json --output", "pair.json"},
          {"calibrate --batches gpu.json --batches-output", "gpu.json"},
          {import + "--output", "times.csv"},
          {import + "--append", "times.csv"},
          {import + "--output t.json --messages-output", "times.csv"},
          {"report validation.json --html", "validation.json"}};
}

/// A folder with the inputs of all writers.
void fill(const Folder& folder) {
  nlohmann::json costs = nlohmann::json::array();
  for (const std::int64_t bytes : {4, 65536, 1 << 22}) {
    const double seconds = 10e-6 + static_cast<double>(bytes) / 1e9;
    for (const std::string kind : {"ping-pong", "ring-step"}) {
      costs.push_back({{"kind", kind},
                       {"scope", kind == "ring-step" ? "all" : "between"},
                       {"bytes", bytes},
                       {"samples_s", {seconds, seconds}}});
    }
  }
  folder.write("messages.json",
               nlohmann::json{{"schema", "epochcast.message-trace/1"},
                              {"name", "pair"},
                              {"title", "Two nodes"},
                              {"source", {{"grade", "estimated"}, {"method", "made up"}}},
                              {"ranks", 2},
                              {"nodes", 2},
                              {"node_of_rank", {0, 1}},
                              {"costs", costs}}
                   .dump());
  folder.write("times.csv", "time_ms\n10\n11\n12\n");
  fs::copy(EPOCHCAST_SOURCE_DIR "/tests/cli/data/validation.json", folder.path());
}

std::string names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  std::string all;
  for (const std::string& name : names) all += name + " ";
  return all;
}

TEST_CASE("an output that cannot be written is refused before the work, without changes") {
  const Folder folder;
  fill(folder);
  mkfifo((folder.path() / "pipe").c_str(), 0600);
  fs::create_symlink("circle", folder.path() / "circle");
  const std::string before = names_in(folder.path());
  for (const Writer& writer : writers()) {
    for (const std::string place : {".",
                                    "none/file",
                                    "pair.json/file",
                                    "pipe",
                                    "circle",
                                    "/proc/file",
                                    "/sys/file",
                                    "file/",
                                    "caf\xff.json"}) {
      CAPTURE(writer.command, place);
      const Outcome outcome = folder.run(writer.command + " " + place);

      CHECK(outcome.status == 2);
      CHECK(outcome.out.empty());
      CHECK(outcome.err.find("epochcast: ") == 0);
      CHECK(names_in(folder.path()) == before);
      CHECK(fs::is_fifo(folder.path() / "pipe"));
    }
  }
}

TEST_CASE("an input is never replaced, under any name") {
  for (const Writer& writer : writers()) {
    const Folder folder;
    fill(folder);
    fs::create_symlink(writer.input, folder.path() / "link");
    fs::create_hard_link(folder.path() / writer.input, folder.path() / "twin");
    const std::string content = folder.read(writer.input);
    for (const std::string& place : {writer.input, std::string("link"), std::string("twin")}) {
      CAPTURE(writer.command, place);
      const Outcome outcome = folder.run(writer.command + " " + place);

      CHECK(outcome.status == 2);
      CHECK(outcome.err.find(place + ": cannot be written: it is ") != std::string::npos);
      CHECK(folder.read(writer.input) == content);
      CHECK(fs::is_symlink(folder.path() / "link"));
    }
  }
}

TEST_CASE("two outputs are two files") {
  const Folder folder;
  fill(folder);
  fs::create_symlink("a", folder.path() / "b");
  for (const std::string command :
       {"calibrate --messages messages.json --output a --html ./a",
        "calibrate --messages messages.json --batches gpu.json --batches-output a --output b",
        "import times.csv --network resnet20 --input 3x32x32 --device gpu --machine m --batch 32 "
        "--output a --messages-output b"}) {
    CAPTURE(command);
    const Outcome outcome = folder.run(command);

    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(", which is written, too") != std::string::npos);
    CHECK(!folder.has("a"));
  }
}

TEST_CASE("a device is written to and not replaced; a link stays a link") {
  for (const Writer& writer : writers()) {
    if (writer.command.ends_with("--append") || writer.command.ends_with("--messages-output"))
      continue;  // reads existing files; needs all-reduces
    CAPTURE(writer.command);
    const Folder folder;
    fill(folder);
    fs::create_symlink("target", folder.path() / "link");

    CHECK(folder.run(writer.command + " /dev/null").status == 0);
    const Outcome full = folder.run(writer.command + " /dev/full");
    CHECK(full.status == 1);
    CHECK(full.err == "epochcast: /dev/full: cannot be written: No space left on device\n");
    CHECK(folder.run(writer.command + " link").status == 0);

    CHECK(fs::is_character_file("/dev/null"));
    CHECK(fs::is_character_file("/dev/full"));
    CHECK(fs::is_symlink(folder.path() / "link"));
    CHECK(!folder.read("target").empty());
    CHECK(names_in(folder.path()).find(".epochcast") == std::string::npos);
  }
}

TEST_CASE("a full disk leaves the old file and nothing else") {
  for (const Writer& writer : writers()) {
    if (writer.command.ends_with("--append") || writer.command.ends_with("--messages-output"))
      continue;
    CAPTURE(writer.command);
    const Folder folder;
    fill(folder);
    // In a separate mount namespace: nothing remains.
    folder.write("attack.sh",
                 "mkdir full\n"
                 "mount -t tmpfs -o size=16k none full 2>/dev/null || exit 77\n"
                 "printf old >full/old\n"
                 "cat /dev/zero >full/filler 2>/dev/null\n" EPOCHCAST_PROGRAM " " +
                     writer.command +
                     " full/old >out 2>err\n"
                     "echo $? >status\n"
                     "ls -A full >names\n"
                     "cp full/old after\n");
    if (folder.run("-m sh attack.sh", {.program = "unshare"}).status != 0) {
      WARN("no file system can be mounted here: full disks are not tried");
      return;
    }

    CHECK(folder.read("status") == "1\n");
    CHECK(folder.read("err") ==
          "epochcast: full/old: cannot be written: No space left on device\n");
    CHECK(folder.read("names") == "filler\nold\n");
    CHECK(folder.read("after") == "old");
  }
}

}  // namespace
}  // namespace epochcast::tests
