#include <eider/eider.h>
#include <eider/oauth.h>
#include <eider/sessions.h>

#include <cstdio>

struct Visit {
  int count = 0;
};

int main() {
  eider::App app;
  eider::add_sessions<Visit>(app);
  eider::openid_login(
      app, {.issuer = "https://id.example", .client_id = "notes", .client_secret = "secret"},
      [](const eider::OpenIdIdentity& who, eider::Session<> session) {
        session.log_in(who.key());
        return eider::Redirect(who.next);
      });
  std::printf("%s", app.list_routes().c_str());
  return app.make_service() ? 0 : 1;
}
