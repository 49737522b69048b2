#include "eider/io/runtime/temp_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "eider/testkit/loop_sim.h"
#include "eider/testkit/temp_directory.h"

namespace eider {
namespace {

class TempFileTest : public ::testing::Test {
 protected:
  template <class T>
  T run(Task<T> task) {
    loop_.call([&] { task.start(); });
    return task.take();
  }
  TempFile make() { return run(TempFile::create(directory_)).value(); }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  bool is_directory_empty() const { return std::filesystem::is_empty(directory_); }
  std::string content(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  SimKernel kernel_;
  SimLoop loop_{kernel_};
  const TempDirectory temporary_;
  const std::string directory_ = temporary_.path();
};

TEST_F(TempFileTest, is_read_as_it_was_written) {
  TempFile file = make();
  EXPECT_EQ(file.size(), 0U);
  EXPECT_EQ(run(file.read(0, 10)), "");
  ASSERT_TRUE(run(file.append("abc")).has_value());
  ASSERT_TRUE(run(file.append("")).has_value());
  ASSERT_TRUE(run(file.append(std::string("d\0e", 3))).has_value());
  EXPECT_EQ(file.size(), 6U);
  EXPECT_EQ(run(file.read(0, 100)), std::string("abcd\0e", 6));
  EXPECT_EQ(run(file.read(2, 2)), "cd");
  EXPECT_EQ(run(file.read(6, 2)), "");
  EXPECT_EQ(run(file.read(100, 2)), "");
}

TEST_F(TempFileTest, leaves_nothing) {
  {
    TempFile file = make();
    ASSERT_TRUE(run(file.append("abc")).has_value());
    TempFile moved = std::move(file);
    EXPECT_EQ(run(moved.read(0, 3)), "abc");
  }
  EXPECT_TRUE(is_directory_empty());
}

TEST_F(TempFileTest, is_kept_under_a_name_for_its_owner_alone) {
  {
    TempFile file = make();
    ASSERT_TRUE(run(file.append("abc")).has_value());
    ASSERT_TRUE(run(file.keep(path("it"))).has_value());
  }
  EXPECT_EQ(content("it"), "abc");
  struct stat status{};
  ASSERT_EQ(::stat(path("it").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(status.st_nlink, 1U);
}

TEST_F(TempFileTest, never_takes_the_place_of_what_is_there) {
  TempFile file = make();
  ASSERT_TRUE(run(file.append("new")).has_value());
  std::ofstream(path("it")) << "old";
  EXPECT_FALSE(run(file.keep(path("it"))).has_value());
  EXPECT_EQ(content("it"), "old");
  ASSERT_TRUE(run(file.keep(path("other"))).has_value()) << "another name will do";
  EXPECT_EQ(content("other"), "new");
}

TEST_F(TempFileTest, has_no_place_in_what_is_no_directory) {
  EXPECT_EQ(run(TempFile::create(path("missing"))).error(), FileError::not_found);
  std::ofstream(path("it")) << "file";
  EXPECT_FALSE(run(TempFile::create(path("it"))).has_value());
  TempFile file = make();
  EXPECT_EQ(run(file.keep(path("missing/it"))), fail(FileError::not_found));
}

TEST_F(TempFileTest, lives_until_a_write_whose_awaiter_has_gone_has_ended) {
  auto writing = std::make_unique<TempFile>(make());
  Task<Result<void, FileError>> task = writing->append(std::string(1000, 'a'));
  loop_.post([&] {
    task.start();
    task = {};
    writing.reset();
  });
  kernel_.run_until_idle();
  EXPECT_TRUE(is_directory_empty());
}

TEST_F(TempFileTest, gives_its_descriptor_to_those_who_send_it) {
  std::shared_ptr<const Descriptor> descriptor;
  {
    TempFile file = make();
    ASSERT_TRUE(run(file.append("abc")).has_value());
    descriptor = file.descriptor();
  }
  std::string bytes(3, '\0');
  EXPECT_EQ(::pread(descriptor->get(), bytes.data(), 3, 0), 3);
  EXPECT_EQ(bytes, "abc") << "it lives as long as whoever uses it";
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
