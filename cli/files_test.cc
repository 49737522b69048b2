#include "cli/files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "eider/testkit/temp_directory.h"

namespace eider {
namespace {

TEST(WrittenFiles, are_checked_ahead_as_they_are_written_later_and_nothing_is_made) {
  const TempDirectory place;
  const std::string file = place.path() / "report.json";
  EXPECT_TRUE(check_writable("-"));
  EXPECT_TRUE(check_writable("report.json"));
  EXPECT_TRUE(check_writable(file));
  EXPECT_FALSE(std::filesystem::exists(file));
  ASSERT_TRUE(write_text_file(file, "kept"));
  EXPECT_TRUE(check_writable(file));
  EXPECT_EQ(read_text_file(file), "kept");
  for (const auto& path :
       {place.path() / "absent/report.json", place.path(), std::filesystem::path(file + "/x")}) {
    const std::string name = path;
    const auto checked = check_writable(name);
    const auto written = write_text_file(name, "lost");
    ASSERT_FALSE(checked) << name;
    ASSERT_FALSE(written) << name;
    EXPECT_EQ(checked.error(), written.error());
  }
}

}  // namespace
}  // namespace eider
