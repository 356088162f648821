// SPDX-License-Identifier: Apache-2.0
#include "core/tensors/pickle_value.hpp"

namespace epochcast {
namespace {

using Kind = PickleValue::Kind;
using Members = std::vector<PickleValue*>;

[[noreturn]] void fail_tensor(const std::string& what) {
  throw PickleError(PickleError::Reason::damage, "a tensor of it has no " + what);
}

std::int64_t whole_number(const PickleValue& value, const std::string& what) {
  if (value.kind != Kind::number) fail_tensor(what);
  return value.number;
}

std::vector<std::int64_t> whole_numbers(const PickleValue& value, const std::string& what) {
  constexpr std::size_t kMostDimensions = 64;
  if (value.kind != Kind::sequence || value.members.size() > kMostDimensions) fail_tensor(what);
  std::vector<std::int64_t> numbers;
  for (const PickleValue* member : value.members) numbers.push_back(whole_number(*member, what));
  return numbers;
}

/// torch._utils._rebuild_tensor_v2(storage, offset, shape, strides, ...)
PickleValue rebuilt_tensor(const Members& arguments) {
  constexpr std::size_t kNeeded = 4;
  if (arguments.size() < kNeeded || arguments[0]->kind != Kind::storage) fail_tensor("storage");
  PickleValue value = {.kind = Kind::tensor, .tensor = arguments[0]->tensor};
  value.tensor.offset = whole_number(*arguments[1], "offset");
  value.tensor.shape = whole_numbers(*arguments[2], "shape");
  value.tensor.strides = whole_numbers(*arguments[3], "strides");
  if (value.tensor.shape.size() != value.tensor.strides.size()) fail_tensor("strides");
  return value;
}

}  // namespace

PickleValue* wrapped(const PickleValue& function, const PickleValue& arguments) {
  const bool is_wrapper =
      function.kind == Kind::name && (function.text == "torch._utils._rebuild_parameter" ||
                                      function.text == "torch.jit._pickle.restore_type_tag");
  return is_wrapper && !arguments.members.empty() ? arguments.members.front() : nullptr;
}

PickleValue called(const PickleValue& function, const PickleValue& arguments) {
  if (function.kind == Kind::name) {
    if (function.text == "torch._utils._rebuild_tensor_v2")
      return rebuilt_tensor(arguments.members);
    if (function.text == "collections.OrderedDict" && arguments.members.empty())
      return {.kind = Kind::dictionary};
  }
  return {.kind = Kind::other, .text = "a " + function.text};
}

PickleValue persistent(const PickleValue& id) {
  constexpr std::size_t kNeeded = 3;
  const Members& parts = id.members;
  const bool is_storage = parts.size() >= kNeeded && parts[0]->text == "storage" &&
                          parts[1]->kind == Kind::name && parts[2]->kind == Kind::text;
  if (!is_storage) return {.kind = Kind::other, .text = "an object from elsewhere"};
  const std::string& type = parts[1]->text;
  return {.kind = Kind::storage,
          .tensor = {.record = parts[2]->text,
                     .storage_type = type.substr(type.find_last_of('.') + 1)}};
}

std::string kind_in_words(const PickleValue& value) {
  switch (value.kind) {
    case Kind::number:
      return "a number";
    case Kind::text:
      return "a text";
    case Kind::sequence:
      return "a list";
    case Kind::dictionary:
      return "a dictionary";
    case Kind::name:
      return "the name " + value.text;
    case Kind::storage:
      return "a storage";
    case Kind::tensor:
      return "a tensor";
    case Kind::other:
      break;
  }
  return value.text;
}

}  // namespace epochcast
