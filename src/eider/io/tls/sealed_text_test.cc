#include "eider/io/tls/sealed_text.h"

#include <gtest/gtest.h>

#include <string>

#include "eider/core/base/failure.h"

namespace eider::detail::tls {
namespace {

const std::string kOld(32, 'o');
const std::string kNew(32, 'n');

TEST(SealedText, opens_with_the_same_keys_and_purpose_only) {
  const SealedText seal("test", "one", {kNew, kOld});
  const std::string plain("secret\0text", 11);
  const std::string sealed = seal.seal(plain);
  EXPECT_EQ(seal.open(sealed), plain);
  EXPECT_EQ(seal.open(SealedText("test", "one", {kOld}).seal(plain)), plain) << "an older key";
  EXPECT_EQ(SealedText("test", "two", {kNew}).open(sealed), std::nullopt);
  EXPECT_EQ(SealedText("test", "one", {kOld}).open(sealed), std::nullopt);
  EXPECT_NE(seal.seal(plain), sealed) << "no text repeats";
  EXPECT_EQ(seal.open(seal.seal("")), "");
}

TEST(SealedText, opens_no_text_that_was_changed_cut_or_made_up) {
  const SealedText seal("test", "one", {kNew});
  const std::string sealed = seal.seal("secret");
  for (std::size_t at = 0; at < sealed.size(); ++at) {
    std::string other = sealed;
    other[at] = other[at] == 'A' ? 'B' : 'A';
    EXPECT_EQ(seal.open(other), std::nullopt) << at;
    EXPECT_EQ(seal.open(sealed.substr(0, at)), std::nullopt) << at;
  }
  EXPECT_EQ(seal.open(std::string(100'000, 'A')), std::nullopt);
  EXPECT_EQ(seal.open(std::string(8, '\0')), std::nullopt);
}

TEST(SealedText, needs_long_keys) {
  EXPECT_THROW(SealedText("test", "one", {"short"}), Failure);
}

}  // namespace
}  // namespace eider::detail::tls
