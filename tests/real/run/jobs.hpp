// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

namespace epochcast::tests {

/// 96 training and 32 test images of 16 x 16 pixels, 4 classes.
inline const std::string kTinyDataset = R"({
  "schema": "epochcast.dataset/1", "name": "tiny", "title": "Tiny images",
  "source": {"grade": "published", "reference": "made up"},
  "train_samples": 96, "test_samples": 32, "shape": [3, 16, 16], "sample": "768B", "classes": 4
})";

/// `train` on that data with two ranks; needs tiny.json in the folder.
inline const std::string kTrain =
    "train --network small-cnn --dataset tiny.json --data procedural --ranks 2 --batch 4 "
    "--learning-rate 0.05 ";

/// An epoch of sync on that data by one rank, in a folder of its own.
struct ShortTraining {
  Folder folder;

  ShortTraining();
  [[nodiscard]] Outcome run(const std::string& more) const;
  /// After the epoch. Throws the job's output if it failed.
  [[nodiscard]] double test_loss(const std::string& more) const;
};

/// A file of weights of small-cnn for four classes, by PyTorch: "small-cnn.pt", or
/// "small-cnn-headless.pt" without those of the classifier.
[[nodiscard]] std::string weights_file(const std::string& name);

/// The lines of a metrics file without times.
[[nodiscard]] std::vector<nlohmann::json> metrics_of(const Folder& folder, const std::string& file);

/// The processes of a program, such as "epochcast-run", whose working folder this is.
[[nodiscard]] std::vector<pid_t> processes_in(const Folder& folder, const std::string& program);

/// How many checkpoints "saved" has had; 0 without one.
[[nodiscard]] std::int64_t serial_of(const Folder& folder);

/// Runs a job and kills one of its ranks as soon as `is_time`, or not if it ends before.
[[nodiscard]] Outcome run_and_kill(const Folder& folder,
                                   const std::string& arguments,
                                   std::size_t victim,
                                   const std::function<bool()>& is_time);

}  // namespace epochcast::tests
