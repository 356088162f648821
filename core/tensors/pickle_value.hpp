// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensors/pickle.hpp"

// What a pickle is made of, for core/tensors/pickle.cpp.

namespace epochcast {

/// A Python object, as far as weights need it. Others refer to it by its address.
struct PickleValue {
  enum class Kind {
    other,       ///< `text`: what it is, in words
    number,      ///< `number`, where it is whole
    text,        ///< `text`
    sequence,    ///< tuple or list: `members`
    dictionary,  ///< `members`: key, value, key, value, ...
    name,        ///< of a class or function: `text` is MODULE.NAME
    storage,     ///< `tensor.record` and `tensor.storage_type`
    tensor,      ///< `tensor`
  };
  Kind kind = Kind::other;
  std::int64_t number = 0;
  std::string text = {};
  std::vector<PickleValue*> members = {};
  PickledTensor tensor = {};
};

/// The argument that `function` only wraps (a parameter's tensor, a container of C++'s); null where
/// it does something else.
[[nodiscard]] PickleValue* wrapped(const PickleValue& function, const PickleValue& arguments);

/// What calling `function` with `arguments` makes: a tensor, a dictionary, or something other.
/// Throws a PickleError where a tensor's arguments are none.
[[nodiscard]] PickleValue called(const PickleValue& function, const PickleValue& arguments);

/// What torch.save() stands for by ("storage", CLASS, RECORD, DEVICE, ELEMENTS).
[[nodiscard]] PickleValue persistent(const PickleValue& id);

/// "a tensor", "a dictionary", "a torchvision.models.resnet.ResNet".
[[nodiscard]] std::string kind_in_words(const PickleValue& value);

}  // namespace epochcast
