#include "eider/core/base/read_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "eider/testkit/temp_directory.h"

namespace eider {
namespace {

using detail::base::read_file;

class ReadFile : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return directory_.path() / name; }
  [[nodiscard]] std::string written(const std::string& text) const {
    std::ofstream(path("file"), std::ios::binary) << text;
    return path("file");
  }

 private:
  TempDirectory directory_;
};

TEST_F(ReadFile, returns_all_bytes) {
  EXPECT_EQ(read_file(written("")), "");
  const std::string text = std::string(50'000, 'a') + '\0' + "\r\nb";
  EXPECT_EQ(read_file(written(text)), text);
}

TEST_F(ReadFile, returns_no_more_than_the_limit) {
  const std::string text(50'000, 'a');
  EXPECT_EQ(read_file(written(text), text.size()), text);
  EXPECT_EQ(read_file(written(text), text.size() + 1), text);
  EXPECT_EQ(read_file(written(text), 20'000), text.substr(0, 20'000));
  EXPECT_EQ(read_file("/dev/zero", 3), std::string(3, '\0'));
}

TEST_F(ReadFile, reports_why_a_file_cannot_be_read) {
  EXPECT_EQ(read_file(path("nowhere")).error(), ENOENT);
  EXPECT_EQ(read_file(path("")).error(), EISDIR);
}

TEST_F(ReadFile, waits_for_the_writer_of_a_pipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::thread writer([fd = ends[1]] {
    for (const char* const part : {"a", "b", "c"}) {
      EXPECT_EQ(::write(fd, part, 1), 1);
      std::this_thread::yield();
    }
    ::close(fd);
  });
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(ends[0])), "abc");
  writer.join();
  ::close(ends[0]);
}

TEST_F(ReadFile, waits_until_a_writer_opens_a_named_pipe) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  for (const std::string_view text : {"a key", "", "a"}) {
    std::atomic<bool> is_read = false;
    std::thread writer([&] {
      int fd = -1;
      while (fd < 0 && !is_read) {  // this open fails as long as there is no reader
        fd = ::open(path("pipe").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        std::this_thread::yield();
      }
      for (const char byte : text) {
        EXPECT_EQ(::write(fd, &byte, 1), 1);
        std::this_thread::yield();
      }
      ::close(fd);
    });
    EXPECT_EQ(read_file(path("pipe")), text);
    is_read = true;
    writer.join();
  }
}

TEST_F(ReadFile, does_not_wait_for_another_writer_after_the_text_of_a_named_pipe) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const int reader = ::open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const int writer = ::open(path("pipe").c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(::write(writer, "a key", 5), 5);
  ::close(writer);  // the other reader keeps the text in the pipe
  EXPECT_EQ(read_file(path("pipe")), "a key");
  ::close(reader);
}

TEST_F(ReadFile, returns_nothing_of_a_pipe_whose_writer_has_closed_it) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[1]);
  EXPECT_EQ(read_file("/dev/fd/" + std::to_string(ends[0])), "");
  ::close(ends[0]);
}

}  // namespace
}  // namespace eider
