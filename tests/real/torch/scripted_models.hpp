// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/script.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/process/temp_folder.hpp"

// Models like those of users.

namespace epochcast::real {

inline torch::jit::Module module_of(const std::string& name) {
  torch::jit::Module module(name);
  module.register_attribute("training", c10::BoolType::get(), true);
  return module;
}

inline torch::jit::Module linear(std::int64_t in, std::int64_t out) {
  torch::jit::Module module = module_of("Linear");
  module.register_parameter("weight", torch::randn({out, in}).set_requires_grad(true), false);
  module.register_parameter("bias", torch::randn({out}).set_requires_grad(true), false);
  module.define("def forward(self, x):\n  return torch.linear(x, self.weight, self.bias)\n");
  return module;
}

inline torch::jit::Module norm(std::int64_t features) {
  torch::jit::Module module = module_of("BatchNorm1d");
  module.register_parameter("weight", torch::ones({features}).set_requires_grad(true), false);
  module.register_parameter("bias", torch::zeros({features}).set_requires_grad(true), false);
  module.register_buffer("running_mean", torch::zeros({features}));
  module.register_buffer("running_var", torch::ones({features}));
  module.register_buffer("num_batches_tracked", torch::zeros({}, torch::kInt64));
  module.define(
      "def forward(self, x):\n"
      "  return torch.batch_norm(x, self.weight, self.bias, self.running_mean, self.running_var,\n"
      "                          self.training, 0.1, 1e-5, False)\n");
  return module;
}

/// Rows of 3 features to `classes` scores over 4 hidden ones; `forward` may be replaced.
inline torch::jit::Module two_layers(
    const std::string& forward =
        "def forward(self, x):\n"
        "  x = torch.relu(self.norm.forward(self.body.first.forward(x)))\n"
        "  return self.head.forward(x)\n",
    std::int64_t classes = 2) {
  torch::manual_seed(1);
  torch::jit::Module body = module_of("Body");
  body.register_module("first", linear(3, 4));
  torch::jit::Module top = module_of("TwoLayers");
  top.register_module("body", body);
  top.register_module("norm", norm(4));
  top.register_module("head", linear(4, classes));
  top.define(forward);
  return top;
}

/// A model in a file.
class Saved {
 public:
  explicit Saved(const torch::jit::Module& module, const std::string& name = "model.pt")
      : file_((folder_.path() / name).string()) {
    module.save(file_);
  }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  TempFolder folder_{"epochcast-test-model"};
  std::string file_;
};

inline const std::vector<std::int64_t> kRows = {1, 1, 3};  // what forward() flattens
inline const std::string kFlat = "def forward(self, x):\n  x = torch.flatten(x, 1)\n";

inline std::string on_rows(const std::string& rest) { return kFlat + rest; }

inline torch::jit::Module usual() {
  return two_layers(
      on_rows("  x = torch.relu(self.norm.forward(self.body.first.forward(x)))\n"
              "  return self.head.forward(x)\n"));
}

}  // namespace epochcast::real
