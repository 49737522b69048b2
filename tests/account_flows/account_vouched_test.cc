// Accounts for addresses that another party has verified, such as a login provider.
#include <string>

#include "tests/account_flows/account_case.h"

namespace eider::test {
namespace {

using std::chrono::seconds;

class AccountVouched : public AccountCase {};

TEST_F(AccountVouched, IsTheOneThatThereIs) {
  TestClient client(app, browser());
  make_account(client, kAnn, kWord);
  EXPECT_EQ(client.post("/vouched", Given{"ANN@example.org", ""}).status, 204);
  EXPECT_EQ(client.get("/me").body, kAnn);
  EXPECT_EQ(client.post("/log-in", Given{kAnn, kWord}).status, 204);
}

TEST_F(AccountVouched, IsMadeOnceAndItsOwnerAsksForAPassword) {
  TestClient client(app, browser());
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(client.post("/vouched", Given{kAnn, ""}).status, 204);
    EXPECT_EQ(client.get("/me").body, kAnn);
  }
  TestClient other(app);
  EXPECT_EQ(other.post("/log-in", Given{kAnn, ""}).status, 401);
  EXPECT_EQ(other.post("/forgotten", Given{kAnn, ""}).status, 204);
  other.advance(seconds(3));
  client.advance(seconds(3));  // mails are sent on the loop of the first client
  EXPECT_EQ(other.post("/reset", GivenToken{token_of(kAnn), kWord}).status, 204);
  EXPECT_EQ(other.post("/log-in", Given{kAnn, kWord}).status, 204);
}

TEST_F(AccountVouched, EndsTheLinksBySomebodyElseForTheAddress) {
  TestClient client(app, browser());
  EXPECT_EQ(client.post("/sign-up", Given{kAnn, ""}).status, 204);
  client.advance(seconds(3));
  EXPECT_EQ(client.post("/vouched", Given{kAnn, ""}).status, 204);
  EXPECT_EQ(client.post("/confirm", GivenToken{token_of(kAnn), kWord}).status, 410);
}

TEST_F(AccountVouched, HasAnAddress) {
  TestClient client(app);
  EXPECT_EQ(client.post("/vouched", Given{"ann", ""}).status, 422);
}

}  // namespace
}  // namespace eider::test
