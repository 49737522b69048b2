#include "eider/files/beneath.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace eider {
namespace {

namespace fs = std::filesystem;

/// root/{a.txt, sub/b.txt, inside → sub/b.txt, outside → ../secret, up → ..}, secret
class BeneathTest : public ::testing::Test {
 protected:
  BeneathTest() {
    char name[] = "/tmp/eider-beneath-XXXXXX";
    base_ = mkdtemp(name);
    fs::create_directories(base_ / "root/sub");
    std::ofstream(base_ / "root/a.txt") << "a";
    std::ofstream(base_ / "root/sub/b.txt") << "b";
    std::ofstream(base_ / "secret") << "secret";
    fs::create_symlink("sub/b.txt", base_ / "root/inside");
    fs::create_symlink("../secret", base_ / "root/outside");
    fs::create_symlink("..", base_ / "root/up");
    fs::create_symlink(base_ / "secret", base_ / "root/absolute");
    fs::create_symlink("/proc/self/fd/0", base_ / "root/magic");
    root_ = Descriptor(::open((base_ / "root").c_str(), O_PATH | O_DIRECTORY));
  }
  ~BeneathTest() override { fs::remove_all(base_); }

  [[nodiscard]] int error_of(const char* path) const {
    return open_beneath(root_.get(), path, Lookups::any).error;
  }
  [[nodiscard]] int error_by_segments(const char* path) const {
    return open_by_segments(root_.get(), path).error;
  }

  fs::path base_;
  Descriptor root_;
};

TEST_F(BeneathTest, what_is_below_is_opened) {
  for (const char* path : {"a.txt", "sub/b.txt", "sub", "./a.txt", "sub/../a.txt", "inside"}) {
    EXPECT_EQ(error_of(path), 0) << path;
  }
  for (const char* path : {"a.txt", "sub/b.txt", "sub"}) {
    EXPECT_EQ(error_by_segments(path), 0) << path;
  }
}

TEST_F(BeneathTest, what_leads_out_is_not) {
  for (const char* path : {"..", "../secret", "sub/../../secret", "/etc/passwd", "outside",
                           "up/secret", "absolute", "magic", "absent", "a.txt/", "a.txt/b"}) {
    EXPECT_NE(error_of(path), 0) << path;
    EXPECT_FALSE(open_beneath(root_.get(), path, Lookups::cached_only).file.is_open()) << path;
  }
}

TEST_F(BeneathTest, by_segments_no_link_is_followed_at_all) {
  for (const char* path : {"inside", "outside", "up/secret", "absolute", "magic"}) {
    EXPECT_NE(error_by_segments(path), 0) << path;
  }
  for (const char* path : {"..", "../secret", "sub/../a.txt", "sub/../../secret"}) {
    EXPECT_EQ(error_by_segments(path), EXDEV) << path;
  }
  EXPECT_NE(error_by_segments("/etc/passwd"), 0);
  EXPECT_NE(error_by_segments("a.txt/b"), 0);
}

TEST_F(BeneathTest, a_fifo_without_a_writer_does_not_make_it_wait) {
  ASSERT_EQ(mkfifo((base_ / "root/fifo").c_str(), 0600), 0);
  EXPECT_EQ(error_of("fifo"), 0);
  EXPECT_EQ(error_by_segments("fifo"), 0);
}

}  // namespace
}  // namespace eider
