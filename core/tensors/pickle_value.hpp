// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensors/pickle.hpp"

// The values of a pickle, for core/tensors/pickle.cpp.

namespace epochcast {

/// A Python object, as far as weights need it. Others refer to it by its address.
struct PickleValue {
  enum class Kind {
    other,       ///< `text`: its kind, in words
    number,      ///< `number`, if it is an integer
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

/// The argument that `function` only wraps (a parameter's tensor, a container of C++'s); null for
/// other functions.
[[nodiscard]] PickleValue* wrapped(const PickleValue& function, const PickleValue& arguments);

/// The result of calling `function` with `arguments`: a tensor, a dictionary, or `other`. Throws a
/// PickleError for invalid arguments of a tensor.
[[nodiscard]] PickleValue called(const PickleValue& function, const PickleValue& arguments);

/// The storage that torch.save() writes as ("storage", CLASS, RECORD, DEVICE, ELEMENTS).
[[nodiscard]] PickleValue persistent(const PickleValue& id);

/// "a tensor", "a dictionary", "a torchvision.models.resnet.ResNet".
[[nodiscard]] std::string kind_in_words(const PickleValue& value);

}  // namespace epochcast
