// SPDX-License-Identifier: Apache-2.0
#include "real/torch/autocast.hpp"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <torch/version.h>

namespace epochcast::real {
namespace {

void switch_autocast(torch::Device device, bool is_on) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  at::autocast::set_autocast_enabled(device.type(), is_on);
#else
  device.is_cpu() ? at::autocast::set_cpu_enabled(is_on) : at::autocast::set_enabled(is_on);
#endif
}

void set_autocast_type(torch::Device device, torch::ScalarType type) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  at::autocast::set_autocast_dtype(device.type(), type);
#else
  device.is_cpu() ? at::autocast::set_autocast_cpu_dtype(type)
                  : at::autocast::set_autocast_gpu_dtype(type);
#endif
}

}  // namespace

Autocast::Autocast(Precision precision, torch::Device device) : device_(device) {
  if (precision != Precision::float16 && precision != Precision::bfloat16) return;
  plain_graphs_.emplace(false);
  set_autocast_type(device_, precision == Precision::float16 ? torch::kHalf : torch::kBFloat16);
  switch_autocast(device_, true);
}

Autocast::~Autocast() {
  if (!plain_graphs_) return;
  switch_autocast(device_, false);
  at::autocast::clear_cache();  // casts of parameters, which the next step changes
}

void allow_tf32(Precision precision) {
  at::globalContext().setAllowTF32CuBLAS(precision == Precision::tf32);
  at::globalContext().setAllowTF32CuDNN(precision == Precision::tf32);
}

}  // namespace epochcast::real
