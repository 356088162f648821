// SPDX-License-Identifier: Apache-2.0
#pragma once

// Catch2 version 2 (Debian 12) or 3, whichever CMake has found: there may be headers of both.
#if EPOCHCAST_CATCH2_MAJOR >= 3
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
