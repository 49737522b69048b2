#include "eider/core/base/program_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "eider/testkit/temp_directory.h"

namespace eider {
namespace {

namespace fs = std::filesystem;

/// A directory with programs, deleted with the test.
class ProgramFiles : public ::testing::Test {
 protected:
  [[nodiscard]] bool searches(const fs::path& program, const fs::path& place) const {
    const auto places = program_places("languages", (base_ / program).string());
    return std::ranges::find(places, (base_ / place).string()) != places.end();
  }

  TempDirectory directory_;
  const fs::path base_ = directory_.path();
};

TEST_F(ProgramFiles, are_searched_beside_the_program_in_its_package_and_in_share) {
  EXPECT_TRUE(searches("opt/shop", "opt/languages"));
  EXPECT_TRUE(searches("opt/bin/shop", "opt/languages"));
  EXPECT_TRUE(searches("usr/bin/shop", "usr/share/shop/languages"));
  EXPECT_FALSE(searches("usr/bin/shop", "languages"));
}

TEST_F(ProgramFiles, of_a_program_in_a_build_directory_are_in_the_project) {
  fs::create_directories(base_ / "project/build/dev/bin");
  EXPECT_FALSE(searches("project/build/dev/shop", "project/languages"));
  std::ofstream(base_ / "project/build/dev/CMakeCache.txt")
      << "# a comment\nCMAKE_HOME_DIRECTORY:INTERNAL=" << (base_ / "project").string() << "\n";
  EXPECT_TRUE(searches("project/build/dev/shop", "project/languages"));
  EXPECT_TRUE(searches("project/build/dev/bin/shop", "project/languages"));
}

TEST_F(ProgramFiles, in_the_working_directory_are_taken_first) {
  const fs::path before = fs::current_path();
  fs::create_directories(base_ / "languages");
  fs::current_path(base_);
  const std::string found = program_path("languages");
  const auto places = program_places("languages");
  fs::current_path(before);
  EXPECT_EQ(found, "languages");
  ASSERT_FALSE(places.empty());
  EXPECT_EQ(fs::path(places.front()).filename(), "languages");
  EXPECT_EQ(fs::path(places.front()).parent_path().filename(), base_.filename());
}

TEST_F(ProgramFiles, beside_the_program_are_found_from_any_working_directory) {
  const fs::path own = fs::read_symlink("/proc/self/exe");
  EXPECT_EQ(program_path(own.filename().string()), own.string());
}

TEST_F(ProgramFiles, found_nowhere_keep_their_path_and_the_places_are_named) {
  EXPECT_EQ(program_path("no such folder"), "no such folder");
  EXPECT_EQ(program_path("/none/languages"), "/none/languages");
  EXPECT_EQ(program_path(""), "");
  const std::string searched = searched_places("no such folder");
  EXPECT_TRUE(searched.starts_with(" (searched: /")) << searched;
  EXPECT_TRUE(searched.contains("/no such folder, /")) << searched;
  EXPECT_EQ(searched_places("/none/languages"), "");
}

}  // namespace
}  // namespace eider
