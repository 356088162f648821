// SPDX-License-Identifier: Apache-2.0
// Valid values of settings, and errors for others.
#include <map>

#include "core/job/job_config.hpp"
#include "strategies/local_steps.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/one_setting.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("a bad hyperparameter is refused with its range") {
  for (const char* name : {"momentum", "rms-decay", "beta1", "beta2"}) {
    CAPTURE(name);
    CHECK(shown(with_setting(name, "0"), name) == "0");
    CHECK(shown(with_setting(name, "0.9999999"), name) == "0.9999999");
    for (const char* value : {"1", "-0.1", "nan", "x"}) {
      CHECK(problems_of_setting(name, value) ==
            Texts{std::string("--") + name + ": got \"" + value +
                  "\"; expected a number from 0 to below 1"});
    }
  }
  for (const char* value : {"0", "-1", "1e-31", "nan"}) {
    CHECK(problems_of_setting("epsilon", value) ==
          Texts{std::string("--epsilon: got \"") + value +
                "\"; expected a number from 1e-30 to 1e30"});
  }
}

TEST_CASE("sizes and times accept all of their units") {
  CHECK(with_setting("bucket", "25MiB").bucket_bytes == 25 * 0x1p20);
  CHECK(with_setting("batch-seconds", "gpu=51ms").batch_seconds.at("gpu") == 51 * 1e-3);
  CHECK(with_setting("exchange-seconds", "1.5min").exchange_seconds.at("all") == 1.5 * 60);
}

TEST_CASE("a switch is on, true or yes; off, false or no") {
  for (const char* on : {"on", "true", "yes"}) CHECK(with_setting("exact", on).exact);
  for (const char* off : {"off", "false", "no"}) {
    CHECK(shown(with_setting("weighted-aggregation", off), "weighted-aggregation") == "off");
  }
}

TEST_CASE("local steps by hand: one number is the fastest class's, the rest goes by name") {
  using ByClass = std::map<std::string, std::int64_t>;
  const StepsGiven plain = steps_given(with_setting("local-steps", "8"));
  CHECK(plain.fastest == 8);
  CHECK(plain.by_class.empty());

  const JobConfig both = with_setting("local-steps", "fast=16,slow=2");
  CHECK(steps_given(both).fastest == 16);
  CHECK(steps_given(both).by_class == ByClass{{"fast", 16}, {"slow", 2}});

  const JobConfig mixed = with_setting("local-steps", "16,cpu=2");
  CHECK(steps_given(mixed).fastest == 16);
  CHECK(steps_given(mixed).by_class == ByClass{{"cpu", 2}});
  CHECK(shown(mixed, "local-steps") == "16,cpu=2");

  JobConfig again = both;
  all_settings().set(again, "local-steps", "4", "--local-steps");
  CHECK(steps_given(again).by_class.empty());
}

TEST_CASE("\"fast\" overrides a bare number, in any order") {
  for (const char* text : {"fast=16,32", "32,fast=16"}) {
    const JobConfig config = with_setting("local-steps", text);
    CHECK(steps_given(config).fastest == 16);
    CHECK(shown(config, "local-steps") == "fast=16");
  }
}

TEST_CASE("a bad value is refused with the text and the expected values") {
  CHECK(problems_of_setting("batch", "many") ==
        Texts{"--batch: got \"many\"; expected a whole number of at least 1"});
  CHECK(problems_of_setting("batch", "0") ==
        Texts{"--batch: got \"0\"; expected a whole number of at least 1"});
  CHECK(problems_of_setting("epochs", "1.5") ==
        Texts{"--epochs: got \"1.5\"; expected a whole number of at least 1"});
  CHECK(problems_of_setting("nodes", "9000000000") ==
        Texts{"--nodes: got \"9000000000\"; expected at most 1000000"});
  CHECK(problems_of_setting("seed", "-1") ==
        Texts{"--seed: got \"-1\"; expected a whole number of at least 0"});
  CHECK(problems_of_setting("overlap", "all") ==
        Texts{"--overlap: got \"all\"; expected one of none, bucket, dear"});
  CHECK(problems_of_setting("partition", "") ==
        Texts{"--partition: got \"\"; expected one of constant, functional"});
  CHECK(problems_of_setting("sampling", "both") ==
        Texts{"--sampling: got \"both\"; expected one of none, separated, unified"});
  CHECK(problems_of_setting("high-loss-to", "all") ==
        Texts{"--high-loss-to: got \"all\"; expected one of fast, slow"});
  CHECK(problems_of_setting("exact", "1") == Texts{"--exact: got \"1\"; expected on or off"});
  CHECK(problems_of_setting("bucket", "25") ==
        Texts{"--bucket: got \"25\"; expected a size with its unit, such as \"32GiB\""});
  CHECK(problems_of_setting("first-bucket", "0B") ==
        Texts{"--first-bucket: got \"0B\"; expected a value above zero"});
  for (const char* share : {"1.5", "-0.1", "nan", "half", "0.5x"}) {
    CHECK(problems_of_setting("alpha", share) ==
          Texts{std::string("--alpha: got \"") + share + "\"; expected a share from 0 to 1"});
  }
}

