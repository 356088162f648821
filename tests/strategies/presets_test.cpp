// SPDX-License-Identifier: Apache-2.0
#include "strategies/presets.hpp"

#include <nlohmann/json.hpp>

#include "core/job/experiment.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"
#include "tests/catch.hpp"
#include "tests/support/set.hpp"

namespace epochcast::tests {
namespace {

TEST_CASE("a preset sets what its library does by default") {
  JobConfig config;
  set(config, "like", "ddp");
  CHECK(config.overlap == Overlap::bucket);
  CHECK(config.bucket_bytes == 25 * 1048576.0);
  CHECK(config.first_bucket_bytes == 1048576.0);
  set(config, "like", "horovod");
  CHECK(config.bucket_bytes == 64 * 1048576.0);
  set(config, "like", "byteps");
  CHECK(config.strategy == "byteps");
  set(config, "like", "deepspeed");
  CHECK(config.overlap == Overlap::none);
}

TEST_CASE("every preset names settings and strategies that exist") {
  for (const Preset& preset : presets()) {
    CAPTURE(preset.name);
    JobConfig config;
    CHECK_NOTHROW(set(config, "like", std::string(preset.name)));
    CHECK_NOTHROW(check_strategies_have_settings(config));
    CHECK_FALSE(preset_note(config).empty());
  }
}

TEST_CASE("a job says what its preset has set") {
  JobConfig config;
  CHECK(preset_note(config).empty());
  set(config, "like", "ddp");
  CHECK(preset_note(config) ==
        "--like ddp (PyTorch's DistributedDataParallel) sets --all-reduce nccl --overlap bucket "
        "--bucket 25MiB --first-bucket 1MiB");
  set(config, "overlap", "none");
  CHECK(preset_note(config) ==
        "--like ddp (PyTorch's DistributedDataParallel) sets --all-reduce nccl --bucket 25MiB "
        "--first-bucket 1MiB; given instead: --overlap none");
  set(config, "like", "deepspeed");
  CHECK_THAT(preset_note(config),
             Catch::EndsWith("; its fp16 and bf16 engines also need --gradient-bytes 2"));
}

TEST_CASE("settings beside a preset count more, wherever they stand in a file") {
  JobConfig config;
  apply_experiment(config,
                   all_settings(),
                   {{"schema", "epochcast.experiment/1"}, {"bucket", "8MiB"}, {"like", "horovod"}},
                   "job.json");
  CHECK(config.bucket_bytes == 8 * 1048576.0);
  CHECK(config.first_bucket_bytes == 64 * 1048576.0);
}

TEST_CASE("an unknown library is refused with all known ones") {
  JobConfig config;
  CHECK_THROWS_WITH(set(config, "like", "torch"),
                    "like: got \"torch\"; expected one of ddp, horovod, byteps, deepspeed, fsdp");
}

}  // namespace
}  // namespace epochcast::tests
