// SPDX-License-Identifier: Apache-2.0
#include "rehearse/runs/rehearsal_folder.hpp"

#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "base/files/cache_folder.hpp"
#include "tests/catch.hpp"

namespace epochcast::tests {
namespace {

/// A variable of the environment with another value, or none, in this object's lifetime.
class Variable {
 public:
  explicit Variable(const char* name) : name_(name) {
    if (const char* value = std::getenv(name)) before_ = value;
  }
  ~Variable() { before_.empty() ? unsetenv(name_) : setenv(name_, before_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

  void set(const char* value) const { setenv(name_, value, 1); }

 private:
  const char* name_;
  std::string before_;
};

TEST_CASE("rehearsals are kept in the user's cache; without one there is an error") {
  const Variable cache("XDG_CACHE_HOME");
  const Variable home("HOME");

  cache.set("/cache");
  home.set("/home/me");
  CHECK(cache_folder("rehearsals") == "/cache/epochcast/rehearsals");
  cache.set("");
  CHECK(cache_folder("rehearsals") == "/home/me/.cache/epochcast/rehearsals");
  home.set("");
  CHECK_THROWS_WITH(cache_folder("rehearsals"),
                    "no place for kept rehearsals: neither XDG_CACHE_HOME nor HOME is set; set "
                    "one, or give --folder");
}

}  // namespace
}  // namespace epochcast::tests
