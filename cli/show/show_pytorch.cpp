// SPDX-License-Identifier: Apache-2.0
#include "cli/show/show_pytorch.hpp"

#include <fmt/core.h>

#include <cctype>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>

#include "cli/show/pytorch_loop.hpp"
#include "strategies/settings.hpp"
#include "strategies/strategy.hpp"

namespace epochcast {
namespace {

constexpr int kFloatBytes = 4;
constexpr int kHalfBytes = 2;

constexpr const char* kAverages =
    "def average_buffers(model):\n"
    "    \"\"\"Running statistics are averaged where parameters are, as in the forecast.\"\"\"\n"
    "    for buffer in model.buffers():\n"
    "        if buffer.is_floating_point():\n"
    "            dist.all_reduce(buffer)\n"
    "            buffer /= dist.get_world_size()\n\n\n";

constexpr const char* kSameStart =
    "    for tensor in model.state_dict().values():  # all ranks start from the same model\n"
    "        dist.broadcast(tensor, 0)\n";

/// "every 32 steps" of the strategies that average parameters.
std::int64_t period_of(const JobConfig& config) {
  const Strategy& strategy = find_strategy(config.strategy);
  return strategy.period->value(config).value_or(strategy.period->usual);
}

std::string setting_of(const JobConfig& config, const std::string& name) {
  const auto found = config.of_strategies.find(name);
  return found == config.of_strategies.end() ? "" : found->second;
}

int mebibytes(double bytes) {
  constexpr double kMebibyte = 1048576;
  return static_cast<int>(std::max(1.0, std::round(bytes / kMebibyte)));
}

std::string ddp(const JobConfig& config) {
  return fmt::format("DistributedDataParallel(model, bucket_cap_mb={})",
                     mebibytes(config.bucket_bytes));
}

/// PyTorch's hook for what the job exchanges in place of float32.
struct Hook {
  std::string import;   ///< or a comment, if there is none
  std::string state;    ///< "None" if it has none
  std::string name;     ///< empty: none
  std::string wrapper;  ///< around another hook; empty: none
};

Hook hook_of(const JobConfig& config) {
  const std::string folder = "from torch.distributed.algorithms.ddp_comm_hooks import ";
  const bool is_bfloat16 = config.compression == "bf16";
  if (config.compression == "fp16" || is_bfloat16 || config.gradient_bytes == kHalfBytes) {
    const std::string type = is_bfloat16 ? "bf16" : "fp16";
    return {.import = folder + "default_hooks\n",
            .state = "None",
            .name = "default_hooks." + type + "_compress_hook",
            .wrapper = "default_hooks." + type + "_compress_wrapper"};
  }
  if (config.compression == "powersgd") {
    const auto setting = [&](const char* name) {
      return all_settings().named(name, "--show").show(config);
    };
    return {.import = folder + "powerSGD_hook as powersgd\n",
            .state = fmt::format("powersgd.PowerSGDState(None, matrix_approximation_rank={}, "
                                 "start_powerSGD_iter={})",
                                 setting("powersgd-rank"),
                                 setting("powersgd-start")),
            .name = "powersgd.powerSGD_hook",
            .wrapper = {}};
  }
  if (config.compression != "none")
    return {.import = "# PyTorch has no hook like --compression " + config.compression +
                      ": here gradients travel whole.\n",
            .state = {},
            .name = {},
            .wrapper = {}};
  if (config.gradient_bytes != kFloatBytes)
    return {.import = fmt::format("# PyTorch has no hook that exchanges gradients of {} B "
                                  "(--gradient-bytes): here they have 4.\n",
                                  config.gradient_bytes),
            .state = {},
            .name = {},
            .wrapper = {}};
  return {};
}

/// The import of hooks that compress gradients, if requested.
std::string hooks_import(const JobConfig& config) { return hook_of(config).import; }

/// Lets `parallel` compress.
std::string compression(const JobConfig& config) {
  const Hook hook = hook_of(config);
  if (hook.name.empty()) return {};
  return "    parallel.register_comm_hook(" + hook.state + ", " + hook.name + ")\n";
}

std::string sync_text(const JobConfig& config, int /*ranks_per_node*/) {
  const std::string note = config.overlap == Overlap::bucket
                               ? ""
                               : "# DistributedDataParallel exchanges buckets while backward goes "
                                 "on: --overlap bucket forecasts that.\n";
  return note + hooks_import(config) +
         "from torch.nn.parallel import DistributedDataParallel\n\n\n"
         "def prepare(model, optimizer, loader):\n"
         "    parallel = " +
         ddp(config) + "\n" + compression(config) +
         "    return parallel, optimizer, lambda: None\n";
}

/// Parameters are averaged every `period` steps (a number, or an expression of the loader's
/// length).
std::string averaging_text(const std::string& period) {
  return "import torch.distributed as dist\n"
         "from torch.distributed.algorithms.model_averaging.averagers import "
         "PeriodicModelAverager\n\n\n" +
         std::string(kAverages) + "def prepare(model, optimizer, loader):\n" + kSameStart +
         "    period = " + period +
         "\n"
         "    averager = PeriodicModelAverager(period=period, warmup_steps=period - 1)  # first "
         "after `period` steps\n\n"
         "    def after_step():\n"
         "        averager.average_parameters(model.parameters())\n"
         "        if averager.step % period == 0:\n"
         "            average_buffers(model)\n\n"
         "    return model, optimizer, after_step\n";
}

std::string local_sgd_text(const JobConfig& config, int /*ranks_per_node*/) {
  const std::string period = std::to_string(period_of(config));
  return averaging_text(period) +
         "\n\n# With torchft: LocalSGD(manager, model, optimizer, sync_every=" + period +
         "); its DiLoCo with an outer SGD(lr=1.0) does the same.\n";
}

std::string one_shot_text(const JobConfig& config, int /*ranks_per_node*/) {
  return averaging_text(std::to_string(config.epochs) + " * len(loader)  # once, at the end");
}

/// Makes `subgroup` of this rank and the others of its node; empty without ranks per node.
std::string subgroup_text(int ranks_per_node) {
  if (ranks_per_node == 0) return "    subgroup = None\n";
  return fmt::format(
      "    size = {}  # ranks of a node\n"
      "    groups = [dist.new_group(list(range(first, first + size)))\n"
      "              for first in range(0, dist.get_world_size(), size)]\n"
      "    subgroup = groups[dist.get_rank() // size]\n",
      ranks_per_node);
}

/// DistributedDataParallel whose gradients are averaged among all up to step `start` and inside
/// nodes from there on (not at all without `ranks_per_node`), and parameters every `period` steps
/// from there.
std::string hook_text(const JobConfig& config,
                      int ranks_per_node,
                      const std::string& start,
                      const std::string& period) {
  const Hook compressing = hook_of(config);
  const std::string hook = compressing.wrapper.empty()
                               ? "post_localSGD_hook"
                               : compressing.wrapper + "(post_localSGD_hook)";
  const std::string import =
      !compressing.name.empty() && compressing.wrapper.empty()
          ? "# PyTorch combines no other hook with this one: here gradients travel whole.\n"
          : compressing.import;
  return "import torch.distributed as dist\n" + import +
         "from torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook import "
         "PostLocalSGDState, "
         "post_localSGD_hook\n"
         "from torch.distributed.algorithms.model_averaging.averagers import "
         "PeriodicModelAverager\n"
         "from torch.nn.parallel import DistributedDataParallel\n\n\n" +
         std::string(kAverages) + "def prepare(model, optimizer, loader):\n    start = " + start +
         "\n    period = " + period + "\n" + subgroup_text(ranks_per_node) +
         "    state = PostLocalSGDState(process_group=None, subgroup=subgroup, "
         "start_localSGD_iter=start,\n"
         "                              post_local_gradient_allreduce=" +
         (ranks_per_node > 0 ? "True" : "False") +
         ")\n"
         "    parallel = DistributedDataParallel(model, broadcast_buffers=False)\n"
         "    parallel.register_comm_hook(state, " +
         hook +
         ")\n"
         "    averager = PeriodicModelAverager(period=period, warmup_steps=start + period - 1)\n\n"
         "    def after_step():\n"
         "        averager.average_parameters(model.parameters())\n"
         "        if averager.step > start and (averager.step - start) % period == 0:\n"
         "            average_buffers(model)\n\n"
         "    return parallel, optimizer, after_step\n";
}

std::string post_local_sgd_text(const JobConfig& config, int /*ranks_per_node*/) {
  const std::string from = setting_of(config, "local-from");
  const std::string epochs = from.empty() ? std::to_string(config.epochs / 2) : from;
  return hook_text(config, 0, epochs + " * len(loader)", std::to_string(period_of(config)));
}

std::string node_based_text(const JobConfig& config, int ranks_per_node) {
  const std::int64_t period = period_of(config);
  return "# Gradients are averaged inside nodes in every step. HierarchicalModelAverager would "
         "average parameters there.\n" +
         hook_text(config,
                   ranks_per_node,
                   "0",
                   period > 0 ? std::to_string(period) : "len(loader)  # an epoch") +
         (period > 0 ? "\n\n# The forecast also averages at the end of every epoch.\n" : "");
}

std::string hetgrad_text(const JobConfig& config, int /*ranks_per_node*/) {
  return "# Each rank has its own batch, as `epochcast simulate --format json` lists them; a "
         "gradient counts by it.\n"
         "import torch\n"
         "import torch.distributed as dist\n" +
         hooks_import(config) +
         "from torch.nn.parallel import DistributedDataParallel\n\n\n"
         "def prepare(model, optimizer, loader):\n"
         "    samples = torch.tensor(float(loader.batch_size))\n"
         "    dist.all_reduce(samples)\n"
         "    share = loader.batch_size * dist.get_world_size() / samples.item()\n"
         "    parallel = " +
         ddp(config) + "\n" + compression(config) +
         "    for parameter in model.parameters():\n"
         "        parameter.register_hook(lambda gradient: gradient * share)\n"
         "    return parallel, optimizer, lambda: None\n";
}

std::string zero_text(const JobConfig& config, int /*ranks_per_node*/) {
  const std::string note =
      setting_of(config, "zero-stage") == "2"
          ? "# ZeroRedundancyOptimizer divides the optimizer's state (stage 1) alone; stage 2 is "
            "DeepSpeed's.\n"
          : "";
  return note + hooks_import(config) +
         "from torch.distributed.optim import ZeroRedundancyOptimizer\n"
         "from torch.nn.parallel import DistributedDataParallel\n\n\n"
         "def prepare(model, optimizer, loader):\n"
         "    parallel = " +
         ddp(config) + "\n" + compression(config) +
         "    sharded = ZeroRedundancyOptimizer(parallel.parameters(), type(optimizer),\n"
         "                                      **optimizer.defaults)\n"
         "    return parallel, sharded, lambda: None\n";
}

std::string fsdp_text(const JobConfig& config, int /*ranks_per_node*/) {
  std::string sharding = setting_of(config, "sharding");
  if (sharding.empty()) sharding = "full-shard";
  for (char& letter : sharding)
    letter =
        letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return fmt::format(
      "# Parts of some {} parameters are gathered at once (--bucket).\n"
      "from functools import partial\n"
      "from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy\n"
      "from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy\n\n\n"
      "def prepare(model, optimizer, loader):\n"
      "    policy = partial(size_based_auto_wrap_policy, min_num_params={})\n"
      "    parallel = FullyShardedDataParallel(model, auto_wrap_policy=policy,\n"
      "                                        sharding_strategy=ShardingStrategy.{})\n"
      "    sharded = type(optimizer)(parallel.parameters(), **optimizer.defaults)\n"
      "    return parallel, sharded, lambda: None\n",
      std::llround(config.bucket_bytes / kFloatBytes),
      std::llround(config.bucket_bytes / kFloatBytes),
      sharding);
}

/// The same with torchft, which is not a part of PyTorch.
std::string diloco_text(const JobConfig& config) {
  const auto setting = [&](const char* name) {
    return all_settings().named(name, "--show").show(config);
  };
  return fmt::format(
      "# With torchft: DiLoCo(manager, fragments, optimizer, torch.optim.SGD(parameters, lr={},\n"
      "#     momentum={}, nesterov=True), sync_every={}, fragment_sync_delay={}, "
      "fragment_update_alpha={},\n"
      "#     should_quantize={}), with {} in the list of fragments.\n",
      setting("outer-rate"),
      setting("outer-momentum"),
      period_of(config),
      setting("fragment-delay"),
      setting("merge-weight"),
      config.compression == "none" ? "False" : "True",
      setting("fragments") == "1" ? "the model" : setting("fragments") + " parts of the model");
}

using Recipe = std::string (*)(const JobConfig&, int);

const std::map<std::string, Recipe>& recipes() {
  static const std::map<std::string, Recipe> known = {{"sync", sync_text},
                                                      {"local-sgd", local_sgd_text},
                                                      {"one-shot", one_shot_text},
                                                      {"post-local-sgd", post_local_sgd_text},
                                                      {"node-based", node_based_text},
                                                      {"hetgrad", hetgrad_text},
                                                      {"zero", zero_text},
                                                      {"fsdp", fsdp_text}};
  return known;
}

}  // namespace

std::string pytorch_text(const JobConfig& config, int ranks_per_node) {
  const auto recipe = recipes().find(config.strategy);
  if (recipe == recipes().end()) {
    return (config.strategy == "diloco" ? diloco_text(config) : std::string()) +
           "# PyTorch has nothing like " + config.strategy +
           "; `epochcast train` runs it, docs/from-forecast-to-pytorch.md lists the steps to "
           "write it.\n";
  }
  std::string text = recipe->second(config, ranks_per_node);
  const std::string rule = setting_of(config, "period-rule");
  if (!rule.empty() && find_strategy(config.strategy).has("period-rule"))
    text = "# PyTorch's averagers have constant periods: --period-rule " + rule +
           " would change this one.\n" + text;
  if (config.accumulate > 1) {
    // The unit is steps.
    const std::string batches = "len(loader)";
    const std::string steps = "(" + batches + " // " + std::to_string(config.accumulate) + ")";
    for (std::size_t at = text.find(batches); at != std::string::npos;
         at = text.find(batches, at + steps.size()))
      text.replace(at, batches.size(), steps);
  }
  return text + "\n\n" + pytorch_loop(config);
}

}  // namespace epochcast
