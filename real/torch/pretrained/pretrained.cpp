// SPDX-License-Identifier: Apache-2.0
#include "real/torch/pretrained/pretrained.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "core/formats/network.hpp"
#include "real/torch/networks/torch_network.hpp"
#include "real/torch/pretrained/state_dict.hpp"

namespace epochcast::real {
namespace {

using Tensors = std::map<std::string, torch::Tensor>;

/// The names, or the first of them and how many more there are.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i)
    text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

/// The file's tensors by the names that the model has without wrappers: DistributedDataParallel's,
/// torch.compile's.
Tensors by_name(std::vector<NamedTensor> tensors) {
  for (const std::string wrapper : {"module.", "_orig_mod."}) {
    const bool is_wrapped = std::ranges::all_of(
        tensors, [&](const NamedTensor& each) { return each.name.starts_with(wrapper); });
    if (!is_wrapped) continue;
    for (NamedTensor& each : tensors) each.name.erase(0, wrapper.size());
  }
  Tensors named;
  for (NamedTensor& each : tensors) named[each.name] = std::move(each.tensor);
  return named;
}

/// Whether both are the same storage in the file.
bool are_one(const torch::Tensor& a, const torch::Tensor& b) {
  return a.numel() > 0 && a.data_ptr() == b.data_ptr() && a.sizes() == b.sizes() &&
         a.strides() == b.strides();
}

/// Whether it is a causal attention mask.
bool is_causal_mask(const torch::Tensor& tensor) {
  if (tensor.dim() != 4 || tensor.size(0) != 1 || tensor.size(1) != 1) return false;
  return torch::equal(tensor, torch::ones_like(tensor).tril());
}

/// "64x3x7x7"
std::string sizes_text(const torch::Tensor& tensor) {
  return tensor.dim() == 0 ? "a single number" : shape_text(tensor.sizes().vec());
}

/// The network's tensors and those of a file, side by side.
class Comparison {
 public:
  Comparison(const TorchNetwork& network, Tensors given)
      : classifier_(network.classifier() + "."), given_(std::move(given)) {
    for (const auto& parameter : network.named_parameters())
      compare(parameter.key(), parameter.value());
    for (const auto& buffer : network.named_buffers()) compare(buffer.key(), buffer.value());
    for (const auto& [name, tensor] : given_) {
      if (matched_.count(name) > 0 || is_known(tensor)) continue;
      if (is_classifiers(name)) {
        differ(name + " is " + sizes_text(tensor) + " there, nothing here");
      } else {
        unexpected_.push_back(name);
      }
    }
  }

  /// Throws a UserError that lists the problems, which begin with `origin`.
  void check(const std::string& origin) const {
    std::vector<std::string> problems;
    if (!missing_.empty())
      problems.push_back(origin + "lacks tensors of the network: " + listed(missing_));
    if (!unexpected_.empty())
      problems.push_back(origin + "has tensors that the network lacks: " + listed(unexpected_));
    for (const std::string& other : others_) problems.push_back(origin + other);
    if (!problems.empty()) throw UserError(std::move(problems));
  }

  /// Copies the matching tensors.
  void apply() const {
    const torch::NoGradGuard no_gradients;
    for (const auto& [name, tensor] : matched_) {
      if (tensor.defined() && (difference_.empty() || !is_classifiers(name)))
        tensor.copy_(given_.at(name));
    }
  }

  /// The reason why the classifier keeps its values; empty if it is loaded.
  [[nodiscard]] const std::string& difference() const { return difference_; }

 private:
  [[nodiscard]] bool is_classifiers(const std::string& name) const {
    return classifier_.size() > 1 && name.starts_with(classifier_);
  }
  /// Whether the network has the tensor under another name (a head that is its embedding), or
  /// computes it.
  [[nodiscard]] bool is_known(const torch::Tensor& tensor) const {
    return is_causal_mask(tensor) || std::ranges::any_of(matched_, [&](const auto& match) {
             return are_one(tensor, given_.at(match.first));
           });
  }
  void differ(const std::string& how) {
    if (difference_.empty()) difference_ = how;
  }

  void compare(const std::string& name, const torch::Tensor& wanted) {
    const auto found = given_.find(name);
    if (found == given_.end()) {
      if (name.ends_with(".num_batches_tracked")) return;
      if (is_classifiers(name)) return differ("there is no " + name + " there");
      return missing_.push_back(name);
    }
    const torch::Tensor& given = found->second;
    torch::Tensor& target = matched_[name];
    if (given.sizes() != wanted.sizes()) {
      if (is_classifiers(name))
        return differ(name + " is " + sizes_text(given) + " there, " + sizes_text(wanted) +
                      " here");
      return others_.push_back(name + " is " + sizes_text(given) + "; expected " +
                               sizes_text(wanted));
    }
    if (given.is_floating_point() != wanted.is_floating_point()) {
      return others_.push_back(name + " is of " + torch::toString(given.scalar_type()) +
                               "; expected " + torch::toString(wanted.scalar_type()));
    }
    target = wanted;
  }

  std::string classifier_;  ///< its name and a dot; "." if there is none
  Tensors given_;
  Tensors matched_;  ///< the network's, with names that both have; undefined if their shapes differ
  std::vector<std::string> missing_;
  std::vector<std::string> unexpected_;
  std::vector<std::string> others_;
  std::string difference_;
};

}  // namespace

Pretrained load_pretrained(TorchNetwork& network, const std::filesystem::path& file) {
  StateDict weights = read_state_dict(file);
  const Comparison comparison(network, by_name(std::move(weights.tensors)));
  comparison.check("--pretrained: " + file.string() + ": ");
  comparison.apply();
  std::string note = "pretrained: " + file.string() + ", checksum " + weights.checksum;
  if (!comparison.difference().empty()) {
    note += "; the classifier " + network.classifier() +
            " keeps its initial values: " + comparison.difference();
  }
  return {.checksum = std::move(weights.checksum), .note = std::move(note)};
}

}  // namespace epochcast::real
