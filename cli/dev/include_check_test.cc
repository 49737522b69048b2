#include "cli/dev/include_check.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "cli/files.h"
#include "eider/testkit/temp_directory.h"

namespace eider::dev {
namespace {

namespace fs = std::filesystem;

/// A build directory with one source of the project, one generated source, and their objects.
class IncludeCheckTest : public ::testing::Test {
 protected:
  IncludeCheckTest() {
    fs::create_directories(build_ / "app.dir");
    write(build_ / "app.dir/cmake_pch.hxx",
          "#pragma once\n#include </b/eider-dev/app_precompiled.h>\n#include <eider/eider.h>\n");
    write(build_ / "app.dir/a.o", "");
    write(build_ / "app.dir/made.o", "");
    const std::string b = build_.string();
    const std::string flags = "clang++ -DX=1 -Winvalid-pch -Xclang -include-pch -Xclang " + b +
                              "/app.dir/cmake_pch.hxx.pch -Xclang -include -Xclang " + b +
                              "/app.dir/cmake_pch.hxx -o app.dir/";
    const std::string own = (source_ / "a.cc").string();
    const std::string made = b + "/made.cc";
    write(build_ / "compile_commands.json",
          R"([{"directory": ")" + b + R"(", "command": ")" + flags + "a.o -c " + own +
              R"(", "file": ")" + own + R"("},{"directory": ")" + b + R"(", "command": ")" + flags +
              "made.o -c " + made + R"(", "file": ")" + made + R"("}])");
  }

  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

  TempDirectory temp_;
  fs::path source_ = temp_.path();
  fs::path build_ = temp_.path() / "build";
};

TEST_F(IncludeCheckTest, compiles_with_the_projects_own_precompiled_header_alone) {
  IncludeCheck check(source_, build_);
  const auto words = check.next();
  ASSERT_EQ(words.size(), 3U);
  EXPECT_EQ(check.file(), "a.cc");
  EXPECT_TRUE(words[2].contains("clang++ -DX=1 -c " + (source_ / "a.cc").string())) << words[2];
  EXPECT_TRUE(words[2].contains("-fsyntax-only")) << words[2];
  EXPECT_FALSE(words[2].contains("cmake_pch")) << words[2];
  EXPECT_EQ(read_text_file(build_ / "app.dir/without_additions.h"),
            "#pragma once\n#include <eider/eider.h>\n");
}

TEST_F(IncludeCheckTest, checks_a_source_again_when_its_object_has_changed) {
  for (const bool is_good : {true, false}) {
    IncludeCheck check(source_, build_);
    ASSERT_FALSE(check.next().empty());
    check.note(is_good);
    EXPECT_TRUE(check.next().empty());
    EXPECT_EQ(IncludeCheck(source_, build_).next().empty(), is_good);
    const fs::path object = build_ / "app.dir/a.o";
    fs::last_write_time(object, fs::last_write_time(object) + std::chrono::seconds(1));
    EXPECT_FALSE(check.next().empty());
  }
}

TEST_F(IncludeCheckTest, reads_the_flags_of_gcc_and_leaves_out_what_is_not_precompiled) {
  const std::string header = (build_ / "app.dir/cmake_pch.hxx").string();
  const auto words =
      check_words("g++ -Winvalid-pch -include " + header + " -o a.o -c a.cc", build_);
  ASSERT_EQ(words.size(), 3U);
  EXPECT_TRUE(words[2].contains("g++ -c a.cc -fsyntax-only -include '")) << words[2];
  EXPECT_TRUE(check_words("g++ -o a.o -c a.cc", build_).empty());
}

}  // namespace
}  // namespace eider::dev
