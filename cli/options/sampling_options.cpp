// SPDX-License-Identifier: Apache-2.0
#include "cli/options/sampling_options.hpp"

#include <boost/program_options/value_semantic.hpp>
#include <sstream>

namespace epochcast {

void add_sampling_options(boost::program_options::options_description& options,
                          const real::SamplingRule& rule,
                          const std::string& samples) {
  const auto add = [&](const char* name, const char* value, auto number, const std::string& help) {
    std::ostringstream stream;
    stream << number;
    options.add_options()(
        name,
        boost::program_options::value<std::string>()->value_name(value)->default_value(
            stream.str()),
        help.c_str());
  };
  add("min-samples", "COUNT", rule.min_samples, samples + " per point that are always measured");
  add("max-samples", "COUNT", rule.max_samples, samples + " per point that are never exceeded");
  add("max-seconds", "SECONDS", rule.max_s, "a point with enough " + samples + " stops here");
  add("confidence-width",
      "SHARE",
      rule.confidence_width,
      "a point with enough " + samples +
          " stops when the 95 % confidence interval of the median is this narrow, relative to the "
          "median");
  add("warmup", "COUNT", rule.warmup, samples + " per point that are run first and discarded");
}

real::SamplingRule read_sampling_rule(OptionValues& values) {
  constexpr std::int64_t kMost = 1 << 20;
  real::SamplingRule rule;
  rule.warmup = values.integer("warmup", 0, kMost);
  rule.min_samples = values.integer("min-samples", 1, kMost);
  rule.max_samples = values.integer("max-samples", 1, kMost);
  rule.max_s = values.positive("max-seconds");
  rule.confidence_width = values.positive("confidence-width");
  if (rule.max_samples < rule.min_samples) {
    values.expected("max-samples", values.text("max-samples"), "at least --min-samples");
  }
  return rule;
}

}  // namespace epochcast
