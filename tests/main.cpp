// SPDX-License-Identifier: Apache-2.0
#define CATCH_CONFIG_MAIN  // Catch2 v2; v3 brings its main in a library
#include "tests/catch.hpp"
