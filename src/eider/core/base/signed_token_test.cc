#include "eider/core/base/signed_token.h"

#include <gtest/gtest.h>

#include "eider/core/base/failure.h"

namespace eider::detail::base {
namespace {

using Use = UsedTokens::Use;

const std::string kKey(32, 'k');
const std::string kOther(32, 'o');

TEST(TokenSigner, opens_a_token_that_it_has_signed) {
  const TokenSigner signer("test", "purpose", {kKey});
  const std::string token = signer.sign("a.b", "context");
  EXPECT_TRUE(token.starts_with("a.b."));
  EXPECT_EQ(signer.open(token, "context"), "a.b");
  EXPECT_EQ(TokenSigner("other", "purpose", {kKey}).open(token, "context"), "a.b");
}

TEST(TokenSigner, opens_no_token_that_was_changed_or_cut) {
  const TokenSigner signer("test", "purpose", {kKey});
  const std::string token = signer.sign("text");
  for (std::size_t at = 0; at < token.size(); ++at) {
    EXPECT_FALSE(signer.open(token.substr(0, at))) << at;
    std::string changed = token;
    changed[at] = changed[at] == 'x' ? 'y' : 'x';
    EXPECT_FALSE(signer.open(changed)) << at;
  }
  EXPECT_FALSE(signer.open(token + "A"));
}

TEST(TokenSigner, opens_no_token_for_another_purpose_or_context) {
  const TokenSigner signer("test", "purpose", {kKey});
  const std::string token = signer.sign("text", "context");
  EXPECT_FALSE(TokenSigner("test", "purpose2", {kKey}).open(token, "context"));
  EXPECT_FALSE(signer.open(token, "contex"));
  EXPECT_FALSE(signer.open(token));
  EXPECT_NE(signer.signature("bc", "a"), signer.signature("c", "ab"));
  EXPECT_NE(signer.signature("1\nc", ""), signer.signature("c", "1\n"));
}

TEST(TokenSigner, signs_with_the_first_key_and_accepts_all) {
  const TokenSigner before("test", "purpose", {kOther});
  const TokenSigner both("test", "purpose", {kKey, kOther});
  EXPECT_TRUE(both.open(before.sign("text")));
  EXPECT_FALSE(before.open(both.sign("text")));
}

TEST(TokenSigner, makes_a_key_of_its_own_without_one) {
  const TokenSigner one("test", "purpose", {});
  const TokenSigner two("test", "purpose", keys_of(""));
  EXPECT_TRUE(one.open(one.sign("text")));
  EXPECT_TRUE(two.open(two.sign("text")));
  EXPECT_FALSE(one.open(two.sign("text")));
}

TEST(TokenSigner, rejects_a_short_key) {
  EXPECT_THROW(TokenSigner("test", "purpose", {std::string(31, 'k')}), Failure);
  EXPECT_THROW(TokenSigner("test", "purpose", {kKey, ""}), Failure);
  EXPECT_THROW(TokenSigner("test", "purpose", keys_of("short")), Failure);
}

TEST(UsedTokens, accept_a_token_once_until_it_ends) {
  UsedTokens used(10);
  EXPECT_EQ(used.use("a", "", 100, 0), Use::first);
  EXPECT_EQ(used.use("a", "", 100, 50), Use::again);
  EXPECT_EQ(used.use("b", "", 100, 50), Use::first);
  EXPECT_EQ(used.use("a", "", 100, 100), Use::again);
  EXPECT_EQ(used.use("a", "", 200, 101), Use::first) << "it would have ended";
}

TEST(UsedTokens, accept_a_forgotten_token_again) {
  UsedTokens used(1);
  EXPECT_EQ(used.use("a", "", 100, 0), Use::first);
  used.forget("a");
  used.forget("b");
  EXPECT_EQ(used.use("a", "", 100, 0), Use::first);
}

TEST(UsedTokens, accept_no_further_ones_when_there_are_too_many) {
  UsedTokens used(2);
  EXPECT_EQ(used.use("a", "", 100, 0), Use::first);
  EXPECT_EQ(used.use("b", "", 100, 0), Use::first);
  EXPECT_EQ(used.use("c", "", 100, 0), Use::too_many);
  EXPECT_EQ(used.use("c", "", 200, 101), Use::first);
}

TEST(UsedTokens, leave_room_for_other_owners) {
  UsedTokens used(1000, 2);
  EXPECT_EQ(used.use("a", "eve", 100, 0), Use::first);
  EXPECT_EQ(used.use("b", "eve", 100, 0), Use::first);
  EXPECT_EQ(used.use("c", "eve", 100, 0), Use::too_many_of_owner);
  EXPECT_EQ(used.use("c", "ann", 100, 0), Use::first);
  EXPECT_EQ(used.use("d", "eve", 200, 101), Use::first) << "the earlier ones have ended";
}

}  // namespace
}  // namespace eider::detail::base
