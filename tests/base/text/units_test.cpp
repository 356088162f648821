// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "base/statistics/random.hpp"
#include "base/text/plausible.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

struct Known {
  const char* unit;
  Dimension dimension;
  double factor;
};

const Known kKnown[] = {
    {"s", Dimension::seconds, 1},
    {"ms", Dimension::seconds, 1e-3},
    {"us", Dimension::seconds, 1e-6},
    {"ns", Dimension::seconds, 1e-9},
    {"min", Dimension::seconds, 60},
    {"h", Dimension::seconds, 60 * 60},
    {"B", Dimension::bytes, 1},
    {"kB", Dimension::bytes, 1e3},
    {"MB", Dimension::bytes, 1e6},
    {"GB", Dimension::bytes, 1e9},
    {"TB", Dimension::bytes, 1e12},
    {"KiB", Dimension::bytes, 0x1p10},
    {"MiB", Dimension::bytes, 0x1p20},
    {"GiB", Dimension::bytes, 0x1p30},
    {"TiB", Dimension::bytes, 0x1p40},
    {"Bps", Dimension::bytes_per_s, 1},
    {"kBps", Dimension::bytes_per_s, 1e3},
    {"MBps", Dimension::bytes_per_s, 1e6},
    {"GBps", Dimension::bytes_per_s, 1e9},
    {"TBps", Dimension::bytes_per_s, 1e12},
    {"KiBps", Dimension::bytes_per_s, 0x1p10},
    {"MiBps", Dimension::bytes_per_s, 0x1p20},
    {"GiBps", Dimension::bytes_per_s, 0x1p30},
    {"bps", Dimension::bytes_per_s, 1.0 / 8},
    {"kbps", Dimension::bytes_per_s, 1e3 / 8},
    {"Mbps", Dimension::bytes_per_s, 1e6 / 8},
    {"Gbps", Dimension::bytes_per_s, 1e9 / 8},
    {"Tbps", Dimension::bytes_per_s, 1e12 / 8},
    {"flop", Dimension::flops, 1},
    {"kflop", Dimension::flops, 1e3},
    {"Mflop", Dimension::flops, 1e6},
    {"Gflop", Dimension::flops, 1e9},
    {"Tflop", Dimension::flops, 1e12},
    {"flops", Dimension::flops_per_s, 1},
    {"Mflops", Dimension::flops_per_s, 1e6},
    {"Gflops", Dimension::flops_per_s, 1e9},
    {"Tflops", Dimension::flops_per_s, 1e12},
    {"W", Dimension::watts, 1},
    {"mW", Dimension::watts, 1e-3},
    {"kW", Dimension::watts, 1e3},
    {"MW", Dimension::watts, 1e6},
};

constexpr Dimension kDimensions[] = {Dimension::seconds,
                                     Dimension::bytes,
                                     Dimension::bytes_per_s,
                                     Dimension::flops,
                                     Dimension::flops_per_s,
                                     Dimension::watts};

TEST_CASE("every unit scales its number, and measures one dimension only") {
  for (const Known& known : kKnown) {
    for (const Dimension dimension : kDimensions) {
      CAPTURE(known.unit, static_cast<int>(dimension));
      const auto value = parse_quantity(std::string("12.5") + known.unit, dimension);

      if (dimension == known.dimension) {
        CHECK(value == 12.5 * known.factor);
      } else {
        CHECK(value == std::nullopt);
      }
    }
  }
}

TEST_CASE("energy is printed in joules, and from one watt-hour on in watt-hours") {
  CHECK(format_energy(0) == "0 J");
  CHECK(format_energy(36) == "36.0 J");
  CHECK(format_energy(3600) == "1.00 Wh");
  CHECK(format_energy(12.5 * 3600) == "12.5 Wh");
  CHECK(format_energy(1.234 * 3.6e6) == "1.23 kWh");
  CHECK(format_energy(12.34 * 3.6e9) == "12.3 MWh");
}

TEST_CASE("eight bits are a byte: 100Gbps is 12.5GBps") {
  CHECK(parse_quantity("100Gbps", Dimension::bytes_per_s) ==
        parse_quantity("12.5GBps", Dimension::bytes_per_s));
}

TEST_CASE("a quantity keeps its sign, its exponent, and may have spaces before the unit") {
  CHECK(parse_quantity("-3ms", Dimension::seconds) == -3e-3);
  CHECK(parse_quantity("1e3us", Dimension::seconds) == 1e3 * 1e-6);
  CHECK(parse_quantity("32  GiB", Dimension::bytes) == 32 * 0x1p30);
  CHECK(parse_quantity("0s", Dimension::seconds) == 0);
}

