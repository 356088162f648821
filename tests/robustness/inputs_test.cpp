// SPDX-License-Identifier: Apache-2.0
// Every option that names a file to read, pointed at what never ends, or is far too much.
#include <sys/stat.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>

#include "tests/catch.hpp"
#include "tests/cli/program.hpp"

namespace epochcast::tests {
namespace {

namespace fs = std::filesystem;

const std::string kImport =
    " --network resnet20 --input 3x32x32 --device gpu --machine m --batch 32 --output t.json";

/// Commands in which FILE is replaced by the file to read.
std::vector<std::string> readers() {
  const std::string job = "simulate --strategy sync --epochs 1 --batch-seconds gpu=1s ";
  return {job + "--platform FILE --network resnet20 --dataset cifar10",
          job + "--platform pair.json --network FILE --dataset cifar10",
          job + "--platform pair.json --network resnet20 --dataset FILE",
          "simulate --strategy sync --platform pair.json --network resnet20 --dataset cifar10 "
          "--trace FILE",
          job + "--platform pair.json --network resnet20 --dataset cifar10 --experiment FILE",
          "calibrate --messages FILE --output p.json",
          "calibrate --batches FILE",
          "import FILE" + kImport,
          "report FILE"};
}

Outcome run_with(const Folder& folder, std::string command, const std::string& file) {
  return folder.run(command.replace(command.find("FILE"), 4, file), {.cpu_seconds = 120});
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

/// `head` and then `piece` repeatedly; not held in memory, which would count for a child.
void write_gzipped(const fs::path& file,
                   const std::string& head,
                   const std::string& piece,
                   std::size_t bytes) {
  const std::string block = repeated(piece, (std::size_t{1} << 16) / piece.size());
  gzFile packed = gzopen(file.c_str(), "wb1");
  gzwrite(packed, head.data(), static_cast<unsigned>(head.size()));
  for (std::size_t done = 0; done < bytes; done += block.size())
    gzwrite(packed, block.data(), static_cast<unsigned>(block.size()));
  gzclose(packed);
}

TEST_CASE("pipes, devices, folders and endless files are refused at once, by every reader") {
  const Folder folder;
  mkfifo((folder.path() / "pipe.json").c_str(), 0600);
  fs::create_symlink("/dev/zero", folder.path() / "device.json");
  fs::create_directory(folder.path() / "folder.json");
  folder.write("huge.json", "");
  fs::resize_file(folder.path() / "huge.json", std::uintmax_t{1} << 40);
  for (const std::string& reader : readers()) {
    for (const auto& [file, reason] : {std::pair("pipe.json", "is a pipe; expected a file"),
                                       std::pair("device.json", "is a device; expected a file"),
                                       std::pair("folder.json", "is a folder; expected a file"),
                                       std::pair("huge.json", "is 1.10 TB; expected at most ")}) {
      CAPTURE(reader);
      const Outcome outcome = run_with(folder, reader, file);

      CHECK(outcome.status == 2);
      CHECK(outcome.err.find("epochcast: " + std::string(file) + ": " + reason) == 0);
    }
  }
}

TEST_CASE("a file of numbers needs memory in proportion, for every reader") {
  const Folder folder;
  constexpr std::size_t kNumbers = 2'000'000;
  constexpr double kFileBytes = 2.0 * kNumbers;
  folder.write("numbers.json", "{\"costs\": [0" + repeated(",0", kNumbers) + "]}");
  folder.write("samples.json",
               R"({"schema": "epochcast.trace/1", "name": "n", "title": "t", "device": "test-gpu",
                   "source": {"grade": "estimated", "method": "made up"},
                   "costs": [{"network": "resnet20", "input": [3, 32, 32],
                              "batches": [{"batch": 16, "seconds": [1)" +
                   repeated(",1", kNumbers) + "]}]}]}");
  for (const std::string& reader : readers()) {
    CAPTURE(reader);
    const Outcome outcome = run_with(folder, reader, "numbers.json");

    CHECK(outcome.status == 2);
    // A number of two bytes becomes a JSON value of 16, in a list that has grown by doubling; plus
    // the text itself, and the program.
    CHECK(outcome.peak_bytes < 40 * kFileBytes + 60e6);
  }
  const Outcome samples = run_with(folder, "calibrate --batches FILE", "samples.json");
  CHECK(samples.status == 0);
  CHECK(samples.peak_bytes < 60 * kFileBytes + 60e6);
}

TEST_CASE("a profile that expands to hundreds of megabytes of blanks needs little memory") {
  const Folder folder;
  constexpr std::size_t kBytes = std::size_t{80} << 20;
  for (const auto& [head, piece] : {std::pair(R"({"traceEvents": [[0)", ",0"),
                                    std::pair(R"({"traceEvents": [0)", ",0"),
                                    std::pair(R"({"traceEvents": [")", "x"),
                                    std::pair(R"({"traceEvents": [)", " "),
                                    std::pair(R"({"a": 0)", R"(,"a": 0)"),
                                    std::pair("[", "["),
                                    std::pair("time_ms\n", "1\n")}) {
    CAPTURE(head, piece);
    write_gzipped(folder.path() / "bomb.json.gz", head, piece, kBytes);
    const Outcome outcome = run_with(folder, "import FILE" + kImport, "bomb.json.gz");

    CHECK(outcome.status == 2);
    CHECK(outcome.peak_bytes < 200e6);
    CHECK(!folder.has("t.json"));
  }
}

}  // namespace
}  // namespace epochcast::tests
