#include "cli/project/profiled_build.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "cli/commands.h"
#include "eider/testkit/temp_directory.h"

namespace eider {
namespace {

TEST(ProfiledBuild, tells_the_middle_round_and_the_least_and_most_of_all) {
  EXPECT_EQ(told_gain({{10, 9.5}, {12, 10.8}, {20, 16}}),
            "A request costs 0.90 of the CPU time in build/release (0.80 to 0.95 in 3 rounds): "
            "10.8 µs instead of 12.0");
  EXPECT_TRUE(told_gain({{10, 11}}).ends_with("11.0 µs instead of 10.0"));
  EXPECT_TRUE(
      told_gain({{10, 9}, {10, 8}, {10, 10.1}}).ends_with("not significant in these rounds"));
}

TEST(ProfiledBuild, takes_clangs_profile_by_name_and_that_of_gcc_beside_its_objects) {
  const auto has = [](const std::vector<std::string>& flags, std::string_view flag) {
    return std::ranges::find(flags, flag) != flags.end();
  };
  EXPECT_TRUE(has(profile_flags(ProfileStage::is_counted, true, "/a/b"), "-fprofile-use=/a/b"));
  EXPECT_TRUE(has(profile_flags(ProfileStage::is_counted, false, "/a/b"), "-fprofile-use"));
  for (const bool is_clang : {true, false}) {
    EXPECT_TRUE(has(profile_flags(ProfileStage::counts, is_clang, {}), "-fprofile-generate"));
  }
}

/// An invalid load is reported before any step that takes minutes.
TEST(ProfiledBuild, looks_at_the_load_first) {
  const TempDirectory place;
  const std::string file = (place.path() / "load.txt").string();
  const ProfiledBuild wanted{.project = {place.path().string(), "shop"}, .load = file};
  const StepEnd without = build_by_profile(wanted);
  EXPECT_EQ(without.status, kCommandFailed);
  EXPECT_TRUE(without.why.contains("load.txt does not exist. Write typical requests into it"))
      << without.why;
  for (const auto& [text, why] :
       {std::pair{"# none\n", "load.txt: the file contains no request"},
        {"GET /\nGET x\n", "load.txt: line 2: 'x' is not a valid request target"},
        {"{\"path\": 1}", "load.txt: line 1: "},
        {R"({"url": "http://example.org/"})", "load.txt: line 1: "}}) {
    std::ofstream(file) << text;
    const StepEnd end = build_by_profile(wanted);
    EXPECT_EQ(end.status, kCommandFailed);
    EXPECT_TRUE(end.why.contains(why)) << end.why;
  }
  EXPECT_FALSE(std::filesystem::exists(place.path() / "build"));
}

}  // namespace
}  // namespace eider
