// SPDX-License-Identifier: Apache-2.0
#include "real/data/ag_news.hpp"

#include <csv.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <exception>
#include <memory>
#include <span>
#include <string>

#include "base/error.hpp"
#include "real/data/file_bytes.hpp"
#include "real/data/tokens.hpp"

namespace epochcast::real {
namespace {

constexpr std::size_t kFields = 3;

/// Texts as tokens, in memory.
class Texts : public DataSource {
 public:
  explicit Texts(const Dataset& dataset) : shape_(dataset.shape), classes_(dataset.classes) {}

  void append(std::string_view text, std::int64_t label) {
    const std::size_t start = tokens_.size();
    tokens_.resize(start + length());
    write_tokens(text, std::span(tokens_).subspan(start));
    labels_.push_back(label);
  }

  [[nodiscard]] const std::vector<std::int64_t>& labels() const { return labels_; }

  [[nodiscard]] std::int64_t size() const override {
    return static_cast<std::int64_t>(labels_.size());
  }
  [[nodiscard]] const std::vector<std::int64_t>& shape() const override { return shape_; }
  [[nodiscard]] std::int64_t classes() const override { return classes_; }

  std::int64_t load(std::int64_t index,
                    std::optional<std::uint64_t> /*variant*/,
                    std::span<float> sample) const override {
    assert(index >= 0 && index < size() && sample.size() == length());
    const auto number = static_cast<std::size_t>(index);
    const auto text = std::span(tokens_).subspan(number * length(), length());
    std::copy(text.begin(), text.end(), sample.begin());
    return labels_[number];
  }

 private:
  [[nodiscard]] std::size_t length() const { return static_cast<std::size_t>(shape_[0]); }

  std::vector<std::int64_t> shape_;
  std::int64_t classes_;
  std::vector<std::uint16_t> tokens_;  ///< [samples, length]
  std::vector<std::int64_t> labels_;
};

/// Collects the rows that libcsv finds. Its callbacks are called from C code, through which
/// exceptions must not pass: the first one is kept.
class RowReader {
 public:
  RowReader(std::string file, Texts& texts) : file_(std::move(file)), texts_(texts) {}

  static void on_field(void* text, std::size_t bytes, void* self) {
    static_cast<RowReader*>(self)->guarded([&](RowReader& reader) {
      reader.fields_.emplace_back(static_cast<const char*>(text), bytes);
    });
  }
  static void on_row(int /*terminator*/, void* self) {
    static_cast<RowReader*>(self)->guarded([](RowReader& reader) { reader.finish_row(); });
  }

  [[nodiscard]] std::int64_t row() const { return row_; }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  template <typename Call>
  void guarded(Call call) {
    if (failure_) return;
    try {
      call(*this);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  void finish_row() {
    const std::string where = file_ + ": row " + std::to_string(row_);
    if (fields_.size() != kFields) {
      throw UserError(where + ": got " + std::to_string(fields_.size()) +
                      " fields; expected 3: class, title, description");
    }
    const bool is_header = row_ == 1 && fields_[0] == "Class Index";
    if (!is_header) texts_.append(fields_[1] + " " + fields_[2], label(where));
    fields_.clear();
    ++row_;
  }

  [[nodiscard]] std::int64_t label(const std::string& where) const {
    const std::string& text = fields_[0];
    std::int64_t number = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = end.ec == std::errc() && end.ptr == text.data() + text.size();
    if (!is_whole || number < 1 || number > texts_.classes()) {
      throw UserError(where + ": got class \"" + text + "\"; expected 1 to " +
                      std::to_string(texts_.classes()));
    }
    return number - 1;
  }

  std::string file_;
  Texts& texts_;
  std::vector<std::string> fields_;  ///< of the row being read
  std::int64_t row_ = 1;
  std::exception_ptr failure_;
};

/// Spreadsheets begin a file in UTF-8 with U+FEFF.
std::span<const std::uint8_t> without_byte_order_mark(std::span<const std::uint8_t> bytes) {
  constexpr std::array<std::uint8_t, 3> kMark = {0xef, 0xbb, 0xbf};
  const bool has_mark =
      bytes.size() >= kMark.size() && std::equal(kMark.begin(), kMark.end(), bytes.begin());
  return has_mark ? bytes.subspan(kMark.size()) : bytes;
}

std::unique_ptr<Texts> read_half(const Dataset& dataset, const std::filesystem::path& file) {
  const std::vector<std::uint8_t> bytes = read_bytes<UserError>(file);
  const std::span<const std::uint8_t> rows = without_byte_order_mark(bytes);
  auto texts = std::make_unique<Texts>(dataset);
  RowReader reader(file.string(), *texts);
  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
  const std::unique_ptr<csv_parser, void (*)(csv_parser*)> freed(&parser, &csv_free);
  const bool is_read =
      csv_parse(
          &parser, rows.data(), rows.size(), &RowReader::on_field, &RowReader::on_row, &reader) ==
          rows.size() &&
      csv_fini(&parser, &RowReader::on_field, &RowReader::on_row, &reader) == 0;
  reader.rethrow();
  if (!is_read) {
    throw UserError(
        file.string() + ": row " + std::to_string(reader.row()) +
        ": got a quotation mark out of place; expected fields in \"...\", with \"\" for "
        "a quotation mark inside");
  }
  if (texts->size() == 0) throw UserError(file.string() + ": got no rows; expected at least one");
  return texts;
}

}  // namespace

DataSplit open_ag_news(const Dataset& dataset, const std::filesystem::path& folder) {
  if (dataset.shape.size() != 1) {
    throw UserError(folder.string() + ": got the texts of AG's News; " + dataset.name +
                    " has samples of " + shape_text(dataset.shape));
  }
  std::unique_ptr<Texts> train = read_half(dataset, folder / "train.csv");
  std::unique_ptr<Texts> test = read_half(dataset, folder / "test.csv");
  for (std::int64_t label = 0; label < dataset.classes; ++label) {
    if (std::count(train->labels().begin(), train->labels().end(), label) == 0) {
      throw UserError((folder / "train.csv").string() + ": got no row of class " +
                      std::to_string(label + 1) + "; expected rows of classes 1 to " +
                      std::to_string(dataset.classes));
    }
  }
  return {.train = std::move(train),
          .test = std::move(test),
          .title = dataset.title + " in " + folder.string()};
}

}  // namespace epochcast::real
