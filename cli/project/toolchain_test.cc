#include "cli/project/toolchain.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/testkit/temp_directory.h"

namespace eider {
namespace {

namespace fs = std::filesystem;

class Linker : public ::testing::Test {
 protected:
  void SetUp() override { ::setenv("PATH", root_.c_str(), 1); }
  void TearDown() override {
    for (const auto& [name, value] : {std::pair{"PATH", path_}, std::pair{"CXX", compiler_}}) {
      (void)(value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name));
    }
  }

  /// Returns the chosen compiler for these programs in PATH and this value of CXX; empty: not set.
  std::string of(const std::vector<std::string>& programs, const std::string& compiler = {}) {
    fs::remove_all(root_);
    fs::create_directories(root_);
    for (const std::string& name : programs) {
      fs::create_symlink("/proc/self/exe", root_ / name);
    }
    (void)(compiler.empty() ? ::unsetenv("CXX") : ::setenv("CXX", compiler.c_str(), 1));
    const auto found = find_toolchain();
    return found ? found->linker : found.error();
  }

 private:
  static std::optional<std::string> said(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }

  std::optional<std::string> path_ = said("PATH");
  std::optional<std::string> compiler_ = said("CXX");
  const TempDirectory directory_;
  const fs::path root_ = directory_.path() / "bin";
};

TEST_F(Linker, one_that_the_compiler_does_not_find_by_its_name_is_not_taken) {
  EXPECT_EQ(of({"cmake", "ninja", "clang++-19", "ld.lld-19"}), "lld");
  EXPECT_EQ(of({"cmake", "ninja", "clang++-19", "ld.lld-19"}, "/usr/bin/clang++-19"), "lld");
  EXPECT_EQ(of({"cmake", "ninja", "clang++-19", "ld.lld-19"}, "g++"), "");
  EXPECT_EQ(of({"cmake", "ninja", "clang++", "ld.lld-19"}), "");
  EXPECT_EQ(of({"cmake", "ninja", "ld.lld-19"}), "");
  EXPECT_EQ(of({"cmake", "ninja", "ld.lld"}, "g++"), "lld");
  EXPECT_EQ(of({"cmake", "ninja", "ld.lld", "mold"}, "g++"), "mold");
}

TEST_F(Linker, all_missing_build_tools_are_reported_at_once) {
  const std::string missing = "build tools are missing. Run: apt install ";
  EXPECT_EQ(of({"mold"}), missing + "cmake ninja-build clang-19");
  EXPECT_EQ(of({"g++"}), missing + "cmake ninja-build");
  EXPECT_EQ(of({"cmake", "g++"}), missing + "ninja-build");
  EXPECT_EQ(of({"ninja"}, "g++"), missing + "cmake");
}

}  // namespace
}  // namespace eider
