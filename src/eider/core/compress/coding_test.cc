#include "eider/core/compress/coding.h"

#include <gtest/gtest.h>

namespace eider {
namespace {

TEST(ContentCoding, is_found_by_each_of_its_names) {
  for (const ContentCoding coding :
       {ContentCoding::gzip, ContentCoding::deflate, ContentCoding::brotli, ContentCoding::zstd}) {
    EXPECT_EQ(coding_named(to_text(coding)), coding);
  }
  EXPECT_EQ(coding_named("GZip"), ContentCoding::gzip);
  EXPECT_EQ(coding_named("X-GZIP"), ContentCoding::gzip);
}

TEST(ContentCoding, is_nothing_for_other_names) {
  for (const std::string_view name :
       {"", "identity", "*", "brotli", "gzip ", "gz", "x-br", "compress"}) {
    EXPECT_EQ(coding_named(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace eider
