// SPDX-License-Identifier: Apache-2.0
// For clang-tidy 14 alone, before everything else: a std::vector whose members are not constexpr.
// LibTorch 1.13 has vectors of types that are incomplete where they are named, and Clang
// instantiates constexpr members at once.
#pragma once
#include <string>
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR
#define __fill_a1 __fill_a1_of_bits  // declared constexpr by what <string> includes
#include <vector>
#undef __fill_a1
#undef _GLIBCXX20_CONSTEXPR
#define _GLIBCXX20_CONSTEXPR constexpr
