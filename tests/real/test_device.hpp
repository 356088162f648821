// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

namespace epochcast::tests {

/// The device that learners train on: "cpu", or the environment variable's ("cuda:0").
inline std::string test_device() {
  const char* device = std::getenv("EPOCHCAST_TEST_DEVICE");
  return device == nullptr ? "cpu" : device;
}

}  // namespace epochcast::tests
