// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/find/found_json.hpp"
#include "cli/options/job_options.hpp"
#include "cli/show/table_look.hpp"

namespace epochcast {

/// Writes the answers in one of the formats: a table with remarks, JSON (`epochcast.found/1`), or
/// CSV. `command`: the command line.
void show_found(std::ostream& out,
                Format format,
                const FindRequest& request,
                const std::vector<FoundValue>& answers,
                const TableLook& look,
                const std::string& command);

}  // namespace epochcast
