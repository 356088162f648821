// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/run_program.hpp"

namespace epochcast::tests {

/// The stdout and the limits of a run.
struct RunOptions {
  std::string out_file = {};     ///< instead of being captured
  bool is_out_closed = false;    ///< stdout is a pipe without a reader
  std::string program = {};      ///< instead of epochcast
  unsigned int cpu_seconds = 0;  ///< after which every process of the run is killed; 0: no limit
};

/// Text split at blanks.
[[nodiscard]] std::vector<std::string> words(const std::string& text);
/// Text split at line ends, without an empty last line.
[[nodiscard]] std::vector<std::string> lines(const std::string& text);

/// The lines of stderr without those of progress ("forecasting 7/29, 5.6 s left"), which slow
/// machines show.
[[nodiscard]] std::vector<std::string> messages_of(const Outcome& outcome);

/// A temporary folder; the program runs inside it.
///
/// It contains pair.json, a platform of two nodes with one "test-gpu" that trains and one
/// "test-cpu" each, and gpu.json and cpu.json, traces with spread of resnet20 with 3x32x32 samples
/// on them.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// The words that run `program`, or epochcast, with `arguments` here: with the catalogue of the
  /// source tree, and additional environment variables, such as "TMPDIR=tmp".
  [[nodiscard]] std::vector<std::string> command(
      const std::vector<std::string>& arguments,
      const std::string& program = {},
      const std::vector<std::string>& environment = {}) const;
  /// Runs `epochcast ARGUMENTS` here.
  [[nodiscard]] Outcome run(const std::vector<std::string>& arguments,
                            const RunOptions& options = {}) const;
  /// The same with arguments split at blanks.
  [[nodiscard]] Outcome run(const std::string& arguments, const RunOptions& options = {}) const;

 private:
  std::filesystem::path path_;
};

/// A job on pair.json that takes milliseconds: its batches take 100 ms on GPUs, 1 s on CPUs.
inline const std::string kJob =
    "simulate --platform pair.json --network resnet20 --dataset cifar10 --epochs 2 "
    "--batch-seconds gpu=100ms,cpu=1s";
/// The same with costs that have spread.
inline const std::string kNoisyJob =
    "simulate --platform pair.json --network resnet20 --dataset cifar10 --epochs 2 --batch 32 "
    "--trace gpu.json,cpu.json --repetitions 5";

/// pair.json with one text replaced by another.
[[nodiscard]] std::string pair_with(const std::string& text, const std::string& replacement);

}  // namespace epochcast::tests
