// SPDX-License-Identifier: Apache-2.0
#include "real/measure/sampling/progress_lines.hpp"

#include <sstream>

#include "tests/catch.hpp"

namespace epochcast::real {
namespace {

const MeasureProgress kDuring = {.point = "resnet20, batch 8", .done = 0.5, .at_most_left_s = 30};
const MeasureProgress kAfter = {.point = "resnet20, batch 8",
                                .done = 0.75,
                                .at_most_left_s = 20,
                                .finished = "12.0 ms a batch, 30 samples"};

TEST_CASE("without a terminal, finished points are reported, one a line") {
  std::ostringstream out;
  ProgressLines lines(out, false);

  lines.show(kDuring);
  lines.show(kAfter);

  CHECK(out.str() ==
        "[ 75 %] resnet20, batch 8: 12.0 ms a batch, 30 samples; at most 20.0 s left\n");
}

TEST_CASE("on a terminal, a bar is redrawn below the finished points") {
  std::ostringstream out;
  ProgressLines lines(out, true);

  lines.show(kDuring);
  lines.show(kAfter);

  CHECK(out.str() ==
        "\r\033[K[===============               ]  50 %  resnet20, batch 8, at most 30.0 s left"
        "\r\033[Kresnet20, batch 8: 12.0 ms a batch, 30 samples\n"
        "[======================        ]  75 %  resnet20, batch 8, at most 20.0 s left");
}

}  // namespace
}  // namespace epochcast::real