TEST_CASE("a quantity is written with as many digits as it takes to read it back") {
  CHECK(quantity_text(12.5 * 1e-6, Dimension::seconds) == "12.5us");
  CHECK(quantity_text(0, Dimension::seconds) == "0us");
  CHECK(quantity_text(12.5e9, Dimension::bytes_per_s) == "12500MBps");
  CHECK(quantity_text(1048576, Dimension::bytes) == "1048576B");
  CHECK(quantity_text(1e12, Dimension::flops) == "1000000000000flop");
  CHECK(quantity_text(32 * 0x1p30, Dimension::bytes) == "32GiB");
  for (const Dimension dimension : kDimensions) {
    Random random(1);
    for (int i = 0; i < 2000; ++i) {
      const double value = std::pow(10, 20 * random.uniform() - (i % 2 == 0 ? 10 : 2));
      if (!is_plausible(dimension, value)) continue;
      CAPTURE(value, quantity_text(value, dimension));
      CHECK(parse_quantity(quantity_text(value, dimension), dimension) == value);
    }
  }
}

TEST_CASE("of a rounded quantity no more than six digits are written") {
  CHECK(quantity_text(rounded_quantity(1.0 / 3, Dimension::seconds), Dimension::seconds) ==
        "333333us");
  CHECK(quantity_text(rounded_quantity(1e9 / 7, Dimension::bytes_per_s), Dimension::bytes_per_s) ==
        "142.857MBps");
  CHECK(quantity_text(rounded_quantity(1048576, Dimension::bytes), Dimension::bytes) == "1048580B");
}

TEST_CASE("a quantity is a number with a unit") {
  for (const char* text : {"",
                           "s",
                           "12",
                           "12.5.1s",
                           "1,5s",
                           "+1s",
                           " 1s",
                           "1s ",
                           "1 m s",
                           "1S",
                           "1sec",
                           "0x10s",
                           "--1s",
                           "1es",
                           "ms1",
                           "five s"}) {
    CAPTURE(text);
    CHECK(parse_quantity(text, Dimension::seconds) == std::nullopt);
  }
}

TEST_CASE("a quantity is finite") {
  for (const char* text : {"nans", "nan s", "infs", "-inf s", "1e400s", "1e308h"}) {
    CAPTURE(text);
    CHECK(parse_quantity(text, Dimension::seconds) == std::nullopt);
  }
}

TEST_CASE("all bandwidths have the same range") {
  CHECK(plausible_text(Dimension::bytes_per_s) == plausible_text_of_link(Dimension::bytes_per_s));
}

TEST_CASE("impossible quantities are refused with the range") {
  struct Edge {
    Dimension dimension;
    const char* inside[2];
    const char* outside[2];
    const char* expected;
  };
  const Edge edges[] = {
      {Dimension::seconds, {"1e-12s", "-1e9s"}, {"9e-13s", "1.1e9s"}, "1e-12s to 1e9s"},
      {Dimension::bytes, {"1e-3B", "1e18B"}, {"9e-4B", "1.1e18B"}, "1e-3B to 1e18B"},
      {Dimension::bytes_per_s, {"8bps", "1e15Bps"}, {"7bps", "1.1e15Bps"}, "1Bps to 1e15Bps"},
      {Dimension::flops,
       {"1e-3flop", "1e24flop"},
       {"9e-4flop", "1.1e24flop"},
       "1e-3flop to 1e24flop"},
      {Dimension::flops_per_s,
       {"1flops", "1e24flops"},
       {"0.9flops", "1.1e24flops"},
       "1flops to 1e24flops"}};
  for (const Edge& edge : edges) {
    for (const char* text : edge.inside) {
      CAPTURE(text);
      CHECK(parse_quantity(text, edge.dimension) != std::nullopt);
    }
    for (const char* text : edge.outside) {
      CAPTURE(text);
      CHECK(parse_quantity(text, edge.dimension) == std::nullopt);
      CHECK(expected_text(edge.dimension, text) == std::string("a value from ") + edge.expected);
    }
  }
  CHECK(expected_text(Dimension::seconds, "1e308") == expected_text(Dimension::seconds));
}

TEST_CASE("seconds for people have three significant digits in a suitable unit") {
  CHECK(format_seconds(0) == "0 s");
  CHECK(format_seconds(1.5e-9) == "1.50 ns");
  CHECK(format_seconds(0.00321) == "3.21 ms");
  CHECK(format_seconds(99.96e-6) == "100 us");
  CHECK(format_seconds(999.6e-6) == "1.00 ms");
  CHECK(format_seconds(51) == "51.0 s");
  CHECK(format_seconds(9.996) == "10.0 s");
  CHECK(format_seconds(599) == "599 s");
  CHECK(format_seconds(600) == "10.0 min");
  CHECK(format_seconds(2 * 3600 + 5 * 60) == "2.08 h");
  CHECK(format_seconds(3 * 86400) == "3.00 d");
  CHECK(format_seconds(-0.5) == "-500 ms");
}

TEST_CASE("bytes for people count in powers of 1000") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(999) == "999 B");
  CHECK(format_bytes(1000) == "1.00 kB");
  CHECK(format_bytes(44.7e6) == "44.7 MB");
  CHECK(format_bytes(999.6e6) == "1.00 GB");
  CHECK(format_bytes(1.5e13) == "15.0 TB");
}

}  // namespace
}  // namespace epochcast::tests
