// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace epochcast {

/// Data for the page's scripts: `name` is one of their views ("forecasts", "curves", "phases",
/// "plots").
struct PageView {
  std::string name;
  nlohmann::ordered_json data;
};

/// A self-contained page that may load nothing: one style sheet and one set of scripts for
/// all pages; tables of class "sortable" can be sorted. `body`: markup below the heading;
/// the views follow it, then `below`. `command`: the command line of the page; may be
/// empty.
[[nodiscard]] std::string page_html(const std::string& title,
                                    const std::string& command,
                                    const std::string& body,
                                    const std::vector<PageView>& views = {},
                                    const std::string& below = {});

}  // namespace epochcast
