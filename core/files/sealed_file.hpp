// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace epochcast {

/// A file does not hold what was written into it: bytes were changed or lost, or it was exchanged
/// for another one.
class DamagedFile : public RunError {
 public:
  using RunError::RunError;
};

/// What a sealed file begins with. The payload follows.
struct Seal {
  std::string line;      ///< the header, with its line end
  std::string checksum;  ///< of all of the file but this text: tells it from any other file
};

/// A file's content, checked.
struct SealedFile {
  std::string line;  ///< the header as it was written
  nlohmann::json header;
  std::string checksum;
  std::string payload;
};

/// Seals a file for ourselves to read again: one line of JSON,
/// `{"checksum":"...","schema":"...","file":"NAME",` and the members of `header` (an object), then
/// the payload's parts.
///
/// The checksum (XXH3, 128 bits) covers every byte but itself, and it is the only text that fits
/// them; so no byte of the file can change unnoticed. `file`: as it will be called; its folder may
/// be renamed.
[[nodiscard]] Seal seal(std::string_view schema,
                        const std::filesystem::path& file,
                        const nlohmann::ordered_json& header,
                        std::initializer_list<std::string_view> payload = {});

/// Takes apart the `text` of `file`. Throws a DamagedFile unless it is what seal() and the payload
/// gave for a file of that name, and a UserError when it is of another schema or version. What the
/// header says is still to be checked: whoever can compute a checksum can write anything.
[[nodiscard]] SealedFile unseal(std::string_view schema,
                                const std::filesystem::path& file,
                                std::string text);

}  // namespace epochcast
