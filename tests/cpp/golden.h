// golden.h: texts that are compared with files in tests/golden/. Run with THUNKVM_GOLDEN=write to
// make the files anew, and read the difference before committing it.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace thunkvm::testing {

/// Holds `text` against tests/golden/<name>.
inline void check_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(THUNKVM_TESTS) + "/golden/" + name;
  const char* mode = std::getenv("THUNKVM_GOLDEN");
  if (mode != nullptr && std::string_view(mode) == "write") std::ofstream(path) << text;
  std::ostringstream expected;
  expected << std::ifstream(path).rdbuf();
  CAPTURE(path);
  CHECK(text == expected.str());
}

}  // namespace thunkvm::testing
