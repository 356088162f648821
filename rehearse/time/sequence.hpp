// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/files/checksum.hpp"

namespace epochcast {

/// What one worker does in a job, as far as numbers depend on it: its batches, exchanges and
/// updates, in their order, without their seconds. Jobs whose workers have the same sequences and
/// learning settings learn the same, to the last bit.
class Sequence {
 public:
  /// Adds an action and its figures.
  template <typename... Figures>
  void add(std::string_view action, const Figures&... figures) {
    digest_.add(action);
    (add_figure(figures), ...);
  }

  /// The loss of this epoch decides about the rest.
  void follow_loss(std::int64_t epoch, bool is_known) {
    follows_losses_ = true;
    if (!is_known) known_epochs_ = std::min(known_epochs_, epoch + 1);
  }
  /// The clock decides which of several messages comes first.
  void follow_arrivals() { follows_arrivals_ = true; }

  [[nodiscard]] bool follows_losses() const { return follows_losses_; }
  /// Epochs that do not depend on an unknown loss.
  [[nodiscard]] std::int64_t known_epochs() const { return known_epochs_; }
  [[nodiscard]] bool follows_arrivals() const { return follows_arrivals_; }
  [[nodiscard]] std::string checksum() const { return digest_.text(); }

 private:
  template <typename Figure>
  void add_figure(const Figure& figure) {
    static_assert(std::is_arithmetic_v<Figure>);
    digest_.add({reinterpret_cast<const char*>(&figure), sizeof figure});
  }

  Digest digest_;
  bool follows_losses_ = false;
  std::int64_t known_epochs_ = std::numeric_limits<std::int64_t>::max();
  bool follows_arrivals_ = false;
};

}  // namespace epochcast
