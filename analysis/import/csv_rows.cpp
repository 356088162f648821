// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/csv_rows.hpp"

#include <csv.h>

#include <exception>
#include <memory>
#include <new>

#include "base/error.hpp"

namespace epochcast {
namespace {

using Use = std::function<void(const std::vector<std::string>&, std::int64_t)>;

/// The output of libcsv's callbacks. They are called from C code, through which exceptions must not
/// pass: the first one is kept.
struct Rows {
  const Use& use;
  std::vector<std::string> fields = {};  ///< of the row being read
  std::int64_t row = 1;
  std::exception_ptr failure = {};

  template <typename Call>
  void guarded(Call call) {
    if (failure) return;
    try {
      call();
    } catch (...) {
      failure = std::current_exception();
    }
  }
};

void on_field(void* text, std::size_t bytes, void* rows) {
  auto& all = *static_cast<Rows*>(rows);
  all.guarded([&] { all.fields.emplace_back(static_cast<const char*>(text), bytes); });
}

void on_row(int /*terminator*/, void* rows) {
  auto& all = *static_cast<Rows*>(rows);
  all.guarded([&] {
    all.use(all.fields, all.row);
    all.fields.clear();
    ++all.row;
  });
}

}  // namespace

void for_each_csv_row(std::string_view text, const std::string& file, const Use& use) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Rows rows{.use = use};
  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
  const std::unique_ptr<csv_parser, void (*)(csv_parser*)> freed(&parser, &csv_free);
  const bool is_read =
      csv_parse(&parser, text.data(), text.size(), &on_field, &on_row, &rows) == text.size() &&
      csv_fini(&parser, &on_field, &on_row, &rows) == 0;
  if (rows.failure) std::rethrow_exception(rows.failure);
  if (!is_read) {
    throw UserError(file + ": row " + std::to_string(rows.row) +
                    ": got a quotation mark out of place; expected fields in \"...\", with \"\" "
                    "for a quotation mark inside");
  }
}

}  // namespace epochcast
