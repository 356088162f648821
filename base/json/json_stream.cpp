// SPDX-License-Identifier: Apache-2.0
#include "base/json/json_stream.hpp"

#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "base/error.hpp"
#include "base/text/units.hpp"

namespace epochcast {
namespace {

using Json = nlohmann::json;
using Take = std::function<void(const Json&, const std::string&)>;

constexpr std::size_t kDeepest = 32;  // profiles need 5

/// Where in the text the parser is.
struct TextPlace {
  std::size_t line = 1;
  std::size_t column = 0;       ///< of the last character read
  std::size_t since_event = 0;  ///< characters since the last complete value
  bool is_over = false;         ///< read beyond the end

  void pass(char c) {
    ++since_event;
    if (c == '\n') {
      ++line;
      column = 0;
    } else {
      ++column;
    }
  }
};

/// Reads characters and follows their place. Throws a std::length_error for endless texts, numbers
/// and blanks.
class PlacedIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  PlacedIterator() = default;
  PlacedIterator(std::istream& text, TextPlace& place, std::size_t most_bytes)
      : next_(text), place_(&place), most_bytes_(most_bytes) {}

  char operator*() const { return *next_; }
  PlacedIterator& operator++() {
    place_->pass(*next_);
    if (place_->since_event > most_bytes_) throw std::length_error("json_stream");
    ++next_;
    return *this;
  }
  /// `end`: has no characters.
  bool operator!=(const PlacedIterator& end) const {
    const bool has_more = next_ != end.next_;
    if (!has_more && place_ != nullptr) place_->is_over = true;
    return has_more;
  }
  bool operator==(const PlacedIterator& end) const { return !(*this != end); }

 private:
  std::istreambuf_iterator<char> next_;
  TextPlace* place_ = nullptr;
  std::size_t most_bytes_ = 0;
};

/// Builds elements one at a time, and the rest, from a parser's events.
class ElementBuilder {
 public:
  ElementBuilder(const std::string& name,
                 const Take& take,
                 const JsonStreamLimits& limits,
                 TextPlace& place)
      : name_(name), take_(take), limits_(limits), place_(place) {}

  bool null() { return scalar(nullptr); }
  bool boolean(bool value) { return scalar(value); }
  bool number_integer(Json::number_integer_t value) { return scalar(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return scalar(value); }
  bool number_float(Json::number_float_t value, const std::string& /*text*/) {
    return scalar(value);
  }
  bool string(std::string& value) {
    count(value.size());
    return scalar(std::move(value));
  }
  bool binary(Json::binary_t& /*value*/) { return false; }  // not in texts
  bool key(std::string& value) {
    count(value.size());
    key_ = std::move(value);
    if (open_.back()->contains(key_)) fail("duplicate key \"" + key_ + "\"");
    if (open_.size() == 1) list_path_ = (Json::json_pointer() / key_).to_string();
    return true;
  }
  bool start_object(std::size_t /*size*/) { return start(Json::object()); }
  bool start_array(std::size_t /*size*/) { return start(Json::array()); }
  bool end_object() { return end(); }
  bool end_array() { return end(); }
  bool parse_error(std::size_t /*position*/,
                   const std::string& /*token*/,
                   const nlohmann::detail::exception& error) {
    if (error.id == 406) fail("got a number that is too large to be represented");
    if (place_.is_over) ++place_.column;
    throw UserError(at() + ": not valid JSON" +
                    (place_.is_over ? " (the file ends too early)" : " at this place"));
  }

  [[nodiscard]] Json rest() { return std::move(rest_); }

  [[noreturn]] void fail_too_large() const {
    fail("got an element of more than " + std::to_string(limits_.values) + " values or " +
         format_bytes(static_cast<double>(limits_.bytes)) + "; expected a profile's events");
  }

 private:
  [[nodiscard]] std::string at() const {
    return name_ + ":" + std::to_string(place_.line) + ":" + std::to_string(place_.column);
  }
  [[noreturn]] void fail(const std::string& what) const { throw UserError(at() + ": " + what); }

  /// A list whose elements are taken is the document or a member of it.
  [[nodiscard]] bool is_element_next() const {
    return !open_.empty() && open_.size() <= 2 && open_.back()->is_array() &&
           (open_.size() == 1 || open_.front()->is_object());
  }

  void count(std::size_t bytes) {
    Size& size = is_in_element_ ? element_size_ : rest_size_;
    size.bytes += bytes;
    place_.since_event = 0;
    if (++size.values > limits_.values || size.bytes > limits_.bytes) fail_too_large();
  }

  /// Adds a value to the innermost open list or object.
  Json& put(Json value) {
    is_in_element_ = is_in_element_ || is_element_next();
    count(0);
    if (is_element_next()) return element_ = std::move(value);
    if (open_.empty()) return rest_ = std::move(value);
    Json& parent = *open_.back();
    if (parent.is_object()) return parent[key_] = std::move(value);
    parent.push_back(std::move(value));
    return parent.back();
  }

  bool scalar(Json value) {
    put(std::move(value));
    finish_element();
    return true;
  }

  bool start(Json value) {
    if (open_.size() == kDeepest) fail("nested deeper than any profile");
    Json& placed = put(std::move(value));
    open_.push_back(&placed);
    if (is_element_next() && !is_in_element_) next_ = 0;
    return true;
  }

  bool end() {
    open_.pop_back();
    finish_element();
    return true;
  }

  void finish_element() {
    if (!is_in_element_ || !is_element_next()) return;
    take_(element_, list_path_ + "/" + std::to_string(next_++));
    is_in_element_ = false;
    element_size_ = {};
  }

  struct Size {
    std::size_t values = 0;
    std::size_t bytes = 0;
  };

  const std::string& name_;
  const Take& take_;
  const JsonStreamLimits& limits_;
  TextPlace& place_;
  Json rest_;
  Json element_;
  std::vector<Json*> open_;  ///< lists and objects that are not complete, outermost first
  std::string key_;
  std::string list_path_;  ///< of the list whose elements are taken
  std::size_t next_ = 0;   ///< index of its next element
  bool is_in_element_ = false;
  Size element_size_;
  Size rest_size_;
};

}  // namespace

nlohmann::json read_json_stream(std::istream& text,
                                const std::string& name,
                                const Take& take,
                                const JsonStreamLimits& limits) {
  TextPlace place;
  ElementBuilder builder(name, take, limits, place);
  try {
    Json::sax_parse(PlacedIterator(text, place, limits.bytes), PlacedIterator(), &builder);
  } catch (const std::length_error&) {
    builder.fail_too_large();
  }
  return builder.rest();
}

}  // namespace epochcast
