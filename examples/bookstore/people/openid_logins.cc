#include "people/openid_logins.h"

#include <eider/accounts.h>
#include <eider/eider.h>
#include <eider/languages.h>
#include <eider/oauth.h>
#include <eider/sessions.h>

namespace bookstore {

using namespace eider;

namespace {

struct Profile {
  std::string email = kOptional;
  bool email_verified = false;
};

OAuthOptions options_of(const Settings& settings) {
  const bool is_behind_tls = settings.is_behind_tls();
  return {.issuer = settings.openid_issuer,
          .client_id = settings.openid_client_id,
          .client_secret = settings.openid_client_secret.reveal(),
          .login = "/login/openid",
          .callback = "/login/openid/callback",
          .failure_page = "/login",
          .scopes = {"email"},
          .origin = *settings.public_url,
          .cookie = is_behind_tls ? "__Host-login" : "login",
          .is_secure = is_behind_tls,
          .fetches_userinfo = true};
}

Task<Result<Redirect>> log_in(const OpenIdIdentity& who, Session<> session, Translator reader,
                              State<Accounts> accounts, State<OpenIdLinks> links) {
  const std::string identity = who.key();
  auto known = co_await links->account_of(identity);
  if (!known) {
    const auto profile = who.as<Profile>();
    if (!profile || !profile->email_verified) {
      session.flash("error", reader("The provider has not verified your mail address."));
      co_return Redirect("/login");
    }
    const auto account =
        co_await accounts->find_or_create_linked(profile->email, reader.language());
    if (!account) {
      co_return fail(account.error());
    }
    co_await links->add(identity, account->key);
    known = account->key;
  }
  const auto login = co_await accounts->log_in_verified({*known});
  if (!login) {
    co_return fail(login.error());
  }
  co_return Redirect(accounts->begin(session, *login, who.next));
}

}  // namespace

Task<std::optional<std::string>> OpenIdLinks::account_of(std::string identity) const {
  co_return co_await database_.one<std::string>(
      "select account from openid_links where identity = $1", identity);
}

Task<> OpenIdLinks::add(std::string identity, std::string account) const {
  co_await database_.exec(
      "insert into openid_links(identity, account) values($1, $2) on conflict do nothing", identity,
      account);
}

void add_openid_logins(App& app, const Settings& settings, Database database) {
  if (settings.openid_issuer.empty()) {
    app.state(OpenIdOffer());
    return;
  }
  app.state(OpenIdOffer{settings.openid_name});
  app.state(OpenIdLinks(std::move(database)));
  openid_login(app, options_of(settings), log_in);
}

}  // namespace bookstore
