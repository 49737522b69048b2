#include "eider/data/db/postgres/copy_end.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace eider::db::postgres {
namespace {

std::int64_t find_in(std::string_view sql, std::string_view data, std::size_t piece) {
  CopyEnd end(sql);
  for (; !data.empty(); data.remove_prefix(std::min(piece, data.size()))) {
    if (const std::int64_t line = end.find(data.substr(0, piece)); line != 0) {
      return line;
    }
  }
  return 0;
}

TEST(CopyEnd, is_found_at_its_line) {
  struct Case {
    std::string_view options;
    std::string_view data;
    std::int64_t line;
  };
  for (const Case& each : {
           Case{"", "a\nb\n\\.\nc", 3},
           Case{"", "a\r\nb\r\n\\.\r\nc", 3},
           Case{"", "a\rb\r\\.\rc", 3},
           Case{"", "a\nb\n\\.\n", 0},
           Case{"", "a\nb\n\\\\.\nc", 0},
           Case{"csv", "a\nb\n\\.\nc", 3},
           Case{"csv", "a\n\"b\n\"\n\\.\nc", 4},
           Case{"csv", "a\n\"b\n\\.\nc\"\n", 0},
           Case{"csv", "a\n\"b\"\"\n\\.\nc\"\n", 0},
           Case{"csv", "a\nC:\\.\nc", 0},
           Case{"csv escape '\\'", "a\n\"b\\\"\n\\.\nc\"\n", 0},
           Case{"csv escape '\\'", "a\n\"b\\\\\"\n\\.\nc\n", 3},
           Case{"csv escape '!'", "a\n\"b!\"\n\\.\nc\"\n", 0},
           Case{"csv escape '!'", "a\n\"b!!\"\n\\.\nc\n", 3},
           Case{"csv quote ''''", "a\n'b\n\\.\nc'\n", 0},
           Case{"binary", "a\n\\.\nc", 0},
       }) {
    const std::string sql = "copy t from stdin " + std::string(each.options);
    for (std::size_t piece = 1; piece <= each.data.size(); ++piece) {
      EXPECT_EQ(find_in(sql, each.data, piece), each.line) << sql << '\n' << each.data << piece;
    }
  }
}

TEST(CopyEnd, is_found_after_many_lines_and_quotes) {
  std::string lines;
  std::string quoted;
  for (int i = 0; i < 400; ++i) {
    lines += "ab\n";
    quoted += "\"a\r\nb\"\r\n";
  }
  for (const std::size_t piece : {1UZ, 7UZ, 255UZ, 256UZ, 257UZ, 10'000UZ}) {
    EXPECT_EQ(find_in("copy t from stdin", lines + "\\.\nc", piece), 401) << piece;
    EXPECT_EQ(find_in("copy t from stdin csv", quoted + "\\.\nc", piece), 801) << piece;
    EXPECT_EQ(find_in("copy t from stdin csv", quoted + "\"\n\\.\nc", piece), 0) << piece;
  }
}

}  // namespace
}  // namespace eider::db::postgres
