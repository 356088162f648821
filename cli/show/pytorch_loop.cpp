// SPDX-License-Identifier: Apache-2.0
#include "cli/show/pytorch_loop.hpp"

#include <fmt/core.h>

#include <vector>

#include "core/formats/precision.hpp"
#include "core/job/setting_text.hpp"

namespace epochcast {
namespace {

/// How the loop computes in the job's precision.
struct PrecisionText {
  std::string before;   ///< the loop
  std::string context;  ///< of forward: "with ...:"; empty: none
  bool is_scaled = false;
};

PrecisionText precision_text(const JobConfig& config) {
  const Precision precision = config.precision.value_or(Precision::float32);
  if (precision == Precision::tf32) {
    return {.before =
                "# import torch\n"
                "# torch.backends.cuda.matmul.allow_tf32 = True\n"
                "# torch.backends.cudnn.allow_tf32 = True\n",
            .context = {}};
  }
  if (activation_size(precision) == static_cast<int>(sizeof(float))) return {};
  PrecisionText text = {.before = "# import torch\n",
                        .context = "with torch.autocast(\"cuda\", dtype=torch." +
                                   show_name(precision, kPrecisions) + "):",
                        .is_scaled = precision == Precision::float16};
  if (!text.is_scaled) return text;
  text.before += config.strategy == "fsdp"
                     ? "# from torch.distributed.fsdp.sharded_grad_scaler import "
                       "ShardedGradScaler\n# scaler = ShardedGradScaler()\n"
                     : "# scaler = torch.cuda.amp.GradScaler()\n";
  return text;
}

/// The lines, each after this margin.
std::string indented(const std::string& margin, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += margin + line + "\n";
  return text;
}

}  // namespace

std::string pytorch_loop(const JobConfig& config) {
  const std::string batches =
      fmt::format("loader:  # a DistributedSampler's, batches of {} for each rank\n", config.batch);
  const PrecisionText precision = precision_text(config);
  const std::string loss =
      config.accumulate == 1
          ? "criterion(model(samples), labels)"
          : fmt::format("(criterion(model(samples), labels) / {})", config.accumulate);
  std::vector<std::string> computing;
  const std::string of_loss = precision.is_scaled ? "scaler.scale(loss)" : "loss";
  if (precision.context.empty()) {
    computing = {loss + ".backward()"};
  } else {
    computing = {precision.context, "    loss = " + loss, of_loss + ".backward()"};
  }
  std::vector<std::string> step;
  if (config.learning.clip_norm) {
    if (precision.is_scaled) step.emplace_back("scaler.unscale_(optimizer)");
    step.push_back(config.strategy == "fsdp"
                       ? fmt::format("model.clip_grad_norm_({:g})", *config.learning.clip_norm)
                       : fmt::format("torch.nn.utils.clip_grad_norm_(model.parameters(), {:g})",
                                     *config.learning.clip_norm));
  }
  step.emplace_back(precision.is_scaled ? "scaler.step(optimizer)" : "optimizer.step()");
  if (precision.is_scaled) step.emplace_back("scaler.update()");
  step.emplace_back("after_step()");
  const std::string head =
      precision.before + "# model, optimizer, after_step = prepare(model, optimizer, loader)\n";
  if (config.accumulate == 1) {
    return head + "# for samples, labels in " + batches + "#     optimizer.zero_grad()\n" +
           indented("#     ", computing) + indented("#     ", step);
  }
  step.emplace_back("optimizer.zero_grad()");
  return "# import contextlib\n" + head +
         "# optimizer.zero_grad()\n# for i, (samples, labels) in enumerate(loader):  " +
         batches.substr(batches.find('#')) +
         fmt::format(
             "#     is_last = (i + 1) % {0} == 0  # of those whose gradients are added up\n"
             "#     is_silent = not is_last and hasattr(model, \"no_sync\")\n"
             "#     with model.no_sync() if is_silent else contextlib.nullcontext():\n",
             config.accumulate) +
         indented("#         ", computing) + "#     if is_last:\n" + indented("#         ", step);
}

}  // namespace epochcast
