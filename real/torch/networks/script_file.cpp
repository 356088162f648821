// SPDX-License-Identifier: Apache-2.0
#include "real/torch/networks/script_file.hpp"

#include <torch/csrc/jit/ir/constants.h>
#include <torch/version.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "base/files/mapped_file.hpp"
#include "core/tensors/pickle.hpp"
#include "core/tensors/zip_archive.hpp"
#include "real/torch/libtorch_reason.hpp"

namespace epochcast::real {
namespace {

constexpr const char* kScriptIt = "torch.jit.script(model).save(\"model.pt\")";

/// Advice about a pickle of torch.save(). Runs none of its code.
std::string advice_on_pickle(const ZipArchive& archive) {
  std::string held = "Python objects";
  try {
    for (const PickledMember& member : read_pickled_dictionary(archive.record("data.pkl"))) {
      if (member.tensor || member.holds_tensors)
        return std::string(
                   "it holds weights without their model; load them into the model in "
                   "Python, model.load_state_dict(...), and write that with ") +
               kScriptIt;
    }
  } catch (const PickleError& error) {
    if (error.reason() == PickleError::Reason::other_content) held = error.what();
  }
  return "it holds " + held +
         ", and nothing of it was run; if you trust it, load it in Python, and write the model "
         "with " +
         kScriptIt;
}

/// The kind of a file that is no TorchScript, with advice.
std::string advice_on(const std::string& file) {
  std::string usual = std::string("write it with ") + kScriptIt;
  try {
    const MappedFile content{std::filesystem::path(file)};
    if (content.bytes().starts_with("\x80\x02"))
      return "it is a bare pickle, and nothing of it was run; " + usual;
    if (!content.bytes().starts_with("PK")) return usual;
    const ZipArchive archive(content.bytes());
    // Records may be in a folder of the archive's name; names here are without it.
    if (archive.has_below("data/aotinductor") || archive.has_below("aotinductor"))
      return "it is a package that AOTInductor has compiled, which computes but cannot be trained; "
             "write the model that it was made from with " +
             std::string(kScriptIt);
    if (archive.has("serialized_exported_program.json") || archive.has("archive_format"))
      return "it is a program that torch.export wrote, which only PyTorch's Python can load; write "
             "the model that it was made from with " +
             std::string(kScriptIt);
    if (archive.has("data.pkl") && !archive.has("constants.pkl")) return advice_on_pickle(archive);
    if (archive.has("constants.pkl"))
      return "write it with PyTorch " TORCH_VERSION
             ", or an older one, and without operations that this one does not know";
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a damaged archive
  }
  return usual;
}

/// The index of the argument that switches an operation to training, if the trace fixed it.
std::optional<std::size_t> training_argument(const torch::jit::Node& node) {
  const auto* schema = node.maybeSchema();
  if (schema == nullptr) return std::nullopt;
  for (const char* name : {"training", "train"}) {
    const auto place = schema->argumentIndexWithName(name);
    if (!place || static_cast<std::size_t>(*place) >= node.inputs().size()) continue;
    const auto value = torch::jit::toIValue(node.input(static_cast<std::size_t>(*place)));
    if (value && value->isBool()) return static_cast<std::size_t>(*place);
  }
  return std::nullopt;
}

/// Whether the operation does the same in training and in evaluation: it has no dropout, or no
/// running statistics.
bool has_one_mode(const torch::jit::Node& node) {
  const auto* schema = node.maybeSchema();
  const auto constant = [&](const char* name) -> std::optional<torch::IValue> {
    const auto place = schema->argumentIndexWithName(name);
    if (!place) return std::nullopt;
    auto value = torch::jit::toIValue(node.input(static_cast<std::size_t>(*place)));
    return value ? std::optional<torch::IValue>(*value) : std::nullopt;
  };
  for (const char* probability : {"p", "dropout"}) {
    const auto value = constant(probability);
    if (value && value->isDouble()) return value->toDouble() == 0;
  }
  const auto statistics = constant("running_mean");
  return statistics && statistics->isNone();
}

/// Whether it is one of the fused operations that replace a Transformer's layer in evaluation,
/// without dropout and gradients.
bool is_fast_path(const torch::jit::Node& node) {
  const std::string_view kind = node.kind().toQualString();
  return kind == "aten::_transformer_encoder_layer_fwd" ||
         kind == "aten::_native_multi_head_attention";
}

/// Makes a trace's operations follow train() and eval() of their module.
class TraceModes {
 public:
  explicit TraceModes(const torch::jit::Module& script) {
    for (const torch::jit::Module& module : script.modules()) {
      if (!module.hasattr("training")) continue;
      for (const torch::jit::Method& method : module.get_methods()) follow(*method.graph());
    }
  }

  /// Operations that were traced in evaluation mode.
  [[nodiscard]] const std::set<std::string>& evaluating() const { return evaluating_; }

 private:
  void follow(torch::jit::Graph& graph) {
    if (graph.inputs().empty() || !known_.insert(&graph).second) return;
    std::vector<torch::jit::Block*> blocks = {graph.block()};
    while (!blocks.empty()) {
      torch::jit::Block* block = blocks.back();
      blocks.pop_back();
      for (torch::jit::Node* node : block->nodes()) {
        for (torch::jit::Block* inner : node->blocks()) blocks.push_back(inner);
        const auto place = training_argument(*node);
        if (place && !has_one_mode(*node)) follow(graph, *node, *place);
        // A script has the fast path inside an if; a trace has taken it.
        if (block == graph.block() && is_fast_path(*node))
          evaluating_.insert(node->kind().toQualString());
      }
    }
  }

  void follow(torch::jit::Graph& graph, torch::jit::Node& node, std::size_t place) {
    if (!torch::jit::toIValue(node.input(place))->toBool()) {
      evaluating_.insert(node.kind().toQualString());
      return;
    }
    const torch::jit::WithInsertPoint here(&node);
    node.replaceInput(place, graph.insertGetAttr(graph.inputs()[0], "training"));
  }

  std::set<const torch::jit::Graph*> known_;
  std::set<std::string> evaluating_;
};

torch::jit::Module loaded(const std::string& file) {
  if (!std::filesystem::exists(file)) throw UserError(file + ": no such file");
  try {
    return torch::jit::load(file, torch::kCPU);
  } catch (const std::exception& error) {
    throw UserError(file + ": LibTorch " TORCH_VERSION " cannot load it as TorchScript: " +
                    reason_of(error) + "; " + advice_on(file));
  }
}

}  // namespace

torch::jit::Module load_script(const std::string& file) {
  torch::jit::Module script = loaded(file);
  if (!script.find_method("forward")) throw UserError(file + ": the model has no forward()");
  if (!script.hasattr("training"))
    throw UserError(file +
                    ": the model is frozen: its parameters have become constants; save it before "
                    "torch.jit.freeze or torch.jit.optimize_for_inference");
  const TraceModes modes(script);
  if (!modes.evaluating().empty())
    throw UserError(file + ": " + *modes.evaluating().begin() +
                    " was traced as it is in evaluation, and would never train; use "
                    "torch.jit.script, or call model.train() before torch.jit.trace");
  return script;
}

}  // namespace epochcast::real
