// SPDX-License-Identifier: Apache-2.0
#include "bench/report.hpp"

#include <algorithm>
#include <cstdio>

#include "core/costs/batch_cost.hpp"

namespace epochcast::bench {
namespace {

std::string text_of(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

std::string line_of(const std::string& figure,
                    const std::vector<double>& repetitions,
                    const char* format) {
  const auto [low, high] = std::minmax_element(repetitions.begin(), repetitions.end());
  char text[200];
  std::snprintf(text,
                sizeof(text),
                "%-52s %10s  (%s .. %s)",
                figure.c_str(),
                text_of(format, median_of(repetitions)).c_str(),
                text_of(format, *low).c_str(),
                text_of(format, *high).c_str());
  return text;
}

}  // namespace

void show(const std::string& figure, const std::vector<double>& repetitions, const char* format) {
  std::printf("%s\n", line_of(figure, repetitions, format).c_str());
  std::fflush(stdout);
}

void report(const std::string& figure,
            const std::vector<double>& repetitions,
            const Target& target,
            const std::string& remark) {
  const double median = median_of(repetitions);
  const bool is_met = target.is_minimum ? median >= target.bound : median <= target.bound;
  std::printf("%s  target %s %s: %s%s%s\n",
              line_of(figure, repetitions, target.format).c_str(),
              target.is_minimum ? ">=" : "<=",
              text_of(target.format, target.bound).c_str(),
              is_met ? "ok" : "MISSED",
              remark.empty() ? "" : "; ",
              remark.c_str());
  std::fflush(stdout);
}

}  // namespace epochcast::bench
