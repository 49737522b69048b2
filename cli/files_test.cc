#include "cli/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <iterator>
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

TEST(WrittenFiles, stay_as_they_were_when_the_disk_is_full) {
  const TempDirectory place;
  const std::string file = place.path() / "tables.h";
  ASSERT_TRUE(write_text_file(file, "before"));
  const std::string link = place.path() / "link.h";
  std::filesystem::create_symlink(file, link);
  std::filesystem::permissions(file, std::filesystem::perms(0640));
  struct rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  struct rlimit small = limit;
  small.rlim_cur = 4096;
  (void)std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written = write_text_file(file, std::string(100'000, 'x'));
  const auto created = write_text_file(place.path() / "new.h", std::string(100'000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  (void)std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_FALSE(written);
  EXPECT_FALSE(created);
  EXPECT_EQ(read_text_file(file), "before");
  const auto entries = std::filesystem::directory_iterator(place.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 2);  // the file and the link
  ASSERT_TRUE(write_text_file(link, "after"));
  EXPECT_EQ(read_text_file(file), "after");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms(0640));
}

TEST(WrittenFiles, keep_what_cannot_be_replaced) {
  namespace fs = std::filesystem;
  const TempDirectory place;
  const std::string dangling = place.path() / "link.h";
  fs::create_symlink("made.h", dangling);
  ASSERT_TRUE(write_text_file(dangling, "one"));
  EXPECT_TRUE(fs::is_symlink(dangling));
  EXPECT_EQ(read_text_file(place.path() / "made.h"), "one");

  const std::string first = place.path() / "first.h";
  const std::string second = place.path() / "second.h";
  ASSERT_TRUE(write_text_file(first, "one"));
  fs::create_hard_link(first, second);
  ASSERT_TRUE(write_text_file(second, "two"));
  EXPECT_EQ(read_text_file(first), "two") << "both names are those of one file";
}

TEST(WrittenFiles, keep_their_owner) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root may give files to other users";
  }
  const TempDirectory place;
  const std::string file = place.path() / "file.h";
  ASSERT_TRUE(write_text_file(file, "one"));
  ASSERT_EQ(::chown(file.c_str(), 1234, 1235), 0);
  ASSERT_TRUE(write_text_file(file, "two"));
  struct stat found{};
  ASSERT_EQ(::stat(file.c_str(), &found), 0);
  EXPECT_EQ(found.st_uid, 1234U);
  EXPECT_EQ(found.st_gid, 1235U);
  EXPECT_EQ(read_text_file(file), "two");
}

}  // namespace
}  // namespace eider