TEST_CASE("lists of settings are refused as a whole, or with the wrong part") {
  CHECK(problems_of_setting("local-steps", "fast=16,") ==
        Texts{"--local-steps: got \"fast=16,\"; expected steps such as 32 or fast=32,slow=1"});
  CHECK(problems_of_setting("local-steps", "fast=0") ==
        Texts{"--local-steps: got \"0\"; expected a whole number of at least 1"});
  CHECK(problems_of_setting("batch-seconds", "0.1s") ==
        Texts{"--batch-seconds: got \"0.1s\"; expected seconds per device class, such as "
              "gpu=51ms,cpu=1.67s"});
  CHECK(problems_of_setting("batch-seconds", "gpu=0s") ==
        Texts{"--batch-seconds: got \"0s\"; expected a value above zero"});
  CHECK(problems_of_setting("batch-seconds", "gpu=1e308h") ==
        Texts{"--batch-seconds: got \"1e308h\"; expected a value from 1e-12s to 1e9s"});
  CHECK(problems_of_setting("exchange-seconds", "") ==
        Texts{"--exchange-seconds: got \"\"; expected seconds such as 1.48s or "
              "all=1.48s,gpu=0.9s"});
  CHECK(problems_of_setting("exchange-seconds", "all=-1s") ==
        Texts{"--exchange-seconds: got \"-1s\"; expected a value that is not negative"});
  CHECK(problems_of_setting("trace", "a,,b") ==
        Texts{"--trace: got \"a,,b\"; expected names or files of traces, separated by commas"});
}

TEST_CASE("a duplicate name in a list of settings is refused") {
  CHECK(problems_of_setting("local-steps", "fast=3,fast=4") ==
        Texts{"--local-steps: got \"fast=3,fast=4\"; expected each name once: steps such as 32 or "
              "fast=32,slow=1"});
  CHECK(problems_of_setting("exchange-seconds", "all=1s,2s") ==
        Texts{"--exchange-seconds: got \"all=1s,2s\"; expected each name once: seconds such as "
              "1.48s or all=1.48s,gpu=0.9s"});
}

TEST_CASE("no setting accepts an empty value") {
  for (const Setting& setting : all_settings().rows()) {
    CAPTURE(setting.name);
    const Texts problems = problems_of_setting(std::string(setting.name), "");
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].starts_with("--" + std::string(setting.name) + ": got \"\"; expected "));
  }
}

TEST_CASE("no setting accepts control characters or invalid UTF-8") {
  for (const Setting& setting : all_settings().rows()) {
    CAPTURE(setting.name);
    for (const char* value : {"\x1b[2J", "a\nb", "\xc2\x9b", "\u202e", "\xff"}) {
      const Texts problems = problems_of_setting(std::string(setting.name), value);
      REQUIRE(problems.size() == 1);
      CHECK(problems[0].ends_with("; expected UTF-8 without control characters"));
    }
  }
}

TEST_CASE("a device is slowed down to a ten-thousandth at most") {
  CHECK(with_setting("slow-down", "cpu=10000").machine.slow_down.at("cpu") == 10000);
  for (const char* factor : {"cpu=1e300", "cpu=10001", "cpu=0.5", "cpu=inf", "cpu=nan"}) {
    CHECK(problems_of_setting("slow-down", factor) ==
          Texts{"--slow-down: got \"" + std::string(factor).substr(4) +
                "\"; expected factors from 1 to 10000, such as cpu=8"});
  }
}

}  // namespace
}  // namespace epochcast::tests
