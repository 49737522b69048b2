// Accounts with passkeys instead of passwords.
//   ./23_passkeys --port 8080, and open http://localhost:8080/
#include <eider/assets.h>
#include <eider/eider.h>
#include <eider/middleware.h>
#include <eider/passkeys.h>
#include <eider/sessions.h>
#include <eider/views.h>

#include <cstdio>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "_23_passkeys_assets.h"
#include "home.h"
#include "home.html.h"

using namespace eider;

namespace {

struct PasskeyPlace {
  std::string domain = "localhost";
  std::string origin = "http://localhost:8080";

  static constexpr OptionText kOptions[] = {
      {"domain", "Domain of the passkeys, which cannot be changed later"},
      {"origin", "Origin of the pages, as browsers write it"}};
};

struct Visit {};

/// Replaces a database.
class People {
 public:
  bool has(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    return names_.contains(name);
  }
  bool add(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    return names_.insert(name).second;
  }
  void remove(const std::string& name) {
    const std::scoped_lock lock(mutex_);
    names_.erase(name);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> names_;
};

PasskeyAccounts accounts_of(const std::shared_ptr<People>& people,
                            const std::shared_ptr<PasskeyStore>& store) {
  return {.user = [](std::string key) -> Task<Result<PasskeyUser>> {
            co_return PasskeyUser{.key = key, .name = key};
          },
          .new_user = [people](std::string name) -> Task<Result<PasskeyUser>> {
            if (people->has(name)) {
              co_return fail(Error::conflict("This name is already taken."));
            }
            co_return PasskeyUser{.key = name, .name = name};
          },
          // Creates both or neither. With a database, use a transaction: see
          // docs/guides/users/passkeys.md.
          .create = [people, store](PasskeyUser user, Passkey passkey) -> Task<Result<void>> {
            if (!people->add(user.key)) {
              co_return fail(Error::conflict("This name is already taken."));
            }
            if (!co_await store->insert(std::move(passkey), 1)) {
              people->remove(user.key);
              co_return fail(Error::conflict("This passkey belongs to another account."));
            }
            co_return Result<void>();
          }};
}

App make_app(const PasskeyPlace& own) {
  App app;
  app.use(security_headers());
  app.use(cross_origin_protection());
  add_views(app, {.directory = "pages"});
  const Assets assets = serve_assets(app, _23_passkeys_assets());
  // Without TLS, for development; with TLS, omit `is_secure`.
  const Sessions visits = add_sessions<Visit>(app, {.is_secure = false});
  const auto people = std::make_shared<People>();
  const auto store = memory_passkeys();
  const PasskeySite site =
      add_passkeys(app, visits,
                   {.relying_party = {.relying_party_id = own.domain,
                                      .origins = {own.origin},
                                      .name = "Passkeys"},
                    .store = store,
                    .accounts = accounts_of(people, store),
                    .on_rejected = [](const PasskeyError& error) {
                      std::fprintf(stderr, "a passkey was rejected: %s\n", error.text.c_str());
                    }});

  const std::string style = assets.url("style.css");
  app.get("/", [site, style](Session<> session, State<Views> views) -> Task<HtmlPage> {
    home::HomePage page{.script = site.script(), .style = style, .user = session.user()};
    const auto passkeys = co_await site.store()->list(page.user);
    for (const Passkey& passkey : passkeys) {
      page.passkeys.push_back({.id = passkey.id, .reached_by = passkey.transports});
    }
    co_return views->page(page);
  });
  app.post("/passkeys/{id}/remove",
           [site](std::string id, Session<> session) -> Task<Result<Redirect>> {
             // Users have no other way to log in, so they keep their last passkey.
             if (!co_await site.store()->erase_unless_last(session.user(), std::move(id))) {
               co_return fail(Error::conflict("This is your last passkey, or it is not yours."));
             }
             co_return Redirect("/");
           });
  app.post("/logout", [](Session<> session) {
    session.log_out();
    return Redirect("/");
  });
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  return run_app<PasskeyPlace>("passkeys", argc, argv, make_app);
}
