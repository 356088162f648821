// SPDX-License-Identifier: Apache-2.0
#include "tests/support/closed_forms.hpp"

#include "collectives/scatter_forms.hpp"
#include "tests/catch.hpp"
#include "tests/collectives/fluid_time.hpp"
#include "tests/collectives/parts_cases.hpp"
#include "tests/collectives/schedules.hpp"

namespace epochcast::tests {
namespace {

constexpr std::int64_t kBytes = 48'000'000;

struct Network {
  double alpha_s;
  double beta_s_per_byte;
  double gamma_s_per_byte;
};

/// Bandwidth-bound, latency-bound, and one where adding costs more than sending.
constexpr Network kNetworks[] = {{1e-6, 1e-9, 2e-10}, {0.5, 1e-10, 0}, {1e-3, 1e-9, 5e-9}};

TEST_CASE("closed forms equal the time of their schedules on full-duplex, fairly shared links") {
  for (const AllReduceName& known : all_reduce_names()) {
    for (const int ranks : tested_rank_counts()) {
      for (const Network& network : kNetworks) {
        const auto expected_s = closed_form_s(known.name,
                                              ranks,
                                              kBytes,
                                              network.alpha_s,
                                              network.beta_s_per_byte,
                                              network.gamma_s_per_byte);
        if (!expected_s) continue;
        CAPTURE(known.name, ranks, network.alpha_s);
        const auto schedule = make_all_reduce(known.name, shape_of(ranks, 1), kBytes);
        const FluidNetwork links(
            ranks, network.alpha_s, network.beta_s_per_byte, network.gamma_s_per_byte);

        const double time_s = links.time_s(*schedule, static_cast<double>(kBytes));

        // Only rounding separates the two: sums of at most a few thousand terms.
        CHECK(time_s == Approx(*expected_s).epsilon(1e-9).margin(1e-12));
      }
    }
  }
}

TEST_CASE("closed forms of reduce-scatters and all-gathers equal the time of their schedules") {
  int compared = 0;
  for (const ScatterForm& form : scatter_forms()) {
    for (int ranks = 1; ranks <= 17; ++ranks) {
      for (const Parts& parts : tested_parts(ranks)) {
        for (const auto& [alpha_s, beta, gamma] : kNetworks) {
          const auto scatter_s =
              reduce_scatter_closed_form_s(form.name, parts, kBytes, alpha_s, beta, gamma);
          const auto gather_s = all_gather_closed_form_s(form.name, parts, kBytes, alpha_s, beta);
          REQUIRE(scatter_s.has_value() == gather_s.has_value());
          if (!scatter_s) continue;
          CAPTURE(form.name, ranks, parts.divisions(), alpha_s);
          const FluidNetwork links(ranks, alpha_s, beta, gamma);
          const auto time_s = [&](const std::unique_ptr<Schedule>& schedule) {
            return links.time_s(*schedule, static_cast<double>(kBytes));
          };

          // Only rounding separates the two, as above.
          CHECK(time_s(make_reduce_scatter(form.name, parts, kBytes)) ==
                Approx(*scatter_s).epsilon(1e-9).margin(1e-12));
          CHECK(time_s(make_all_gather(form.name, parts, kBytes)) ==
                Approx(*gather_s).epsilon(1e-9).margin(1e-12));
          ++compared;
        }
      }
    }
  }
  // Three networks; 7 sets of parts of 17 rank counts for ring and direct, and of the 5 powers of
  // two for recursive. Of the 12 others it has the 2 equal sets and the one without bytes.
  CHECK(compared == 3 * (2 * 7 * 17 + 7 * 5 + 3 * 12));
}

TEST_CASE("an all-reduce takes as long as its halves") {
  const Parts parts = Parts::equal(16);
  const auto halves_s = [&](std::string_view form) {
    return *reduce_scatter_closed_form_s(form, parts, kBytes, 1e-6, 1e-9, 2e-10) +
           *all_gather_closed_form_s(form, parts, kBytes, 1e-6, 1e-9);
  };

  CHECK(*closed_form_s("ring", 16, kBytes, 1e-6, 1e-9, 2e-10) == Approx(halves_s("ring")));
  CHECK(*closed_form_s("rabenseifner", 16, kBytes, 1e-6, 1e-9, 2e-10) ==
        Approx(halves_s("recursive")));
}

TEST_CASE("closed forms of reduce-scatters are those of the literature for 8 ranks") {
  const double a = 1e-5;
  const double b = 1e-9;
  const double g = 1e-10;
  const double s = 1e6;
  const auto time_s = [&](std::string_view form) {
    return reduce_scatter_closed_form_s(form, Parts::equal(8), 1'000'000, a, b, g).value();
  };

  CHECK(time_s("ring") == Approx(7 * a + 0.875 * s * (b + g)));
  CHECK(time_s("recursive") == Approx(3 * a + 0.875 * s * (b + g)));
  CHECK(time_s("direct") == Approx(a + 0.875 * s * (b + g)));
}

TEST_CASE("closed forms are those of the literature for 8 ranks") {
  const double a = 1e-5;
  const double b = 1e-9;
  const double g = 1e-10;
  const double s = 1e6;
  const auto time_s = [&](std::string_view name) {
    return closed_form_s(name, 8, 1'000'000, a, b, g).value();
  };

  CHECK(time_s("ring") == Approx(14 * a + 1.75 * s * b + 0.875 * s * g));
  CHECK(time_s("rabenseifner") == Approx(6 * a + 1.75 * s * b + 0.875 * s * g));
  CHECK(time_s("recursive-doubling") == Approx(3 * (a + s * b + s * g)));
}

TEST_CASE("a binary tree of 2^k - 1 ranks takes 2(k-1)(α + 2Sβ) + 2(k-1)Sγ") {
  for (const int levels : {1, 2, 3, 6}) {
    CAPTURE(levels);
    const int steps = 2 * (levels - 1);

    const auto time_s = closed_form_s("binary-tree", (1 << levels) - 1, 1'000, 1e-6, 1e-9, 1e-10);

    CHECK(*time_s == Approx(steps * (1e-6 + 2 * 1e-6) + steps * 1e-7).margin(1e-15));
  }
}

TEST_CASE("algorithms without an exact closed form have none") {
  CHECK_FALSE(closed_form_s("recursive-doubling", 6, kBytes, 1, 1, 1).has_value());
  CHECK_FALSE(closed_form_s("rabenseifner", 6, kBytes, 1, 1, 1).has_value());
  CHECK_FALSE(closed_form_s("double-binary-tree", 8, kBytes, 1, 1, 1).has_value());
  CHECK_FALSE(closed_form_s("hierarchical", 8, kBytes, 1, 1, 1).has_value());
  CHECK_FALSE(closed_form_s("openmpi", 8, kBytes, 1, 1, 1).has_value());
  CHECK_FALSE(all_gather_closed_form_s("openmpi", Parts::equal(8), kBytes, 1, 1).has_value());
}

TEST_CASE("one rank needs no time") {
  for (const std::string_view name :
       {"ring", "segmented-ring", "recursive-doubling", "rabenseifner", "binary-tree", "linear"}) {
    CAPTURE(name);
    CHECK(*closed_form_s(name, 1, kBytes, 1, 1, 1) == 0);
  }
}

}  // namespace
}  // namespace epochcast::tests
