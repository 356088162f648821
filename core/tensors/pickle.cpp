// SPDX-License-Identifier: Apache-2.0
#include "core/tensors/pickle.hpp"

#include <algorithm>
#include <deque>
#include <map>

#include "core/tensors/pickle_value.hpp"

namespace epochcast {
namespace {

using Kind = PickleValue::Kind;

[[noreturn]] void fail(const std::string& what) {
  throw PickleError(PickleError::Reason::damage, what);
}

/// The stack machine that executes a pickle.
class Unpickler {
 public:
  explicit Unpickler(std::string_view bytes) : bytes_(bytes) {}

  /// The value left on the stack at the end.
  const PickleValue& run() {
    while (true) {
      const auto opcode = static_cast<unsigned char>(take(1)[0]);
      if (opcode == '.') return *pop();
      if (!read_scalar(opcode) && !read_container(opcode) && !read_memo(opcode) &&
          !read_object(opcode)) {
        fail("its pickle has the opcode " + std::to_string(opcode) + " at byte " +
             std::to_string(at_ - 1) + ", which tensors have no need of");
      }
    }
  }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - at_) fail("its pickle ends too early");
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }
  /// An unsigned number of up to eight bytes, the least significant one first.
  std::uint64_t take_number(std::size_t bytes) {
    std::uint64_t number = 0;
    std::size_t shift = 0;
    for (const char byte : take(bytes)) {
      number |= std::uint64_t{static_cast<unsigned char>(byte)} << shift;
      shift += 8;
    }
    return number;
  }
  std::string take_line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) fail("its pickle ends too early");
    std::string line(take(end - at_));
    take(1);
    return line;
  }

  PickleValue& push(PickleValue value) {
    stack_.push_back(&values_.emplace_back(std::move(value)));
    return *stack_.back();
  }
  void push_text(std::uint64_t bytes) {
    push({.kind = Kind::text, .text = std::string(take(bytes))});
  }
  void push_number(std::int64_t number) { push({.kind = Kind::number, .number = number}); }
  void push_other(const std::string& what) { push({.kind = Kind::other, .text = what}); }

  PickleValue* top() {
    // Values below the last mark belong to an enclosing value.
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) fail("its pickle lacks a value");
    return stack_.back();
  }
  PickleValue* pop() {
    PickleValue* value = top();
    stack_.pop_back();
    return value;
  }
  /// Everything since the last mark.
  std::vector<PickleValue*> pop_mark() {
    if (marks_.empty()) fail("its pickle lacks a mark");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<PickleValue*> values(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return values;
  }
  std::vector<PickleValue*> pop_last(std::size_t count) {
    std::vector<PickleValue*> values(count);
    for (std::size_t i = count; i-- > 0;) values[i] = pop();
    return values;
  }
  void push_sequence(std::vector<PickleValue*> members) {
    push({.kind = Kind::sequence, .members = std::move(members)});
  }
  void extend(Kind kind, const std::vector<PickleValue*>& members) {
    PickleValue& container = *top();
    if (container.kind == Kind::other) return;
    if (container.kind != kind || (kind == Kind::dictionary && members.size() % 2 != 0))
      fail("its pickle adds members to " + kind_in_words(container));
    container.members.insert(container.members.end(), members.begin(), members.end());
  }

  bool read_scalar(unsigned char opcode) {
    switch (opcode) {
      case 'J':  // BININT
        push_number(static_cast<std::int32_t>(take_number(4)));
        return true;
      case 'K':  // BININT1
        push_number(static_cast<std::int64_t>(take_number(1)));
        return true;
      case 'M':  // BININT2
        push_number(static_cast<std::int64_t>(take_number(2)));
        return true;
      case 0x8a:  // LONG1
        push_long(take_number(1));
        return true;
      case 'G':  // BINFLOAT
        take(8);
        push_other("a number");
        return true;
      case 'N':  // NONE
        push_other("None");
        return true;
      case 0x88:  // NEWTRUE
      case 0x89:  // NEWFALSE
        push_other("a truth value");
        return true;
      case 'X':  // BINUNICODE
        push_text(take_number(4));
        return true;
      case 0x8c:  // SHORT_BINUNICODE
        push_text(take_number(1));
        return true;
      case 'C':  // SHORT_BINBYTES
        take(take_number(1));
        push_other("bytes");
        return true;
      default:
        return false;
    }
  }
  /// A number in two's complement; more than eight bytes cannot be a size.
  void push_long(std::uint64_t bytes) {
    if (bytes > 8) {
      take(bytes);
      return push_other("a number");
    }
    std::uint64_t number = take_number(bytes);
    const std::uint64_t sign = bytes == 0 ? 0 : std::uint64_t{1} << (8 * bytes - 1);
    if ((number & sign) != 0) number |= ~(sign | (sign - 1));
    push_number(static_cast<std::int64_t>(number));
  }

  bool read_container(unsigned char opcode) {
    switch (opcode) {
      case '(':  // MARK
        marks_.push_back(stack_.size());
        return true;
      case ')':  // EMPTY_TUPLE
      case ']':  // EMPTY_LIST
        push_sequence({});
        return true;
      case 't':  // TUPLE
        push_sequence(pop_mark());
        return true;
      case 0x85:  // TUPLE1
      case 0x86:  // TUPLE2
      case 0x87:  // TUPLE3
        push_sequence(pop_last(opcode - 0x84U));
        return true;
      case 'a':  // APPEND
        extend(Kind::sequence, pop_last(1));
        return true;
      case 'e':  // APPENDS
        extend(Kind::sequence, pop_mark());
        return true;
      case '}':  // EMPTY_DICT
        push({.kind = Kind::dictionary});
        return true;
      case 's':  // SETITEM
        extend(Kind::dictionary, pop_last(2));
        return true;
      case 'u':  // SETITEMS
        extend(Kind::dictionary, pop_mark());
        return true;
      default:
        return false;
    }
  }

  /// Memo opcodes, and opcodes about the encoding.
  bool read_memo(unsigned char opcode) {
    switch (opcode) {
      case 0x80:  // PROTO
        take(1);
        return true;
      case 0x95:  // FRAME
        take(8);
        return true;
      case 'q':  // BINPUT
        memo_[take_number(1)] = top();
        return true;
      case 'r':  // LONG_BINPUT
        memo_[take_number(4)] = top();
        return true;
      case 0x94:  // MEMOIZE
        memo_.emplace(memo_.size(), top());
        return true;
      case 'h':  // BINGET
        recall(take_number(1));
        return true;
      case 'j':  // LONG_BINGET
        recall(take_number(4));
        return true;
      default:
        return false;
    }
  }
  void recall(std::uint64_t number) {
    const auto found = memo_.find(number);
    if (found == memo_.end()) fail("its pickle lacks a value");
    stack_.push_back(found->second);
  }

  bool read_object(unsigned char opcode) {
    switch (opcode) {
      case 'c': {  // GLOBAL
        const std::string module = take_line();
        push({.kind = Kind::name, .text = module + "." + take_line()});
        return true;
      }
      case 0x93: {  // STACK_GLOBAL
        const auto parts = pop_last(2);
        push({.kind = Kind::name, .text = parts[0]->text + "." + parts[1]->text});
        return true;
      }
      case 'R': {  // REDUCE
        const auto parts = pop_last(2);
        if (PickleValue* inside = wrapped(*parts[0], *parts[1])) {
          stack_.push_back(inside);
        } else {
          push(called(*parts[0], *parts[1]));
        }
        return true;
      }
      case 0x81: {  // NEWOBJ
        const auto parts = pop_last(2);
        push_other("a " + parts[0]->text);
        return true;
      }
      case 'b':  // BUILD: attributes, which tensors do not need
        static_cast<void>(pop());
        return true;
      case 'Q':  // BINPERSID
        push(persistent(*pop()));
        return true;
      default:
        return false;
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::deque<PickleValue> values_;  ///< all values: their addresses are stable
  std::vector<PickleValue*> stack_;
  std::vector<std::size_t> marks_;  ///< sizes of the stack
  std::map<std::uint64_t, PickleValue*> memo_;
};

}  // namespace

std::vector<PickledMember> read_pickled_dictionary(std::string_view bytes) {
  Unpickler unpickler(bytes);
  const PickleValue& top = unpickler.run();
  if (top.kind != Kind::dictionary)
    throw PickleError(PickleError::Reason::other_content, kind_in_words(top));
  std::vector<PickledMember> members;
  for (std::size_t i = 0; i + 1 < top.members.size(); i += 2) {
    if (top.members[i]->kind != Kind::text) continue;
    const PickleValue& value = *top.members[i + 1];
    PickledMember member = {.name = top.members[i]->text, .kind = kind_in_words(value)};
    if (value.kind == Kind::tensor) member.tensor = value.tensor;
    member.holds_tensors =
        value.kind == Kind::dictionary &&
        std::any_of(value.members.begin(), value.members.end(), [](const PickleValue* each) {
          return each->kind == Kind::tensor;
        });
    members.push_back(std::move(member));
  }
  return members;
}

PickledTensor read_pickled_tensor(std::string_view bytes) {
  Unpickler unpickler(bytes);
  const PickleValue& top = unpickler.run();
  if (top.kind != Kind::tensor)
    throw PickleError(PickleError::Reason::other_content, kind_in_words(top));
  return top.tensor;
}

}  // namespace epochcast
