// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "collectives/parts.hpp"

namespace epochcast {

/// A form that reduce-scatters and all-gathers have: by which messages the parts move.
struct ScatterForm {
  std::string_view name;
  std::string_view description;
};

/// Every form, in alphabetical order. Which one a communicator has follows from its all-reduce; see
/// scatter_form_of().
[[nodiscard]] std::span<const ScatterForm> scatter_forms();

/// The reduce-scatter of this form, of a payload of `bytes`: rank r ends with the sum of its part.
///
/// Throws std::invalid_argument for an unknown form, and a UserError for too many ranks.
[[nodiscard]] std::unique_ptr<Schedule> make_reduce_scatter(std::string_view form,
                                                            const Parts& parts,
                                                            std::int64_t bytes);

/// The all-gather of this form, of a payload of `bytes`: rank r begins with its part, and ends with
/// all. Throws as make_reduce_scatter().
[[nodiscard]] std::unique_ptr<Schedule> make_all_gather(std::string_view form,
                                                        const Parts& parts,
                                                        std::int64_t bytes);

}  // namespace epochcast
