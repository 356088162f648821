// SPDX-License-Identifier: Apache-2.0
#include "real/torch/optimizers/optimizer_archive.hpp"

#include "base/error.hpp"

namespace epochcast::real {
namespace {

constexpr const char* kNameKey = "optimizer";
constexpr const char* kParametersKey = "parameters";

std::string origin_text(const OptimizerOrigin& origin) {
  return "\"" + origin.name + "\" for " + std::to_string(origin.parameters) + " parameters";
}

}  // namespace

void write_origin(const OptimizerOrigin& origin, torch::serialize::OutputArchive& archive) {
  archive.write(kNameKey, torch::IValue(origin.name));
  archive.write(kParametersKey, torch::IValue(origin.parameters));
}

void check_origin(const OptimizerOrigin& expected, torch::serialize::InputArchive& archive) {
  torch::IValue name;
  torch::IValue parameters;
  std::string got = "none";
  if (archive.try_read(kNameKey, name) && archive.try_read(kParametersKey, parameters)) {
    const OptimizerOrigin origin = {.name = name.toStringRef(), .parameters = parameters.toInt()};
    if (origin.name == expected.name && origin.parameters == expected.parameters) return;
    got = origin_text(origin);
  }
  throw UserError("optimizer state: got " + got + "; expected " + origin_text(expected));
}

}  // namespace epochcast::real
