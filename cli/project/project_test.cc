#include "cli/project/project.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/process/run.h"
#include "cli/project/toolchain.h"
#include "eider/testkit/temp_directory.h"

namespace eider {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUses = "find_package(eider REQUIRED)\n";

class FindProject : public ::testing::Test {
 protected:
  void write(const fs::path& folder, std::string_view cmake) {
    fs::create_directories(root_ / folder);
    std::ofstream(root_ / folder / "CMakeLists.txt") << cmake;
  }

  /// Returns the root, relative to the test's folder, and the name; otherwise the error.
  std::string found_from(const fs::path& folder) {
    fs::create_directories(root_ / folder);
    const auto found = find_project((root_ / folder).string());
    return found ? fs::path(found->root).lexically_relative(root_).string() + " " + found->name
                 : found.error();
  }

 private:
  TempDirectory directory_;
  fs::path root_ = directory_.path();
};

TEST_F(FindProject, is_the_nearest_that_uses_eider_also_within_another_project) {
  write("mono", "project(mono)\nadd_subdirectory(shop)\n");
  write("mono/shop", "project(shop)\n" + std::string(kUses));
  EXPECT_EQ(found_from("mono/shop"), "mono/shop shop");
  EXPECT_EQ(found_from("mono/shop/src/deep"), "mono/shop shop");
  EXPECT_EQ(found_from("mono"), "mono mono");
}

TEST_F(FindProject, a_folder_that_is_added_is_no_project_of_its_own) {
  write("shop", "project(shop)\n" + std::string(kUses) + "add_subdirectory(src)\n");
  write("shop/src", "add_executable(shop main.cc)\n" + std::string(kUses));
  EXPECT_EQ(found_from("shop/src"), "shop shop");
}

TEST_F(FindProject, folders_without_a_file_are_passed) {
  write("shop", "project(shop)\n" + std::string(kUses) + "add_subdirectory(src/app)\n");
  write("shop/src/app", "add_executable(shop main.cc)\n");
  EXPECT_EQ(found_from("shop/src/app"), "shop shop");
}

TEST_F(FindProject, eider_may_be_used_by_a_folder_that_is_added) {
  write("shop", "project(shop)\nadd_subdirectory( \"src\" )\nadd_subdirectory(.)\n");
  write("shop/src", "target_link_libraries(shop eider::core)\n");
  EXPECT_EQ(found_from("shop"), "shop shop");
  EXPECT_EQ(found_from("shop/src"), "shop shop");
  write("loop", "project(loop)\nforeach(each a b)\n  add_subdirectory(${each})\nendforeach()\n");
  write("loop/a", kUses);
  EXPECT_EQ(found_from("loop/a"), "loop loop");
}

TEST_F(FindProject, a_project_without_eider_is_passed) {
  write("shop", "project(shop)\n" + std::string(kUses));
  write("shop/tools", "project(tools)\n# not with find_package(eider)\n");
  EXPECT_EQ(found_from("shop/tools"), "shop shop");
  write("other", "project(other)\n# eider\n");
  EXPECT_TRUE(found_from("other").starts_with("found no project in ")) << found_from("other");
}

TEST_F(FindProject, a_name_that_CMake_computes_is_empty) {
  write("shop", "project(${NAME})\n" + std::string(kUses));
  EXPECT_EQ(found_from("shop"), "shop ");
}

TEST(SourceFiles, warnings_of_git_are_no_names) {
  if (find_program("git").empty()) {
    GTEST_SKIP() << "git is not installed";
  }
  const TempDirectory directory;
  const std::string root = directory.path().string();
  std::ofstream(directory.path() / "a.cc") << "int a;\n";
  std::ofstream(directory.path() / "b.cc") << "int b;\n";
  ASSERT_TRUE(run_quietly({"git", "init", root}));
  ::setenv("GIT_TRACE", "1", 1);  // git writes to standard error, as for a folder it cannot read
  const std::vector<std::string> files = source_files({.root = root, .name = "shop"});
  ::unsetenv("GIT_TRACE");
  EXPECT_EQ(files, (std::vector<std::string>{root + "/a.cc", root + "/b.cc"}));
}

}  // namespace
}  // namespace eider
