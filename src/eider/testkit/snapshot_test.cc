#include "eider/testkit/snapshot.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "eider/core/base/failure.h"

namespace eider {
namespace {

class Snapshot : public ::testing::Test {
 protected:
  Snapshot()
      : folder_(std::filesystem::temp_directory_path() /
                ("eider-snapshot-" + std::to_string(::getpid()))),
        file(folder_ / "deeper" / "text.txt") {}
  ~Snapshot() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string kept() const {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  /// Returns the error, or an empty text.
  [[nodiscard]] std::string checked(std::string_view text, SnapshotMode mode) const {
    try {
      check_snapshot(text, file, mode);
      return {};
    } catch (const Failure& failure) {
      return failure.what();
    }
  }

 private:
  std::filesystem::path folder_;

 protected:
  std::filesystem::path file;
};

TEST_F(Snapshot, is_written_where_there_is_none) {
  EXPECT_TRUE(checked("a\n", SnapshotMode::compare).contains("the snapshot does not exist"));
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(checked("a\n", SnapshotMode::write_missing), "");
  EXPECT_EQ(kept(), "a\n");
}

TEST_F(Snapshot, fails_by_another_text_and_says_which_lines) {
  EXPECT_EQ(checked("1\n2\n3\n4\n5\n6\n", SnapshotMode::write_missing), "");
  EXPECT_EQ(checked("1\n2\n3\n4\n5\n6\n", SnapshotMode::compare), "");
  const std::string wrong =
      checked("1\n2\n3\nfour\nand a half\n5\n6\n", SnapshotMode::write_missing);
  EXPECT_TRUE(
      wrong.contains(" from line 4 on:\n  1\n  2\n  3\n- 4\n+ four\n+ and a half\n  5\n  6\n"))
      << wrong;
  EXPECT_EQ(kept(), "1\n2\n3\n4\n5\n6\n");
}

TEST_F(Snapshot, tells_a_missing_end_of_the_last_line) {
  EXPECT_EQ(checked("a\n", SnapshotMode::write_missing), "");
  EXPECT_NE(checked("a", SnapshotMode::compare), "");
  EXPECT_NE(checked("", SnapshotMode::compare), "");
  EXPECT_NE(checked("a\na\n", SnapshotMode::compare), "");
}

TEST_F(Snapshot, is_taken_anew_where_that_is_asked_for) {
  EXPECT_EQ(checked("a\n", SnapshotMode::write_all), "");
  EXPECT_EQ(checked("b\n", SnapshotMode::write_all), "");
  EXPECT_EQ(kept(), "b\n");
}

TEST(ExpectSnapshot, takes_no_name_that_leads_elsewhere) {
  EXPECT_THROW(expect_snapshot("a", "../a"), Failure);
  EXPECT_THROW(expect_snapshot("a", ".a"), Failure);
  EXPECT_THROW(expect_snapshot("a", ""), Failure);
}

}  // namespace
}  // namespace eider
