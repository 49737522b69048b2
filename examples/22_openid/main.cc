// A login with an OpenID provider, such as Keycloak on this machine.
//   ./22_openid --issuer http://127.0.0.1:9000 --client-id notes --client-secret-file … --port 8080
// Register http://localhost:8080/login/callback there, and open http://localhost:8080/
#include <eider/eider.h>
#include <eider/oauth.h>
#include <eider/sessions.h>
#include <eider/text.h>

#include <string>

using namespace eider;

struct OpenIdOptions {
  std::string issuer;
  std::string client_id;
  Secret client_secret;

  static constexpr OptionText kOptions[] = {
      {"issuer", "URL of the OpenID provider", "URL"},
      {"client_id", "Client ID of this service", "TEXT"},
      {"client_secret", "Client secret; none for a public client"}};
};

struct Profile {
  std::string sub;
  std::optional<std::string> name = {};
};

struct Visit {
  std::string name = {};
};

Result<Redirect> log_in(const OpenIdIdentity& who, Session<Visit> session) {
  const auto profile = who.as<Profile>();
  if (!profile) {
    return fail(profile.error());
  }
  session.log_in(who.key());
  session->name = profile->name.value_or(profile->sub);
  return Redirect(who.next);
}

Html show_home(Session<const Visit> session) {
  if (session.user().empty()) {
    return Html("<p>Hello, guest.</p><a href=\"/login\">Log in</a>");
  }
  return Html("<p>Hello, " + escape_html(session->name) +
              ".</p><form method=\"post\" action=\"/logout\"><button>Log out</button></form>");
}

namespace {

App make_app(const OpenIdOptions& own) {
  App app;
  // Without TLS, for development; with TLS, omit the cookie names and `is_secure`.
  const Sessions visits = add_sessions<Visit>(app, {.is_secure = false});
  app.use(cross_origin_protection());
  app.provide(UserKeyGuard(visits.options().cookie, {.login_page = "/login"}));
  openid_login(app,
               {.issuer = own.issuer,
                .client_id = own.client_id,
                .client_secret = own.client_secret.reveal(),
                .logout = "/logout",
                .scopes = {"profile"},
                .cookie = "login",
                .is_secure = false,
                .fetches_userinfo = true},
               &log_in);
  app.get("/", &show_home);
  app.get("/me", [](const UserKey& key) { return key.text + "\n"; });
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  return run_app<OpenIdOptions>("openid", argc, argv, make_app);
}
