// SPDX-License-Identifier: Apache-2.0
#include "strategies/settings.hpp"

#include <map>
#include <set>

#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
#include "tests/strategies/one_setting.hpp"
#include "tests/support/problems_of.hpp"

namespace epochcast::tests {
namespace {

std::map<std::string, std::string> with_examples(std::map<std::string, std::string> values) {
  for (const Strategy& strategy : strategies()) {
    for (const StrategySetting* own : strategy.settings) values.emplace(own->name, own->example);
  }
  for (const CompressionMethod& method : compressions()) {
    for (const StrategySetting* own : method.settings) values.emplace(own->name, own->example);
  }
  return values;
}

/// For every setting, a value other than its default, in its shown form. Strategies define it
/// themselves.
const std::map<std::string, std::string> kValues = with_examples({
    {"platform", "esb"},
    {"network", "resnet18"},
    {"dataset", "cifar10"},
    {"strategy", "hetgrad"},
    {"like", "ddp"},
    {"nodes", "4"},
    {"workers", "gpu"},
    {"ranks-per-device", "2"},
    {"batch", "64"},
    {"accumulate", "4"},
    {"epochs", "7"},
    {"all-reduce", "rabenseifner"},
    {"overlap", "bucket"},
    {"compression", "powersgd"},
    {"gradient-bytes", "2"},
    {"loading-rate", "3000/s"},
    {"bucket", "5e+06B"},
    {"first-bucket", "1000B"},
    {"trace", "a,traces/b.json"},
    {"precision", "float16"},
    {"kernels", "tuned"},
    {"calibrate-on", "a,traces/b.json"},
    {"batch-seconds", "cpu=1.67s,gpu=0.051s"},
    {"exchange-seconds", "all=1.48s,node=0s"},
    {"curves", "a.json,b.json"},
    {"target", "accuracy=0.75"},
    {"seed", "99"},
    {"repetitions", "3"},
    {"deterministic", "on"},
    {"exact", "on"},
    {"data", "/data/cifar"},
    {"sequence", "1024"},
    {"image-size", "64"},
    {"train-samples", "5000"},
    {"test-samples", "500"},
    {"augment", "off"},
    {"loss", "mse"},
    {"optimizer", "adam"},
    {"learning-rate", "0.025"},
    {"momentum", "0.5"},
    {"rms-decay", "0.875"},
    {"beta1", "0.75"},
    {"beta2", "0.5"},
    {"epsilon", "0.001"},
    {"weight-decay", "0.125"},
    {"decoupled-decay", "on"},
    {"pretrained", "weights.pt"},
    {"schedule", "multi-step"},
    {"milestones", "60,80"},
    {"decay", "0.2"},
    {"schedule-by", "step"},
    {"final-rate", "0.1"},
    {"warmup", "0.25"},
    {"clip-norm", "1.5"},
    {"ranks", "3"},
    {"devices", "cpu,cuda:0"},
    {"threads", "4"},
    {"slow-down", "1=8,cpu=2"},
    {"ranks-per-node", "2"},
});

TEST_CASE("every setting shows a text that sets it again") {
  for (const Setting& setting : all_settings().rows()) {
    CAPTURE(setting.name);
    const std::string name(setting.name);
    REQUIRE(kValues.contains(name));
    const std::string value = kValues.at(name);
    REQUIRE(shown({}, name) != value);

    const JobConfig once = with_setting(name, value);
    const JobConfig twice = with_setting(name, shown(once, name));

    CHECK(shown(once, name) == value);
    CHECK(shown(twice, name) == value);
  }
  CHECK(all_settings().rows().size() == kValues.size());
}

TEST_CASE("a setting of another command is refused") {
  CHECK_THROWS_WITH(all_settings().check_counts("optimizer", Command::simulate, "--set optimizer"),
                    "--set optimizer: counts in rehearse and train only");
  CHECK_THROWS_WITH(all_settings().check_counts("trace", Command::train, "--set trace"),
                    "--set trace: counts in simulate and emulate and rehearse only");
  CHECK_NOTHROW(all_settings().check_counts("batch", Command::train, "--set batch"));
}

/// Hyperparameters, whose defaults are those of the optimizer.
const std::set<std::string_view> kOfOptimizer = {
    "momentum", "rms-decay", "beta1", "beta2", "epsilon", "weight-decay", "decoupled-decay"};

/// Whether a setting is shown otherwise when the other one is set: with its default, or by a
/// preset.
bool depends_on(std::string_view setting, std::string_view other) {
  if (other == "like") return true;
  if (other == "optimizer") return kOfOptimizer.contains(setting);
  return other == "compression" && !compressions_with(setting).empty();
}

TEST_CASE("every setting but presets changes itself, and defaults of an optimizer or compression") {
  for (const auto& [name, value] : kValues) {
    const JobConfig config = with_setting(name, value);

    for (const Setting& other : all_settings().rows()) {
      if (other.name == name || depends_on(other.name, name)) continue;
      CAPTURE(name, other.name);
      CHECK(other.show(config) == other.show({}));
    }
  }
}

TEST_CASE("the defaults can be set as they are shown") {
  JobConfig config;
  for (const auto& [name, value] : all_settings().texts({}))
    all_settings().set(config, name, value, "test");

  for (const Setting& setting : all_settings().rows())
    CHECK(setting.show(config) == setting.show({}));
}

TEST_CASE(
    "hyperparameters are shown with their effective values: set, or the optimizer's default") {
  JobConfig config;
  CHECK(shown(config, "momentum") == "0.9");
  CHECK(shown(config, "weight-decay") == "0");
  CHECK(shown(config, "beta1").empty());

  config.learning.optimizer.name = "adamw";
  CHECK(shown(config, "momentum").empty());
  CHECK(shown(config, "beta1") == "0.9");
  CHECK(shown(config, "beta2") == "0.999");
  CHECK(shown(config, "epsilon") == "1e-08");
  CHECK(shown(config, "weight-decay") == "0.01");

  config.learning.optimizer.weight_decay = 0;
  config.learning.optimizer.beta1 = 0.5;
  CHECK(shown(config, "weight-decay") == "0");
  CHECK(shown(config, "beta1") == "0.5");
}

TEST_CASE("the samples between two steps do not exceed the largest count") {
  JobConfig config;
  all_settings().set(config, "batch", "1000000000", "--batch");
  all_settings().set(config, "accumulate", "1000", "--accumulate");
  CHECK(config.step_batch() == 1'000'000'000'000);

  CHECK_THROWS_WITH(all_settings().set(config, "accumulate", "1001", "--accumulate"),
                    "--accumulate: got \"1001\"; expected at most 1000");
  CHECK_THROWS_WITH(all_settings().set(config, "batch", "1000000001", "--batch"),
                    "--batch: got \"1000000001\"; expected at most 1000000000");
}

TEST_CASE("an unknown setting is refused with the closest one") {
  CHECK(problems_of_setting("batch-second", "gpu=1s") ==
        Texts{"--batch-second: unknown setting \"batch-second\"; did you mean \"batch-seconds\"?"});
}

TEST_CASE("a setting of other strategies is an error that names those") {
  const auto problems = [](const std::string& strategy, const std::string& name) {
    JobConfig config = with_setting(name, kValues.at(name));
    config.strategy = strategy;
    return problems_of([&] { check_strategies_have_settings(config); });
  };

  CHECK(problems("local-sgd", "averaging-period") ==
        Texts{"--averaging-period: strategy local-sgd has no such setting; those that have: "
              "node-based"});
  CHECK(problems("sync,dlb", "partition") ==
        Texts{"--partition: none of sync,dlb has such a setting; those that have: hetgrad, "
              "hetgrad-unweighted"});
  CHECK(problems("sync,hetgrad", "partition").empty());
  CHECK(problems("sync", "batch").empty());
  for (const auto& [name, value] : kValues) {
    if (compressions_with(name).empty()) CHECK(problems("all", name).empty());
  }
}

TEST_CASE("a setting of other compressions is an error that names those") {
  const auto problems = [](const std::string& compression, const std::string& name) {
    JobConfig config = with_setting(name, kValues.at(name));
    config.compression = compression;
    return problems_of([&] { check_strategies_have_settings(config); });
  };

  CHECK(problems("none", "powersgd-rank") ==
        Texts{"--powersgd-rank: compression none has no such setting; those that have: powersgd"});
  CHECK(problems("fp16", "compression-ratio") ==
        Texts{"--compression-ratio: compression fp16 has no such setting; those that have: topk, "
              "gtopk, oktopk, gaussiank"});
  CHECK(problems("gtopk", "compression-ratio").empty());
}

TEST_CASE("a compression is refused for what it cannot compress") {
  const auto problems = [](const std::string& strategy, const JobConfig& config) {
    return problems_of([&] { check_compression(config, find_strategy(strategy)); });
  };
  JobConfig config = with_setting("compression", "topk");

  CHECK(problems("sync", config).empty());
  CHECK(problems("node-based", config).empty());
  CHECK(problems("byteps", {}).empty());
  CHECK(problems("byteps", config) ==
        Texts{"--compression: strategy byteps compresses nothing; those that do: sync, "
              "sync-fastest, hetgrad, hetgrad-unweighted, node-based, daso, local-sgd, "
              "unbalanced-local-sgd, biased-local-sgd, post-local-sgd, slowmo, diloco, "
              "time-synced, dlb, large-batch"});
  config.gradient_bytes = 2;
  CHECK(problems("sync", config) ==
        Texts{"--compression: works on gradients of 4 bytes; got --gradient-bytes 2"});
  config.overlap = Overlap::dear;
  CHECK(problems("sync", config) ==
        Texts{"--compression: does not combine with --overlap dear; use none or bucket"});
}

TEST_CASE("a job without the settings of others has its own, and those of every job") {
  const CompressionMethod& compression = *find_compression(kValues.at("compression"));
  for (const Strategy& strategy : strategies()) {
    CAPTURE(strategy.name);
    JobConfig config;
    for (const auto& [name, value] : kValues) {
      if (name != "strategy") all_settings().set(config, name, value, "test");
    }
    config.strategy = strategy.name;

    const JobConfig own = without_settings_of_others(config);

    for (const auto& [name, value] : config.of_strategies)
      CHECK(own.of_strategies.contains(name) == (strategy.has(name) || compression.has(name)));
    CHECK(own.batch == config.batch);
    CHECK_NOTHROW(check_strategies_have_settings(own));
    for (const SettingText& text : command_texts(config, Command::train))
      CHECK((!config.of_strategies.contains(text.name) || strategy.has(text.name) ||
             compression.has(text.name)));
  }
}

}  // namespace
}  // namespace epochcast::tests
