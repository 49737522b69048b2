// Authentication with a guard: it runs once per request, and handlers get the caller by type.
//   ./12_guards --port 8080
//   curl -H 'Authorization: Bearer ann-s-key' localhost:8080/me
#include <eider/eider.h>

#include <map>
#include <string>

using namespace eider;
using namespace std::chrono_literals;

struct Caller {
  std::string name;
  bool is_admin = false;
};

/// Replaces a database.
class Keys {
 public:
  Task<std::optional<Caller>> find(std::string key) const {
    co_await sleep_for(1ms);
    const auto found = callers_.find(key);
    co_return found == callers_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::string, Caller> callers_ = {{"ann-s-key", {"Ann", true}}, {"bob-s-key", {"Bob"}}};
};

Task<Result<Caller>> find_caller(Header<"authorization", std::optional<std::string>> authorization,
                                 State<Keys> keys) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string given = authorization->value_or("");
  std::optional<Caller> caller;
  if (given.starts_with(kBearer)) {
    caller = co_await keys->find(given.substr(kBearer.size()));
  }
  if (!caller) {
    co_return fail(Error::unauthorized("Missing or invalid API key.")
                       .with_header("WWW-Authenticate", "Bearer"));
  }
  co_return std::move(*caller);
}

App make_app() {
  App app;
  app.state<Keys>();
  app.provide(find_caller);  // runs for handlers with a Caller parameter
  app.get("/", [](std::optional<Extension<Caller>> caller) {
    return "Hello, " + (caller ? (*caller)->name : std::string("stranger")) + "!\n";
  });
  app.get("/me", [](Extension<Caller> caller) { return caller->name + "\n"; });

  Routes admin = app.group("/admin");
  admin.guard([](Extension<Caller> caller) -> Result<void> {
    if (!caller->is_admin) {
      return fail(Error::forbidden("Only administrators are allowed."));
    }
    return {};
  });
  // An upload without a valid key is rejected before its body is read.
  admin.post("/upload", [](Extension<Caller> caller, Body body) {
    return caller->name + " has sent " + std::to_string(body.size()) + " bytes\n";
  });
  return app;
}

int main(int argc, char** argv) {
  return run_app("guards", argc, argv, make_app);
}
