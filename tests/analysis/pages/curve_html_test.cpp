// SPDX-License-Identifier: Apache-2.0
#include "analysis/pages/curve_html.hpp"

#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("the page plots the losses of both halves where a network has two") {
  CurvePoint point = {.epoch = 1, .training_s = 1, .test_loss = 1, .test_accuracy = 0.5};
  const auto page = [&] { return curve_html({{"sync", {point}}}, "title", "command", {}); };

  CHECK(page().find("enerator") == std::string::npos);
  point.discriminator_loss = 1.25;
  point.generator_loss = 2.5;

  CHECK(page().find("<h2>Discriminator loss over epochs</h2>") != std::string::npos);
  CHECK(page().find("<h2>Generator loss over epochs</h2>") != std::string::npos);
  CHECK(page().find("sync, epoch 1: 2.5 after 1") != std::string::npos);
}

}  // namespace
}  // namespace epochcast::tests
