// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace epochcast {

/// Numbers that all workers have in common, as Fabric::all_gather_numbers() returns them. Copies
/// are the same numbers, which never change.
///
/// Workers in one process share them, and derived values are computed once: a simulation of P
/// workers would otherwise keep P² numbers and take P² steps.
class SharedNumbers {
 public:
  SharedNumbers() : SharedNumbers(std::vector<double>()) {}
  // NOLINTNEXTLINE(google-explicit-constructor): it is a list of numbers
  SharedNumbers(std::vector<double> values) : shared_(std::make_shared<Shared>()) {
    shared_->values = std::move(values);
  }

  [[nodiscard]] const std::vector<double>& values() const { return shared_->values; }
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator const std::vector<double>&() const { return values(); }

  /// The value derived from the numbers: `conclude(values())`, computed by the first call. All
  /// calls have to pass the same function.
  template <typename Conclude>
  [[nodiscard]] auto follow(const Conclude& conclude) const {
    using Conclusion = std::invoke_result_t<const Conclude&, const std::vector<double>&>;
    using Known = std::shared_ptr<const Conclusion>;
    if (!shared_->conclusion.has_value())
      shared_->conclusion = Known(std::make_shared<const Conclusion>(conclude(values())));
    return std::any_cast<Known>(shared_->conclusion);
  }

 private:
  struct Shared {
    std::vector<double> values;
    std::any conclusion;
  };
  std::shared_ptr<Shared> shared_;
};

}  // namespace epochcast
