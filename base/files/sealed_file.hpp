// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/files/input_file.hpp"

namespace epochcast {

/// The content of a file differs from what was written: bytes were changed or lost, or the file was
/// exchanged.
class DamagedFile : public RunError {
 public:
  using RunError::RunError;
};

/// The header of a sealed file. The payload follows.
struct Seal {
  std::string line;      ///< the header, with its line end
  std::string checksum;  ///< of all of the file but this text
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
/// The checksum (XXH3, 128 bits) covers every byte but itself, so no byte of the file can change
/// unnoticed. `file`: as it will be called; its folder may be renamed.
[[nodiscard]] Seal seal(std::string_view schema,
                        const std::filesystem::path& file,
                        const nlohmann::ordered_json& header,
                        std::initializer_list<std::string_view> payload = {});

/// Splits the `text` of `file` into header and payload. Throws a DamagedFile if the checksum or the
/// file's name does not match, and a UserError for another schema or version. The header's values
/// are not checked: a checksum protects against damage, not against forgery.
[[nodiscard]] SealedFile unseal(std::string_view schema,
                                const std::filesystem::path& file,
                                std::string text);

/// Copies the sealed file `from` to `to`, sealed under its name. Throws as unseal() does, and a
/// RunError if a file cannot be read or written.
void copy_sealed(const std::filesystem::path& from,
                 const std::filesystem::path& to,
                 const FileKind& kind);

}  // namespace epochcast
