// SPDX-License-Identifier: Apache-2.0
#include "core/job/loss.hpp"

#include "base/error.hpp"

namespace epochcast {
namespace {

std::string in_words(TargetKind kind) {
  switch (kind) {
    case TargetKind::classes:
      return "a class for each sample";
    case TargetKind::values:
      return "values";
    case TargetKind::tokens:
      return "a token for each token";
  }
  return {};
}

bool suits(Loss loss, TargetKind kind) {
  switch (loss) {
    case Loss::cross_entropy:
      return kind == TargetKind::classes;
    case Loss::mse:
      return kind == TargetKind::values;
    case Loss::binary_cross_entropy:
      return kind == TargetKind::classes || kind == TargetKind::values;
    case Loss::language_model:
      return kind == TargetKind::tokens;
    case Loss::automatic:
    case Loss::model:
      return true;
  }
  return false;
}

}  // namespace

std::string to_string(Loss loss) {
  switch (loss) {
    case Loss::automatic:
      return "auto";
    case Loss::cross_entropy:
      return "cross-entropy";
    case Loss::mse:
      return "mse";
    case Loss::binary_cross_entropy:
      return "binary-cross-entropy";
    case Loss::language_model:
      return "language-model";
    case Loss::model:
      return "model";
  }
  return {};
}

Loss chosen_loss(Loss loss, const Targets& targets, std::int64_t classes, const std::string& name) {
  if (!suits(loss, targets.kind)) {
    std::string expected;
    for (const Loss each :
         {Loss::cross_entropy, Loss::mse, Loss::binary_cross_entropy, Loss::language_model}) {
      if (suits(each, targets.kind)) expected += (expected.empty() ? "" : ", ") + to_string(each);
    }
    throw UserError("--loss: got " + to_string(loss) + ", but " + name + " has " +
                    in_words(targets.kind) + "; expected " + expected +
                    ", or model (a model that returns its loss)");
  }
  const bool is_one_of_many =
      loss == Loss::binary_cross_entropy && targets.kind == TargetKind::classes && classes != 2;
  if (is_one_of_many)
    throw UserError("--loss: got binary-cross-entropy, but " + name + " has " +
                    std::to_string(classes) + " classes; expected two, or cross-entropy");
  if (loss != Loss::automatic) return loss;
  switch (targets.kind) {
    case TargetKind::classes:
      return Loss::cross_entropy;
    case TargetKind::values:
      return Loss::mse;
    case TargetKind::tokens:
      return Loss::language_model;
  }
  return loss;
}

std::int64_t outputs_for(Loss chosen, const Targets& targets, std::int64_t classes) {
  const bool is_one_of_two =
      chosen == Loss::binary_cross_entropy && targets.kind == TargetKind::classes;
  return is_one_of_two ? 1 : classes;
}

}  // namespace epochcast
