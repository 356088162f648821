// SPDX-License-Identifier: Apache-2.0
#include "strategies/other_names.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

struct OtherName {
  std::string_view name;
  std::string_view answer;
};

constexpr std::string_view kDdp = "DistributedDataParallel is --strategy sync --like ddp";
constexpr std::string_view kHorovod =
    "Horovod has no fixed buckets: each cycle (1 ms) it exchanges what is ready, up to 128 MiB (64 "
    "MiB before 0.21); the nearest is --strategy sync --like horovod";
constexpr std::string_view kSharded =
    "stages 1 and 2 of ZeRO are --strategy zero --zero-stage 1 and 2; stage 3 and FSDP are "
    "--strategy fsdp --sharding full-shard";
constexpr std::string_view kStreaming =
    "Streaming DiLoCo is --strategy diloco --fragments 4 --fragment-delay 2 --merge-weight 0.5, or "
    "other numbers";
constexpr std::string_view kQsr =
    "the quadratic synchronisation rule is --period-rule qsr, for --strategy local-sgd and others";
constexpr std::string_view kAdaComm =
    "AdaComm is --period-rule adacomm, for --strategy local-sgd and others";
constexpr std::string_view kStlSgd =
    "STL-SGD is --period-rule stl-sgd, for --strategy local-sgd and others";
constexpr std::string_view kCompressed =
    "compression is a setting of strategies, such as --strategy sync --compression topk";
constexpr std::string_view kPowerSgd = "PowerSGD is --strategy sync --compression powersgd";
constexpr std::string_view kOneBit =
    "signs of gradients are --strategy sync --compression onebit; 1-bit Adam compresses its "
    "momentum";
constexpr std::string_view kQuantised =
    "quantization is a setting of strategies: --strategy sync --compression qsgd, or terngrad";
constexpr std::string_view kAsynchronous =
    "asynchronous SGD with a parameter server is --strategy ps-async; with a bound on how far "
    "workers are apart, --strategy ssp";
constexpr std::string_view kServer =
    "parameter servers are --strategy ps-async, or ps-sync; CPUs that only sum, byteps";
constexpr std::string_view kGossip = "stochastic gradient push is --strategy gossip";
constexpr std::string_view kEdit =
    "EDiT's rounds of steps are --strategy diloco; those of A-EDiT, of time, --strategy "
    "time-synced";
constexpr std::string_view kDecentralized =
    "parameters are averaged with few peers by --strategy decentralized, beside computing, and by "
    "--strategy gossip, after it";
constexpr std::string_view kBackups = "dropping late gradients is --strategy backup-workers";
constexpr std::string_view kPostLocal = "post-local SGD is --strategy post-local-sgd";
constexpr std::string_view kLocal = "local SGD is --strategy local-sgd";
constexpr std::string_view kFedAvg =
    "federated averaging with every client in each round is --strategy local-sgd";

/// In lower case, with "-" for "_" and blanks.
constexpr OtherName kOtherNames[] = {
    {"1-bit-sgd", kOneBit},
    {"1bit", kOneBit},
    {"a-edit", kEdit},
    {"adacomm", kAdaComm},
    {"adpsgd", "AD-PSGD is --strategy ad-psgd"},
    {"all-reduce", kDdp},
    {"allreduce", kDdp},
    {"asgd", kAsynchronous},
    {"async", kAsynchronous},
    {"async-sgd", kAsynchronous},
    {"asynchronous", kAsynchronous},
    {"backup-worker", kBackups},
    {"bluefog", kDecentralized},
    {"bsp", "bulk-synchronous training is --strategy sync"},
    {"data-parallel", kDdp},
    {"ddp", kDdp},
    {"d-psgd", kDecentralized},
    {"decent-dp", kDecentralized},
    {"deepspeed", kSharded},
    {"dgc", kCompressed},
    {"distributed-data-parallel", kDdp},
    {"distributeddataparallel", kDdp},
    {"edit", kEdit},
    {"fairscale", kSharded},
    {"fedavg", kFedAvg},
    {"fsdp2", kSharded},
    {"fully-sharded-data-parallel", kSharded},
    {"hivemind",
     "Hivemind's target batch is --strategy large-batch; with delayed parameter updates, "
     "--delayed-updates on"},
    {"hogwild", kAsynchronous},
    {"horovod", kHorovod},
    {"local", kLocal},
    {"localsgd", kLocal},
    {"parameter-server", kServer},
    {"post-localsgd", kPostLocal},
    {"postlocalsgd", kPostLocal},
    {"powersgd", kPowerSgd},
    {"ps", kServer},
    {"ps-lite", kServer},
    {"qsgd", kQuantised},
    {"qsr", kQsr},
    {"sgp", kGossip},
    {"stl-sgd", kStlSgd},
    {"streaming-diloco", kStreaming},
    {"sync-replicas", kBackups},
    {"synchronous", "synchronous training is --strategy sync"},
    {"terngrad", kQuantised},
    {"top-k", kCompressed},
    {"topk", kCompressed},
    {"zero-1", kSharded},
    {"zero-2", kSharded},
    {"zero-3", kSharded}};

/// Settings of other software, and what they are here.
constexpr OtherName kOtherSettings[] = {
    {"aggregation-goal", "FedBuff's aggregation goal is --buffer-size"},
    {"ewma-alpha", "ATorch's ewma_alpha is --anomaly-decay"},
    {"ewma-threshold", "ATorch's ewma_threshold is --anomaly-threshold"},
    {"ewma-warmup-steps", "ATorch's ewma_warmup_steps is --anomaly-start"},
    {"fragment-sync-delay", "torchft's fragment_sync_delay is --fragment-delay"},
    {"fragment-update-alpha", "torchft's fragment_update_alpha is --merge-weight"},
    {"local-sgd-sync-time", "ATorch's local_sgd_sync_time is --sync-seconds"},
    {"outer-lr", "it is called --outer-rate here"},
    {"semi-sync-method", "torchft's semi_sync_method is --strategy diloco or local-sgd"},
    {"should-quantize", "torchft's should_quantize is --compression int8, or fp16"},
    {"slowmo-lr", "it is called --slowmo-rate here"},
    {"sync-every", "torchft's sync_every is --local-steps"},
    {"sync-steps", "torchtitan's sync_steps is --local-steps"}};

/// As names are listed above.
std::string listed_form(std::string_view name) {
  std::string text;
  for (const char sign : name) {
    const bool is_separator = sign == '_' || sign == ' ';
    text += is_separator ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(sign)));
  }
  return text;
}

}  // namespace

std::string answer_to_other_name(std::string_view name) {
  const std::string listed = listed_form(name);
  for (const Strategy& strategy : strategies())
    if (strategy.name == listed) return "it is called --strategy " + listed + " here";
  const auto* const found =
      std::find_if(std::begin(kOtherNames), std::end(kOtherNames), [&](const OtherName& other) {
        return other.name == listed;
      });
  return found == std::end(kOtherNames) ? std::string() : std::string(found->answer);
}

std::string answer_to_other_setting(std::string_view name) {
  const std::string listed =
      listed_form(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  const auto* const found = std::find_if(
      std::begin(kOtherSettings), std::end(kOtherSettings), [&](const OtherName& other) {
        return other.name == listed;
      });
  return found == std::end(kOtherSettings) ? std::string() : std::string(found->answer);
}

std::vector<std::string> other_names() {
  std::vector<std::string> names;
  for (const OtherName& other : kOtherNames) names.emplace_back(other.name);
  return names;
}

}  // namespace epochcast
