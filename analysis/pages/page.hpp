// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace epochcast {

/// A result's data, drawn by the page's script for it: `name` is one of "forecasts", "timelines",
/// "curves", "calibration", "validation".
struct PageView {
  std::string name;
  nlohmann::ordered_json data;
};

/// A self-contained page that may load nothing: the frame, the data of its views, and one style
/// sheet and one set of scripts for all pages. `command`: the command line of the page; may be
/// empty.
[[nodiscard]] std::string page_html(const std::string& title,
                                    const std::string& command,
                                    const std::vector<PageView>& views);

}  // namespace epochcast
