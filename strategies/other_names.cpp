// SPDX-License-Identifier: Apache-2.0
#include "strategies/other_names.hpp"

#include <algorithm>
#include <iterator>

namespace epochcast {
namespace {

struct OtherName {
  std::string_view name;
  std::string_view answer;
};

constexpr std::string_view kDdp =
    "DistributedDataParallel is --strategy sync --overlap bucket --bucket 25MiB --first-bucket "
    "1MiB";
constexpr std::string_view kHorovod =
    "Horovod is --strategy sync --overlap bucket --bucket 64MiB --first-bucket 64MiB";
constexpr std::string_view kSharded =
    "sharded parameters or optimizer states are not available; --strategy sync exchanges about as "
    "many bytes as ZeRO stages 1 and 2";
constexpr std::string_view kOuter =
    "outer optimizers are not available; --strategy local-sgd averages every --local-steps like "
    "an outer SGD of rate 1 without momentum";
constexpr std::string_view kCompressed =
    "compression is not available; --gradient-bytes 2 exchanges gradients of two bytes";
constexpr std::string_view kAsynchronous =
    "asynchronous training is not available; the nearest is --strategy unbalanced-local-sgd, in "
    "which slow workers make fewer steps";
constexpr std::string_view kServer =
    "parameter servers are not available; the nearest is --strategy byteps, whose CPUs sum";
constexpr std::string_view kGossip =
    "gossip is not available; the nearest that averages seldom is --strategy local-sgd";
constexpr std::string_view kFedAvg =
    "federated averaging with every client in each round is --strategy local-sgd";

constexpr OtherName kOtherNames[] = {
    {"ad-psgd", kGossip},
    {"allreduce", kDdp},
    {"all-reduce", kDdp},
    {"asgd", kAsynchronous},
    {"async", kAsynchronous},
    {"asynchronous", kAsynchronous},
    {"bsp", "bulk-synchronous training is --strategy sync"},
    {"daso", "DASO is not available; the nearest is --strategy node-based"},
    {"ddp", kDdp},
    {"deepspeed", kSharded},
    {"diloco", kOuter},
    {"fedavg", kFedAvg},
    {"fsdp", kSharded},
    {"gossip", kGossip},
    {"gssp", kAsynchronous},
    {"hivemind", kAsynchronous},
    {"hogwild", kAsynchronous},
    {"horovod", kHorovod},
    {"localsgd", "local SGD is --strategy local-sgd"},
    {"powersgd", kCompressed},
    {"ps", kServer},
    {"ps-async", kAsynchronous},
    {"ps-sync", kServer},
    {"sgp", kGossip},
    {"slowmo", kOuter},
    {"ssp", kAsynchronous},
    {"stl-sgd",
     "STL-SGD is not available; the nearest is "
     "--strategy post-local-sgd"},
    {"terngrad", kCompressed},
    {"topk", kCompressed},
    {"zero", kSharded}};

}  // namespace

std::string answer_to_other_name(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kOtherNames), std::end(kOtherNames), [&](const OtherName& other) {
        return other.name == name;
      });
  return found == std::end(kOtherNames) ? std::string() : std::string(found->answer);
}

}  // namespace epochcast
