// SPDX-License-Identifier: Apache-2.0
#include "base/files/sealed_file.hpp"

#include <algorithm>

#include "base/files/checksum.hpp"
#include "base/files/file_draft.hpp"
#include "base/files/text_file.hpp"
#include "base/json/json_file.hpp"
#include "base/json/json_input.hpp"

namespace epochcast {
namespace {

constexpr std::string_view kBeforeChecksum = R"({"checksum":")";
constexpr std::string_view kAfterChecksum = R"(",)";
constexpr std::size_t kCoveredFrom =
    kBeforeChecksum.size() + kChecksumDigits + kAfterChecksum.size();

/// Refuses a file without a seal: of an older version, or of another program.
void check_is_sealed(std::string_view schema, const std::string& name, std::string_view text) {
  if (text.empty()) throw DamagedFile(name + ": is empty; expected " + std::string(schema));
  if (text.starts_with(kBeforeChecksum)) return;
  constexpr std::size_t kSearched = 4096;
  const std::string_view kind = schema.substr(0, schema.find('/') + 1);
  const std::string_view beginning = text.substr(0, kSearched);
  const std::size_t at = beginning.find(kind);
  if (at == beginning.npos) return;
  const std::string_view found = beginning.substr(at, beginning.find('"', at) - at);
  if (found == schema) return;
  throw UserError(name + ": is of " + std::string(found) +
                  ", which this version does not read; expected " + std::string(schema));
}

}  // namespace

Seal seal(std::string_view schema,
          const std::filesystem::path& file,
          const nlohmann::ordered_json& header,
          std::initializer_list<std::string_view> payload) {
  nlohmann::ordered_json all = {{"schema", schema}, {"file", file.filename().string()}};
  all.update(header);
  const std::string covered = all.dump().substr(1) + "\n";  // without its "{"
  Digest digest;
  digest.add(covered);
  for (const std::string_view part : payload) digest.add(part);
  const std::string checksum = digest.text();
  return {.line = std::string(kBeforeChecksum) + checksum + std::string(kAfterChecksum) + covered,
          .checksum = checksum};
}

SealedFile unseal(std::string_view schema, const std::filesystem::path& file, std::string text) {
  const std::string name = file.string();
  check_is_sealed(schema, name, text);
  Digest digest;
  if (text.size() > kCoveredFrom) digest.add(std::string_view(text).substr(kCoveredFrom));
  const std::string checksum = digest.text();
  if (!text.starts_with(std::string(kBeforeChecksum) + checksum + std::string(kAfterChecksum)))
    throw DamagedFile(name + ": is damaged: its checksum is not that of its content");
  const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
  SealedFile sealed = {
      .line = text.substr(0, end), .header = {}, .checksum = checksum, .payload = {}};
  sealed.header = parse_json(sealed.line, name);
  Problems problems(name);
  const std::string written_as = open_document(sealed.header, schema, problems).at("file").string();
  problems.throw_if_any();
  if (written_as != file.filename())
    throw DamagedFile(name + ": was written as " + written_as + ": files were exchanged");
  sealed.payload = std::move(text.erase(0, end));
  return sealed;
}

void copy_sealed(const std::filesystem::path& from,
                 const std::filesystem::path& to,
                 const FileKind& kind) {
  std::string text = read_text_file(from, kind);
  const nlohmann::json first = nlohmann::json::parse(text.begin(),
                                                     std::ranges::find(text, '\n'),
                                                     /*callback=*/nullptr,
                                                     /*allow_exceptions=*/false);
  if (!first.is_object() || !first.contains("schema"))
    throw DamagedFile(from.string() + ": is damaged: its first line is no header");
  const auto schema = first.at("schema").get<std::string>();
  SealedFile sealed = unseal(schema, from, std::move(text));
  for (const char* own : {"checksum", "schema", "file"}) sealed.header.erase(own);
  const Seal seal = epochcast::seal(schema, to, sealed.header, {sealed.payload});
  replace_file(to, [&](std::ostream& out) { out << seal.line << sealed.payload; });
}

}  // namespace epochcast
