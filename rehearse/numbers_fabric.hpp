// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/forwarding_fabric.hpp"

namespace epochcast {

/// The fabric of a learner whose work takes no time, in whatever thread it is done.
class NumbersFabric : public ForwardingFabric {
 public:
  using ForwardingFabric::ForwardingFabric;

  double now_s() const override { return 0; }
  void compute(double /*seconds*/, std::string_view /*what*/) override {}
};

}  // namespace epochcast
