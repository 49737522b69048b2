// Accounts: mails in the language of the request that caused them, and notices about passkeys.
#include <string>
#include <vector>

#include "eider/web/languages/library_texts.h"
#include "tests/account_flows/account_case.h"

namespace eider::test {
namespace {

using std::chrono::seconds;

/// Records the kind and language of each mail that `options` writes.
struct Written {
  std::shared_ptr<std::vector<std::string>> letters = std::make_shared<std::vector<std::string>>();

  AccountsOptions options() const {
    AccountsOptions options = options_of();
    options.write = [letters = letters](const AccountMail& letter) {
      letters->push_back(std::to_string(static_cast<int>(letter.kind)) + letter.language);
      return plain_account_mail(letter, "no-reply@shop.example", "Shop");
    };
    return options;
  }
  std::string last() const { return letters->empty() ? "" : letters->back(); }
};

std::string word_of(AccountMailKind kind, const std::string& language) {
  return std::to_string(static_cast<int>(kind)) + language;
}

class AccountLanguage : public AccountCase {
 protected:
  Written written;
  App app = make_app(database, mails, written.options());
};

template <class T>
TestResponse post_in(TestClient& client, const std::string& language, const std::string& path,
                     const T& given) {
  const TestResponse reply =
      client.send({.method = Method::post,
                   .target = path,
                   .headers = {{"Content-Type", "application/json"}, {"Accept-Language", language}},
                   .body = json::to_text(given)});
  client.advance(seconds(30));
  return reply;
}

TEST_F(AccountLanguage, EachLetterKnowsTheOneThatItWasAskedForIn) {
  TestClient client(app, browser());
  post_in(client, "de", "/sign-up", Given{kAnn, ""});
  EXPECT_EQ(written.last(), word_of(AccountMailKind::confirm, "de"));
  EXPECT_EQ(client.post("/confirm", GivenToken{token_of(kAnn), kWord}).status, 200);
  post_in(client, "fr", "/sign-up", Given{kAnn, ""});
  EXPECT_EQ(written.last(), word_of(AccountMailKind::already_registered, "fr"));
  post_in(client, "it", "/forgotten", Given{kAnn, ""});
  EXPECT_EQ(written.last(), word_of(AccountMailKind::reset, "it"));
  EXPECT_EQ(post_in(client, "es", "/reset", GivenToken{token_of(kAnn), kOther}).status, 204);
  EXPECT_EQ(written.last(), word_of(AccountMailKind::password_changed, "es"));
  EXPECT_EQ(client.post("/log-in", Given{kAnn, kOther}).status, 204);
  EXPECT_EQ(post_in(client, "nl", "/password", Given{kOther, kWord}).status, 204);
  EXPECT_EQ(written.last(), word_of(AccountMailKind::password_changed, "nl"));
  EXPECT_EQ(post_in(client, "da", "/new-address", Given{kBob, kWord}).status, 204);
  EXPECT_EQ(written.last(), word_of(AccountMailKind::confirm_address, "da"));
  EXPECT_EQ(post_in(client, "sv", "/address", GivenToken{token_of(kBob), ""}).status, 204);
  EXPECT_EQ(written.last(), word_of(AccountMailKind::address_changed, "sv"));
}

TEST_F(AccountLanguage, AnOwnerIsToldOfAPasskey) {
  TestClient client(app, browser());
  make_account(client, kAnn, kWord);
  EXPECT_EQ(client.post("/log-in", Given{kAnn, kWord}).status, 204);
  EXPECT_EQ(post_in(client, "de", "/passkey", Given{}).status, 204);
  EXPECT_EQ(written.last(), word_of(AccountMailKind::passkey_added, "de"));
  EXPECT_EQ(field_of(mails->last_to(kAnn), "Subject"), "Shop: A passkey was added");
}

TEST_F(AccountLanguage, AnOwnerIsInformedOfAnApiKey) {
  TestClient client(app, browser());
  make_account(client, kAnn, kWord);
  EXPECT_EQ(client.post("/log-in", Given{kAnn, kWord}).status, 204);
  EXPECT_EQ(post_in(client, "de", "/api-key", Given{}).status, 204);
  EXPECT_EQ(written.last(), word_of(AccountMailKind::api_key_added, "de"));
  EXPECT_EQ(field_of(mails->last_to(kAnn), "Subject"), "Shop: An API key was created");
}

TEST_F(AccountLanguage, AnOwnerIsToldThatAProvidersLoginLeadsToAnAccountThatWasThere) {
  TestClient client(app, browser());
  EXPECT_EQ(post_in(client, "de", "/linked", Given{"new@example.org", ""}).status, 204);
  EXPECT_EQ(mails->size(), 0U) << "nobody had this account before";
  make_account(client, kAnn, kWord);
  EXPECT_EQ(post_in(client, "de", "/linked", Given{"Ann@Example.org", ""}).status, 204);
  EXPECT_EQ(written.last(), word_of(AccountMailKind::provider_linked, "de"));
  EXPECT_EQ(field_of(mails->last_to(kAnn), "Subject"),
            "Shop: A login with another service was added");
  EXPECT_EQ(post_in(client, "de", "/linked", Given{"none", ""}).status, 422);
}

TEST_F(AccountLanguage, AnOlderTableGetsItsColumnAndKeepsWhatWaits) {
  {
    TestClient client(app, browser());
    make_account(client, kAnn, kWord);
  }
  App older;
  older.post("/older", [database = database]() -> Task<> {
    co_await database.script(
        "drop table eider_account_requests;"
        "create table eider_account_requests ("
        "id text primary key, purpose text not null, account text not null, email text not null, "
        "version bigint not null, tries bigint not null, due bigint not null);"
        "insert into eider_account_requests values('x', 'reset', '', 'ann@example.org', 0, 0, 0);");
  });
  EXPECT_EQ(TestClient(older).post("/older", Given{}).status, 204);
  App again = make_app(database, mails, written.options());
  TestClient client(again, browser());
  client.advance(seconds(30));
  EXPECT_EQ(written.last(), word_of(AccountMailKind::reset, ""));
  post_in(client, "de", "/forgotten", Given{kAnn, ""});
  EXPECT_EQ(written.last(), word_of(AccountMailKind::reset, "de"));
}

TEST(AccountTranslator, SayTheWholeLetterAndKeepTheTime) {
  std::vector<std::string> said;
  const Mail mail = plain_account_mail(
      {.kind = AccountMailKind::reset,
       .to = kAnn,
       .link = "https://shop.example/reset#x",
       .within = std::chrono::hours(1)},
      "no-reply@shop.example", "Shop", [&said](std::string_view english) {
        said.emplace_back(english);
        return "<" + std::string(english.contains("{within}") ? "{within}" : english) + ">";
      });
  EXPECT_EQ(mail.subject, "Shop: <Choose a new password>");
  EXPECT_EQ(mail.text,
            "<Someone, probably you, requested a new password.>\n\n<Open this page and choose a "
            "new password:>\n\nhttps://shop.example/reset#x\n\n<1 h>\n");
  EXPECT_EQ(said.size(), 4U);
}

TEST(AccountTranslator, HasEachTextInGerman) {
  const Language texts = german();
  for (int kind = 0; kind <= static_cast<int>(AccountMailKind::api_key_added); ++kind) {
    static_cast<void>(plain_account_mail(
        {.kind = static_cast<AccountMailKind>(kind), .to = kAnn, .link = "https://shop.example/"},
        "no-reply@shop.example", "", [&texts](std::string_view english) {
          EXPECT_TRUE(english.empty() || texts.texts.contains(english)) << english;
          return std::string(english);
        }));
  }
}

}  // namespace
}  // namespace eider::test
