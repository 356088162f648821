// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace epochcast::bench {

/// The cost of one run.
struct Cost {
  double seconds = 0;      ///< from fork to exit
  double processor_s = 0;  ///< of all its processes
  double peak_bytes = 0;   ///< resident, of the largest process
};

/// Runs `program arguments...` to its end, output thrown away. Throws a runtime_error when it
/// fails.
[[nodiscard]] Cost run_program(const std::string& program, const std::string& arguments);
/// Runs `work` in a forked process of its own. Throws a runtime_error when it fails.
[[nodiscard]] Cost run_forked(const std::function<void()>& work);

/// A temporary folder with synthetic platforms and data sets.
class Inputs {
 public:
  Inputs();
  ~Inputs();
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  /// A star of equal nodes with `devices` of one model on PCIe. Returns the file's name.
  [[nodiscard]] std::string platform(int nodes, int devices, const std::string& model) const;
  /// A star of nodes with four "gpu" and one "cpu" on PCIe.
  [[nodiscard]] std::string mixed_platform(int nodes) const;
  /// Images like CIFAR-10's.
  [[nodiscard]] std::string dataset(long long samples) const;

 private:
  [[nodiscard]] std::string write_platform(const std::string& name,
                                           int nodes,
                                           const std::string& devices) const;

  std::filesystem::path folder_;
};

}  // namespace epochcast::bench
