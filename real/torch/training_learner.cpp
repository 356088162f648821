// SPDX-License-Identifier: Apache-2.0
// The devices to train on, and their names.
#include "real/torch/training_learner.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "base/machine.hpp"
#include "real/torch/libtorch_reason.hpp"
#include "real/torch/torch_learner.hpp"

namespace epochcast::real {
namespace {

/// The name of a GPU from the driver, in the spelling of traces.
std::string gpu_name(int index) {
  std::vector<std::filesystem::path> gpus;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", error))
    gpus.push_back(entry.path() / "information");
  std::sort(gpus.begin(), gpus.end());
  if (static_cast<std::size_t>(index) >= gpus.size()) return "cuda-gpu";
  std::ifstream lines(gpus[static_cast<std::size_t>(index)]);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t", std::string("Model:").size());
    if (!line.starts_with("Model:") || begin == std::string::npos) continue;
    std::string name = line.substr(begin);
    for (char& c : name)
      c = std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::tolower(c)) : '-';
    return name;
  }
  return "cuda-gpu";
}

torch::Device checked_device(const std::string& name) {
  try {
    torch::Device device(name);
    if (device.is_cuda() && !device.has_index()) device = torch::Device(torch::kCUDA, 0);
    if (device.is_cuda() && device.index() >= static_cast<int>(torch::cuda::device_count())) {
      throw UserError("--devices: no " + name + " here: this LibTorch sees " +
                      std::to_string(torch::cuda::device_count()) + " CUDA devices");
    }
    return device;
  } catch (const c10::Error& error) {
    throw UserError("--devices: " + name + ": " + reason_of(error));
  }
}

}  // namespace

std::unique_ptr<TrainingLearner> make_torch_learner(Fabric& fabric,
                                                    const DataSource& data,
                                                    const LearnerSettings& settings,
                                                    const std::string& device,
                                                    int threads,
                                                    Pace pace) {
  torch::set_num_threads(threads);
  return std::make_unique<TorchLearner>(
      fabric, data, settings, checked_device(device), std::move(pace));
}

void begin_thread(int threads) { torch::set_num_threads(threads); }

std::string torch_device_model(const std::string& device, int threads) {
  const torch::Device checked = checked_device(device);
  if (checked.is_cpu()) return device_name(processor_name(cpuinfo_text()), threads);
  return gpu_name(checked.index());
}

}  // namespace epochcast::real
