// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace epochcast {

/// Data that the page's scripts draw: `name` is one of the views that they have ("forecasts",
/// "curves", "phases", "plots").
struct PageView {
  std::string name;
  nlohmann::ordered_json data;
};

/// A page that needs nothing but itself, and may load nothing: one style sheet and one set of
/// scripts for all pages; tables of class "sortable" can be sorted. `body`: markup below the
/// heading; the views follow it, and `below` follows them. `command`: how the page came about; may
/// be empty.
[[nodiscard]] std::string page_html(const std::string& title,
                                    const std::string& command,
                                    const std::string& body,
                                    const std::vector<PageView>& views = {},
                                    const std::string& below = {});

}  // namespace epochcast
