// SPDX-License-Identifier: Apache-2.0
#include "real/torch/loss_scaler.hpp"

#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

void update(LossScaler& scaler, int steps) {
  for (int i = 0; i < steps; ++i) scaler.update(true);
}

TEST_CASE("the loss scale begins at 65536 and doubles after 2000 finite steps in a row") {
  LossScaler scaler;
  CHECK(scaler.scale() == 65536);

  update(scaler, 1999);
  CHECK(scaler.scale() == 65536);
  update(scaler, 1);
  CHECK(scaler.scale() == 2 * 65536);
  update(scaler, 2000);
  CHECK(scaler.scale() == 4 * 65536);
}

TEST_CASE("a step that is not finite halves the loss scale, and the steps are counted anew") {
  LossScaler scaler;
  update(scaler, 1999);

  scaler.update(false);
  CHECK(scaler.scale() == 32768);
  CHECK(scaler.state().finite_steps == 0);
  update(scaler, 1999);
  CHECK(scaler.scale() == 32768);
  update(scaler, 1);
  CHECK(scaler.scale() == 65536);
}

TEST_CASE("a loss scale does not grow beyond float32") {
  LossScaler scaler({.scale = 0x1p127F, .finite_steps = 1999});

  scaler.update(true);

  CHECK(scaler.state() == LossScaler::State{.scale = 0x1p127F, .finite_steps = 0});
}

TEST_CASE("a loss scale is exhausted when gradients were not finite at 1") {
  LossScaler scaler;
  for (int i = 0; i < 16; ++i) scaler.update(false);
  CHECK(scaler.scale() == 1);
  CHECK_FALSE(scaler.is_exhausted());

  scaler.update(false);
  CHECK(scaler.is_exhausted());
}

}  // namespace
}  // namespace epochcast::real
