// SPDX-License-Identifier: Apache-2.0
#include "strategies/presets.hpp"

#include <algorithm>
#include <array>

#include "core/job/setting_text.hpp"
#include "strategies/settings.hpp"

namespace epochcast {
namespace {

// All but BytePS leave sums to NCCL on GPUs.
// DistributedDataParallel(bucket_cap_mb=25), whose first bucket has 1 MiB.
const std::array kDdp = {SettingText{"all-reduce", "nccl"},
                         SettingText{"overlap", "bucket"},
                         SettingText{"bucket", "25MiB"},
                         SettingText{"first-bucket", "1MiB"}};
// HOROVOD_FUSION_THRESHOLD, 64 MiB before 0.21; what a cycle finds ready is not modelled.
const std::array kHorovod = {SettingText{"all-reduce", "nccl"},
                             SettingText{"overlap", "bucket"},
                             SettingText{"bucket", "64MiB"},
                             SettingText{"first-bucket", "64MiB"}};
// BYTEPS_PARTITION_BYTES; tensors go as soon as they are ready.
const std::array kBytePs = {SettingText{"strategy", "byteps"},
                            SettingText{"partition-bytes", "4096000B"},
                            SettingText{"overlap", "bucket"},
                            SettingText{"bucket", "4096000B"},
                            SettingText{"first-bucket", "4096000B"}};
// reduce_bucket_size: 500 million elements, after backward (overlap_comm is off).
const std::array kDeepSpeed = {SettingText{"all-reduce", "nccl"},
                               SettingText{"overlap", "none"},
                               SettingText{"bucket", "2000MB"},
                               SettingText{"first-bucket", "2000MB"}};
// FullyShardedDataParallel(sharding_strategy=FULL_SHARD); layers of some 25 MiB are units.
const std::array kFsdp = {SettingText{"strategy", "fsdp"},
                          SettingText{"all-reduce", "nccl"},
                          SettingText{"sharding", "full-shard"},
                          SettingText{"bucket", "25MiB"},
                          SettingText{"first-bucket", "25MiB"}};

void apply_preset(JobConfig& config, const std::string& name) {
  std::string names;
  for (const Preset& preset : presets()) {
    names += (names.empty() ? "" : ", ") + std::string(preset.name);
    if (preset.name != name) continue;
    for (const SettingText& setting : preset.settings)
      all_settings().set(config, setting.name, setting.value, "--like " + name);
    config.like = name;
    return;
  }
  fail(name, "one of " + names);
}

}  // namespace

std::span<const Preset> presets() {
  static const std::array all = {Preset{"ddp", "PyTorch's DistributedDataParallel", kDdp},
                                 Preset{"horovod", "Horovod", kHorovod},
                                 Preset{"byteps", "BytePS", kBytePs},
                                 Preset{"deepspeed", "DeepSpeed", kDeepSpeed},
                                 Preset{"fsdp", "PyTorch's FullyShardedDataParallel", kFsdp}};
  return all;
}

Setting preset_setting() {
  return {
      .name = "like",
      .commands = kEverywhere,
      .value_name = "ddp|horovod|byteps|deepspeed|fsdp",
      .help =
          "exchange as this library does by default: sets all-reduce, overlap, buckets, strategy; "
          "settings that are given count more",
      .set = apply_preset,
      .show = [](const JobConfig& config) { return config.like; }};
}

std::string preset_note(const JobConfig& config) {
  for (const Preset& preset : presets()) {
    if (preset.name != config.like) continue;
    std::string kept;
    std::string given;
    JobConfig preset_config;
    for (const SettingText& setting : preset.settings) {
      all_settings().set(preset_config, setting.name, setting.value, "--like " + config.like);
      const std::string flag = " --" + std::string(setting.name) + " ";
      const Setting row = all_settings().named(setting.name, "--like");
      const std::string value = row.show(config);
      const bool is_kept = value == row.show(preset_config);
      (is_kept ? kept : given) += flag + (is_kept ? setting.value : value);
    }
    std::string note = "--like " + config.like + " (" + std::string(preset.library) + ")";
    note += kept.empty() ? " sets nothing" : " sets" + kept;
    if (!given.empty()) note += "; given instead:" + given;
    if (config.like == "deepspeed")
      note += "; its fp16 and bf16 engines also need --gradient-bytes 2";
    return note;
  }
  return {};
}

}  // namespace epochcast
