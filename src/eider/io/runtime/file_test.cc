#include "eider/io/runtime/file.h"

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "eider/io/runtime/descriptor.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/temp_directory.h"

namespace eider {
namespace {

class File : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return directory_ + "/" + name; }

  template <class T>
  T run(Task<T> task) {
    loop_.call([&] { task.start(); });
    return task.take();
  }
  Result<std::string, FileError> read(const std::string& name, std::size_t bytes_max = 1000) {
    return run(read_file(path(name), bytes_max));
  }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory_)) {
      ++count;
    }
    return count;
  }

 private:
  SimKernel kernel_;
  SimLoop loop_{kernel_};
  const TempDirectory temporary_;
  const std::string directory_ = temporary_.path();
};

TEST_F(File, is_read_as_it_was_written) {
  const std::string bytes("a\0b\r\n\xff", 6);
  ASSERT_TRUE(run(write_file(path("it"), bytes)).has_value());
  EXPECT_EQ(read("it"), bytes);
}

TEST_F(File, written_again_is_overwritten) {
  ASSERT_TRUE(run(write_file(path("it"), "a long text")).has_value());
  ASSERT_TRUE(run(write_file(path("it"), "short")).has_value());
  EXPECT_EQ(read("it"), "short");
}

TEST_F(File, may_be_empty_and_as_long_as_allowed_and_no_longer) {
  ASSERT_TRUE(run(write_file(path("it"), "")).has_value());
  EXPECT_EQ(read("it", 0), "");
  ASSERT_TRUE(run(write_file(path("it"), "12345")).has_value());
  EXPECT_EQ(read("it", 5), "12345");
  EXPECT_EQ(read("it", 4), fail(FileError::too_large));
  EXPECT_EQ(read("it", 0), fail(FileError::too_large));
}

TEST_F(File, whose_size_is_unknown_is_read_to_its_end_and_within_bounds) {
  EXPECT_GT(run(read_file("/proc/self/status", 100'000))->size(), 100U);
  EXPECT_EQ(run(read_file("/proc/self/status", 100)), fail(FileError::too_large));
}

TEST_F(File, that_is_none_is_an_error_of_its_own_kind) {
  ASSERT_EQ(::mkdir(path("directory").c_str(), 0700), 0);
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  ASSERT_TRUE(run(write_file(path("plain"), "x")).has_value());
  EXPECT_EQ(read("missing"), fail(FileError::not_found));
  EXPECT_EQ(read("plain/below"), fail(FileError::not_found));
  EXPECT_EQ(read("directory"), fail(FileError::not_a_file));
  EXPECT_EQ(read("pipe"), fail(FileError::not_a_file));
  EXPECT_EQ(run(write_file(path("directory"), "x")), fail(FileError::not_a_file));
  EXPECT_EQ(run(write_file(path("pipe"), "x")), fail(FileError::not_a_file));
  EXPECT_EQ(run(write_file(path("missing/it"), "x")), fail(FileError::not_found));
  EXPECT_EQ(run(replace_file(path("missing/it"), "x")), fail(FileError::not_found));
}

TEST_F(File, is_replaced_by_new_bytes_with_the_rights_of_the_old_ones) {
  ASSERT_TRUE(run(write_file(path("it"), "old")).has_value());
  ASSERT_EQ(::chmod(path("it").c_str(), 0640), 0);
  ASSERT_TRUE(run(replace_file(path("it"), "new")).has_value());
  EXPECT_EQ(read("it"), "new");
  struct stat status{};
  ASSERT_EQ(::stat(path("it").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  EXPECT_EQ(files(), 1U) << "nothing temporary is left";
}

/// Records the events of the files in a directory, in order.
class Watched {
 public:
  explicit Watched(const std::string& directory) : fd_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    EXPECT_GE(::inotify_add_watch(fd_.get(), directory.c_str(), IN_CREATE | IN_ATTRIB | IN_MODIFY),
              0);
  }
  /// Kinds of changes; consecutive equal ones count once.
  [[nodiscard]] std::vector<std::uint32_t> seen() const {
    alignas(inotify_event) std::array<char, 65536> room{};
    const ssize_t got = ::read(fd_.get(), room.data(), room.size());
    std::vector<std::uint32_t> kinds;
    for (ssize_t at = 0; at < got;) {
      inotify_event event{};
      std::memcpy(&event, room.data() + at, sizeof(event));
      if (kinds.empty() || kinds.back() != event.mask) {
        kinds.push_back(event.mask);
      }
      at += static_cast<ssize_t>(sizeof(event) + event.len);
    }
    return kinds;
  }

 private:
  Descriptor fd_;
};

TEST_F(File, has_the_rights_of_the_old_one_before_the_first_byte_is_in_it) {
  ASSERT_TRUE(run(write_file(path("it"), "old")).has_value());
  ASSERT_EQ(::chmod(path("it").c_str(), 0600), 0);
  const Watched watched(path(""));
  ASSERT_TRUE(run(replace_file(path("it"), "secret")).has_value());
  EXPECT_EQ(watched.seen(), (std::vector<std::uint32_t>{IN_CREATE, IN_ATTRIB, IN_MODIFY}));
}

TEST_F(File, keeps_its_owner_when_it_is_replaced) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root gives files away";
  }
  ASSERT_TRUE(run(write_file(path("it"), "old")).has_value());
  ASSERT_EQ(::chown(path("it").c_str(), 12345, 23456), 0);
  ASSERT_EQ(::chmod(path("it").c_str(), 04640), 0);
  ASSERT_TRUE(run(replace_file(path("it"), "new")).has_value());
  struct stat status{};
  ASSERT_EQ(::stat(path("it").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 12345U);
  EXPECT_EQ(status.st_gid, 23456U);
}

TEST_F(File, is_made_by_replacing_what_was_not_there) {
  ASSERT_TRUE(run(replace_file(path("it"), "new")).has_value());
  EXPECT_EQ(read("it"), "new");
}

TEST_F(File, a_failed_replacement_leaves_what_was_there_and_nothing_else) {
  ASSERT_EQ(::mkdir(path("directory").c_str(), 0700), 0);
  EXPECT_EQ(run(replace_file(path("directory"), "x")), fail(FileError::not_a_file));
  EXPECT_TRUE(std::filesystem::is_directory(path("directory")));
  EXPECT_EQ(files(), 1U);
}

struct Named {
  int number;
  FileError error;
};

constexpr Named kNamed[] = {
    {ENOENT, FileError::not_found},     {ENOTDIR, FileError::not_found},
    {EACCES, FileError::not_permitted}, {EPERM, FileError::not_permitted},
    {EROFS, FileError::not_permitted},  {EISDIR, FileError::not_a_file},
    {ENXIO, FileError::not_a_file},     {EFBIG, FileError::too_large},
    {ENOSPC, FileError::no_space},      {EDQUOT, FileError::no_space},
    {EMFILE, FileError::too_many_open}, {ENFILE, FileError::too_many_open},
    {EIO, FileError::failed},           {EINVAL, FileError::failed},
};

TEST(FileErrors, every_number_has_a_name_and_every_name_a_text) {
  for (const Named& named : kNamed) {
    EXPECT_EQ(file_error(named.number), named.error) << named.number;
    EXPECT_FALSE(text(named.error).empty());
  }
}

}  // namespace
}  // namespace eider
