// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "analysis/pages/page.hpp"
#include "analysis/validate/validation.hpp"

namespace epochcast {

std::string to_html(const std::vector<ValidationRow>& rows,
                    const std::string& title,
                    const std::string& command,
                    const std::string& date) {
  return page_html(title, command, {{.name = "validation", .data = to_json(rows, command, date)}});
}

}  // namespace epochcast
