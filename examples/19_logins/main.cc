// Accounts with passwords: hashed on separate threads, with limited login attempts.
//   ./19_logins --port 8080
//   curl -i -d '{"name":"ann","password":"correct horse"}' localhost:8080/accounts
//   curl -i -d '{"name":"ann","password":"correct horse"}' localhost:8080/login
#include <eider/eider.h>
#include <eider/middleware.h>
#include <eider/passwords.h>

#include <map>
#include <mutex>
#include <string>

using namespace eider;

namespace {

struct Credentials {
  std::string name;
  std::string password;
};

/// Replaces a database.
class Accounts {
 public:
  std::optional<std::string> find(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = stored_.find(name);
    return found == stored_.end() ? std::nullopt : std::optional(found->second);
  }
  void keep(const std::string& name, std::string stored) {
    const std::lock_guard lock(mutex_);
    stored_[name] = std::move(stored);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> stored_;
};

Task<Result<std::string>> sign_up(Json<Credentials> given, State<Passwords> passwords,
                                  State<Accounts> accounts) {
  auto stored = co_await passwords->hash(given->password);
  if (!stored) {
    co_return fail(stored.error());
  }
  accounts->keep(given->name, std::move(*stored));
  co_return "Hello, " + given->name + "!\n";
}

Task<Result<std::string>> log_in(Json<Credentials> given, ClientInfo client,
                                 State<LoginThrottle> throttle, State<Passwords> passwords,
                                 State<Accounts> accounts) {
  const std::optional<std::string> stored = accounts->find(given->name);
  auto proof = passwords->check_login(given->password, stored);
  const auto check = co_await throttle->attempt(given->name, client, std::move(proof));
  if (!check) {
    co_return fail(check.error());
  }
  if (check->needs_rehash) {
    if (auto renewed = co_await passwords->hash(given->password)) {
      accounts->keep(given->name, std::move(*renewed));
    }
  }
  co_return "Hello again, " + given->name + "!\n";
}

}  // namespace

App make_app() {
  App app;
  app.trust_proxies("127.0.0.1");
  app.state<Passwords>();
  app.state<LoginThrottle>();
  app.state<Accounts>();
  app.get("/", [] { return "POST to /accounts, then to /login.\n"; });
  app.get("/counts", [](State<Passwords> passwords) { return passwords->counts(); });
  app.post("/accounts", sign_up);
  app.post("/login", log_in);
  return app;
}

int main(int argc, char** argv) {
  return run_app("logins", argc, argv, make_app);
}
