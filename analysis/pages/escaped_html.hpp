// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace epochcast {

/// With & < > " ' as entities: for elements and attributes.
[[nodiscard]] std::string escaped_html(const std::string& text);

}  // namespace epochcast
