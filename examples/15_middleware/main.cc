// The usual middleware with safe defaults. `--routes` lists it.
//   ./15_middleware --port 8080
//   curl -i -H 'Authorization: Bearer ann-s-token' localhost:8080/api/notes
#include <eider/eider.h>
#include <eider/middleware.h>

#include <string>

using namespace eider;
using namespace std::chrono_literals;

namespace {

void add_pages(Routes pages, const MaintenanceSwitch& work) {
  pages.use(security_headers());
  // For a service without TLS, such as this one; with TLS, omit the argument.
  pages.use(csrf({.is_secure = false}));
  pages.get("/", [](const CspNonce& nonce, const CsrfToken& token) {
    return Html("<!doctype html><title>Notes</title><script nonce=\"" + nonce.text() +
                "\">document.title += ' of today'</script><form method=\"post\" action=\"/say\">" +
                token.field() + "<input name=\"text\"><button>Say</button></form>");
  });
  pages.post("/say", [](Body body) { return "said " + std::to_string(body.size()) + " bytes\n"; });
  pages.post("/work", [work] { work.turn_on(); }).use(address_list({.allow = "127.0.0.1, ::1"}));
  pages.del("/work", [work] { work.turn_off(); }).use(address_list({.allow = "127.0.0.1, ::1"}));
}

void add_api(Routes api) {
  api.use(cors({.origins = {"https://app.example"}}));
  api.use(rate_limit({.requests = 300, .per = 1min}));
  api.use(timeout(5s));
  api.guard(bearer_auth({.tokens = {{"ann-s-token", {.name = "ann", .scopes = {"write"}}},
                                    {"bob-s-token", {.name = "bob"}}}}));
  api.guard(RateLimitOf<Identity>({.requests = 100, .per = 1min, .name = "caller"},
                                  [](const Identity& caller) { return caller.name; }));
  api.get("/notes", [](const Identity& caller) { return "notes of " + caller.name + "\n"; });
  api.post("/notes", [](const Identity& caller, Body) { return "kept for " + caller.name + "\n"; })
      .guard(require_scope("write"))
      .body_bytes_max(64UL * 1024);
}

}  // namespace

App make_app() {
  const MaintenanceSwitch work;
  App app;
  app.observe(access_log(AccessFormat::json));
  app.use(method_override({.parameter = "_method"}));
  app.use(allow_hosts({"localhost", "127.0.0.1", "[::1]"}));
  app.use(request_id());
  app.use(maintenance(work, {.except = {"/livez", "/readyz", "/work"}}));
  app.use(concurrency_limit({.requests = 1000}));
  app.use(redirect_slashes());
  serve_health(app);
  app.get("/news",
          []() -> Task<std::string> {
            co_await sleep_for(200ms);
            co_return "made once in ten seconds\n";
          })
      .use(response_cache({.ttl = 10s}));
  add_pages(app.group("/"), work);
  add_api(app.group("/api"));
  return app;
}

int main(int argc, char** argv) {
  return run_app("news", argc, argv, make_app);
}
