#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

#include "eider/testkit/temp_directory.h"
#include "eider/web/files/beneath.h"

namespace eider::detail::files {
namespace {

namespace fs = std::filesystem;

/// The directory root/{a.txt, sub/b.txt, inside → sub/b.txt, outside → ../secret, up → ..}, and
/// secret.
class BeneathTest : public ::testing::Test {
 protected:
  BeneathTest() {
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

  [[nodiscard]] int error_of(const char* path, Symlinks symlinks = Symlinks::beneath) const {
    return open_beneath(root_.get(), path, symlinks, Lookups::any).error;
  }
  [[nodiscard]] int error_by_segments(const char* path,
                                      Symlinks symlinks = Symlinks::beneath) const {
    return open_by_segments(root_.get(), path, symlinks).error;
  }
  [[nodiscard]] static std::string text_of(const Opened& opened) {
    char text[16] = {};
    const ssize_t count = read(opened.file.get(), text, sizeof text);
    return {text, count < 0 ? 0 : static_cast<std::size_t>(count)};
  }

  const TempDirectory temporary_;
  const fs::path base_ = temporary_.path();
  Descriptor root_;
};

constexpr const char* kBelow[] = {"a.txt", "sub/b.txt", "sub", "sub/", "", "./a.txt"};
constexpr const char* kLinks[] = {"inside", "outside", "up/secret", "absolute", "up"};
constexpr const char* kOutside[] = {"..",          "../secret",  "sub/../../secret",
                                    "/etc/passwd", "../",        "sub/../../..",
                                    "/",           "./../secret"};

TEST_F(BeneathTest, what_is_below_is_opened) {
  for (const char* path : kBelow) {
    for (const Symlinks symlinks : {Symlinks::none, Symlinks::beneath, Symlinks::follow}) {
      EXPECT_EQ(error_of(path, symlinks), 0) << path;
      EXPECT_EQ(error_by_segments(path, symlinks), 0) << path;
    }
  }
}

TEST_F(BeneathTest, what_leads_out_is_not) {
  for (const char* path :
       {"outside", "up/secret", "absolute", "magic", "absent", "a.txt/", "a.txt/b"}) {
    EXPECT_NE(error_of(path), 0) << path;
    EXPECT_FALSE(
        open_beneath(root_.get(), path, Symlinks::beneath, Lookups::cached_only).file.is_open())
        << path;
  }
  EXPECT_EQ(error_of("inside"), 0);
}

TEST_F(BeneathTest, no_policy_lets_the_path_itself_lead_out) {
  for (const char* path : kOutside) {
    for (const Symlinks symlinks : {Symlinks::none, Symlinks::beneath, Symlinks::follow}) {
      EXPECT_NE(error_of(path, symlinks), 0) << path;
      EXPECT_NE(error_by_segments(path, symlinks), 0) << path;
    }
  }
}

TEST_F(BeneathTest, no_link_is_followed_where_none_may_be) {
  for (const char* path : kLinks) {
    EXPECT_EQ(error_of(path, Symlinks::none), ELOOP) << path;
    EXPECT_NE(error_by_segments(path, Symlinks::none), 0) << path;
  }
}

TEST_F(BeneathTest, links_lead_anywhere_only_where_all_are_followed) {
  EXPECT_EQ(text_of(open_beneath(root_.get(), "outside", Symlinks::follow, Lookups::any)),
            "secret");
  EXPECT_EQ(text_of(open_beneath(root_.get(), "absolute", Symlinks::follow, Lookups::any)),
            "secret");
  EXPECT_EQ(text_of(open_by_segments(root_.get(), "outside", Symlinks::follow)), "secret");
  EXPECT_NE(error_of("magic", Symlinks::follow), 0);
}

TEST_F(BeneathTest, by_segments_no_link_is_followed_at_all) {
  for (const char* path : {"inside", "outside", "up/secret", "absolute", "magic"}) {
    EXPECT_NE(error_by_segments(path), 0) << path;
  }
  EXPECT_EQ(error_by_segments("sub/../a.txt"), EXDEV);
  EXPECT_NE(error_by_segments("a.txt/b"), 0);
}

TEST_F(BeneathTest, a_fifo_without_a_writer_does_not_make_it_wait) {
  ASSERT_EQ(mkfifo((base_ / "root/fifo").c_str(), 0600), 0);
  EXPECT_EQ(error_of("fifo"), 0);
  EXPECT_EQ(error_by_segments("fifo"), 0);
}

// Another thread replaces a directory by a link to the outside and back during the lookups.
TEST_F(BeneathTest, a_race_for_a_link_is_never_won) {
  fs::create_directories(base_ / "other");
  std::ofstream(base_ / "other/b.txt") << "secret";
  fs::create_symlink("../other", base_ / "root/link");
  std::atomic<bool> is_over = false;
  std::thread changer([&] {
    const std::string one = base_ / "root/sub";
    const std::string other = base_ / "root/link";
    while (!is_over) {
      renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE);
    }
  });
  constexpr int kTries = 20000;
  for (int i = 0; i < kTries; ++i) {
    const Opened opened =
        i % 2 == 0 ? open_beneath(root_.get(), "sub/b.txt", Symlinks::beneath, Lookups::any)
                   : open_by_segments(root_.get(), "sub/b.txt", Symlinks::beneath);
    if (opened.file.is_open()) {
      ASSERT_EQ(text_of(opened), "b");
    }
  }
  is_over = true;
  changer.join();
}

}  // namespace
}  // namespace eider::detail::files
