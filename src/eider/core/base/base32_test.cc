#include "eider/core/base/base32.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace eider {
namespace {

// RFC 4648, section 10.
const std::pair<const char*, const char*> kBase32Vectors[] = {{"", ""},
                                                              {"f", "MY======"},
                                                              {"fo", "MZXQ===="},
                                                              {"foo", "MZXW6==="},
                                                              {"foob", "MZXW6YQ="},
                                                              {"fooba", "MZXW6YTB"},
                                                              {"foobar", "MZXW6YTBOI======"}};

TEST(Base32, writes_and_reads_the_vectors_of_the_rfc) {
  for (const auto& [bytes, padded] : kBase32Vectors) {
    const std::string text(padded);
    const std::string letters = text.substr(0, text.find('='));
    EXPECT_EQ(to_base32(bytes), letters);
    EXPECT_EQ(from_base32(letters), bytes);
    EXPECT_EQ(from_base32(padded), bytes);
  }
  EXPECT_EQ(from_base32("mzxw6ytboi"), "foobar");
}

TEST(Base32, reads_all_bytes_that_it_has_written) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) {
    bytes.push_back(static_cast<char>(byte));
    EXPECT_EQ(from_base32(to_base32(bytes)), bytes);
  }
}

TEST(Base32, rejects_other_characters_lengths_and_bits) {
  for (const char* wrong : {"M", "MZX", "MZXW6Y", "MZ", "MY=", "=", "MY=====", "M1======", "M Y",
                            "MY-", "M=Y=====", "========", "\xC3\x84"}) {
    EXPECT_EQ(from_base32(wrong), std::nullopt) << wrong;
  }
  EXPECT_EQ(from_base32(std::string_view("MY\0", 3)), std::nullopt);
}

}  // namespace
}  // namespace eider
