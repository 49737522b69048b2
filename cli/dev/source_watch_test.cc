#include "cli/dev/source_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "eider/testkit/temp_directory.h"

namespace eider::dev {
namespace {

namespace fs = std::filesystem;

constexpr int kEventsMax = 200'000;

class SourceWatching : public ::testing::Test {
 protected:
  SourceWatching() {
    fs::create_directory(root_ / "src");
    fs::create_directories(root_ / "build/sub");
    write("build/CMakeCache.txt");
    fs::create_directory(root_ / ".git");
  }

  void write(const std::string& name) const { std::ofstream(root_ / name) << "text"; }
  [[nodiscard]] SourceWatch open() const {
    auto opened = SourceWatch::open(root_);
    EXPECT_TRUE(opened.has_value());
    return std::move(*opened);
  }
  /// Returns the names relative to the root, each followed by a space.
  [[nodiscard]] std::string told(SourceWatch& watch) const {
    std::string all;
    for (const fs::path& file : watch.read().files) {
      all += fs::relative(file, root_).string() + " ";
    }
    return all;
  }

  TempDirectory directory_;
  const fs::path root_ = directory_.path();
};

TEST_F(SourceWatching, files_that_are_written_moved_and_removed_are_told_once) {
  SourceWatch watch = open();
  write("src/a.cc");
  write("src/a.cc");
  write("b.h");
  EXPECT_EQ(told(watch), "b.h src/a.cc ");
  fs::rename(root_ / "b.h", root_ / "src/c.h");
  EXPECT_EQ(told(watch), "b.h src/c.h ");
  fs::remove(root_ / "src/a.cc");
  EXPECT_EQ(told(watch), "src/a.cc ");
  EXPECT_EQ(told(watch), "");
}

TEST_F(SourceWatching, builds_and_hidden_directories_are_left_out) {
  SourceWatch watch = open();
  write("build/sub/a.cc");
  write(".git/index");
  fs::create_directory(root_ / ".cache");
  write(".cache/a.cc");
  EXPECT_EQ(told(watch), "");
}

TEST_F(SourceWatching, a_directory_that_becomes_one_of_builds_is_left_out) {
  SourceWatch watch = open();
  fs::create_directories(root_ / "other/CMakeFiles");
  EXPECT_EQ(told(watch), "");
  write("other/CMakeFiles/try.cc");
  EXPECT_EQ(told(watch), "other/CMakeFiles/try.cc ") << "it may be a directory of sources";
  write("other/CMakeFiles/again.cc");
  write("other/CMakeCache.txt");
  EXPECT_EQ(told(watch), "");
  write("other/CMakeFiles/more.cc");
  fs::create_directories(root_ / "build/dev/CMakeFiles");
  write("build/dev/CMakeFiles/try.cc");
  EXPECT_EQ(told(watch), "");
}

TEST_F(SourceWatching, a_build_directory_is_left_out_however_its_path_is_written) {
  fs::create_directory(root_ / "mine");
  fs::create_directory_symlink(root_, root_ / "link");
  for (const std::string path : {"mine", "mine/", "./mine", "src/../mine/", "link/mine"}) {
    const std::string written = root_.string() + "/" + path;
    auto watch = SourceWatch::open(root_, written);
    ASSERT_TRUE(watch.has_value());
    write("mine/a.cc");
    EXPECT_EQ(told(*watch), "") << written;
  }
}

TEST_F(SourceWatching, a_new_directory_is_watched_and_what_it_has_is_told) {
  SourceWatch watch = open();
  fs::create_directories(root_ / "src/deep/deeper");
  write("src/deep/deeper/a.cc");
  EXPECT_EQ(told(watch), "src/deep/deeper/a.cc ");
  write("src/deep/deeper/b.cc");
  EXPECT_EQ(told(watch), "src/deep/deeper/b.cc ");
}

TEST_F(SourceWatching, a_directory_that_is_moved_is_told_under_its_new_name_alone) {
  write("src/a.cc");
  SourceWatch watch = open();
  fs::rename(root_ / "src", root_ / "lib");
  const SourceChanges changes = watch.read();
  EXPECT_TRUE(changes.are_incomplete);
  ASSERT_EQ(changes.files.size(), 1U);
  EXPECT_EQ(changes.files.front(), root_ / "lib/a.cc");
  write("lib/a.cc");
  EXPECT_EQ(told(watch), "lib/a.cc ");
  const fs::path away = root_.string() + "-away";
  fs::rename(root_ / "lib", away);
  EXPECT_TRUE(watch.read().are_incomplete);
  std::ofstream(away / "a.cc") << "text";
  EXPECT_EQ(watch.read().files, std::vector<fs::path>());
  fs::remove_all(away);
}

TEST_F(SourceWatching, a_queue_that_overflows_is_told_as_any_file) {
  SourceWatch watch = open();
  int events_max = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> events_max;
  if (events_max <= 0 || events_max > kEventsMax) {
    GTEST_SKIP() << "the kernel's queue is " << events_max << " events long";
  }
  for (int event = 0; event <= events_max; ++event) {
    write(event % 2 == 0 ? "src/a.cc" : "src/b.cc");  // equal events would be merged
  }
  const SourceChanges changes = watch.read();
  EXPECT_TRUE(changes.are_incomplete);
  EXPECT_EQ(kind_of(changes), ChangeKind::source);
  write("src/c.cc");
  EXPECT_EQ(told(watch), "src/c.cc ");
}

TEST(Changes, a_file_s_name_tells_what_it_asks_for) {
  struct Case {
    const char* name;
    ChangeKind kind;
  };
  for (const auto& [name, kind] : std::vector<Case>{{"a/main.cc", ChangeKind::source},
                                                    {"a.h", ChangeKind::source},
                                                    {"CMakeLists.txt", ChangeKind::source},
                                                    {"0001_notes.sql", ChangeKind::source},
                                                    {"shop.toml", ChangeKind::setting},
                                                    {"pages/a.html", ChangeKind::page},
                                                    {"de.po", ChangeKind::page},
                                                    {"app.js", ChangeKind::page},
                                                    {"style.css", ChangeKind::style},
                                                    {".main.cc.swp", ChangeKind::none},
                                                    {".#main.cc", ChangeKind::none},
                                                    {"#main.cc#", ChangeKind::none},
                                                    {"main.cc~", ChangeKind::none},
                                                    {"4913", ChangeKind::none},
                                                    {"shop.db", ChangeKind::none},
                                                    {"shop.db-wal", ChangeKind::none},
                                                    {"notes.txt", ChangeKind::none}}) {
    EXPECT_EQ(kind_of(std::filesystem::path(name)), kind) << name;
  }
  EXPECT_EQ(kind_of(SourceChanges{.files = {"a.css", "b.html", "c.db"}}), ChangeKind::page);
  EXPECT_EQ(kind_of(SourceChanges{}), ChangeKind::none);
}

}  // namespace
}  // namespace eider::dev
