#include "eider/ops/dashboard/dashboard.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/handlers/respond.h"
#include "eider/app/life/state_file.h"
#include "eider/app/this_machine.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/log_tail.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/core/json/write.h"
#include "eider/data/db/slow_statements.h"
#include "eider/protocols/http/cookie.h"
#include "eider/server/state.h"
#include "eider/web/assets/assets.h"

namespace eider::detail::dashboard {
namespace {

/// Environment variable with the token, so that workers, an upgraded program, and a program that
/// `eider dev` restarts have the same one.
inline constexpr const char* kTokenVariable = "EIDER_DASHBOARD_TOKEN";

constexpr std::size_t kTokenBytes = 24;
constexpr std::size_t kTokenCharactersMin = 16;
constexpr std::string_view kCookie = "eider_dashboard";

bool is_token(std::string_view text) noexcept {
  return text.size() >= kTokenCharactersMin && std::ranges::all_of(text, [](char c) {
           return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'z') || c == '-' || c == '_';
         });
}

std::string find_or_make_token() {
  const char* const given = std::getenv(kTokenVariable);
  if (given == nullptr || *given == '\0') {
    std::string made = to_base64url(secret_bytes(kTokenBytes));
    (void)::setenv(kTokenVariable, made.c_str(), 1);
    return made;
  }
  if (!is_token(given)) {
    throw Failure(Error::internal(std::string(kTokenVariable) +
                                  " needs at least 16 characters, of A-Z, a-z, 0-9, - and _."));
  }
  return given;
}

bool knows(const Request& request, std::string_view token) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view given = request.header("Authorization").value_or("");
  const auto cookie = find_cookie(request.header("Cookie").value_or(""), kCookie);
  return equals_in_constant_time(cookie.value_or(""), token) ||
         (given.starts_with(kBearer) &&
          equals_in_constant_time(given.substr(kBearer.size()), token));
}

bool has_link(const Request& request, std::string_view token) {
  QueryReader pairs(request.query());
  while (const auto pair = pairs.next()) {
    if (pair->name == "token") {
      return equals_in_constant_time(pair->value, token);
    }
  }
  return false;
}

/// Moves the token from the address bar to a cookie.
void take_link(const std::string& token, Response& response) {
  response.set_status(303).add_header("Location", "/_eider/");
  response.add_header("Cache-Control", "no-store").add_header("Referrer-Policy", "no-referrer");
  response.add_header("Set-Cookie", *to_header_value({.name = std::string(kCookie),
                                                      .value = token,
                                                      .path = "/_eider",
                                                      .same_site = SameSite::strict,
                                                      .secure = false}));
}

Hook token_hook(const std::string& token, const ProxyTrust& trust) {
  return {.on_request =
              [token, &trust](Request& request, Response& response) {
                if (!is_of_this_machine(request, trust)) {
                  render_error(response,
                               Error(403,
                                     "The dashboard is available only on this machine. Open it at "
                                     "localhost, or set DashboardOptions::guard."));
                  return false;
                }
                if (knows(request, token)) {
                  return true;
                }
                if (has_link(request, token)) {
                  take_link(token, response);
                } else {
                  render_error(response, Error(403,
                                               "Open the dashboard with the link that is logged at "
                                               "startup, or set DashboardOptions::guard."));
                }
                return false;
              },
          .name = "dashboard token"};
}

bool is_loopback_place(std::string_view address) noexcept {
  return address.starts_with("127.") || address.starts_with("[::1]") ||
         address.starts_with("unix:");
}

/// Returns "http://localhost:8080": that of `eider dev` if it runs the program, else that of the
/// first address with a port.
std::string origin_of(const ServerState& state) {
  if (const char* const origin = std::getenv("EIDER_DEV_ORIGIN"); origin != nullptr) {
    return origin;
  }
  for (const std::string_view address : state.addresses) {
    if (!address.starts_with("unix:")) {
      return "http://localhost" +
             std::string(address.substr(std::min(address.rfind(':'), address.size())));
    }
  }
  return {};
}

void write_lines(const ServerState& state, bool has_proxies, const std::string& token,
                 const std::function<void(LogLevel, std::string_view)>& log) {
  if (state.worker.value_or(0) != 0) {
    return;
  }
  log(LogLevel::info, "Dashboard: " + origin_of(state) + "/_eider/?token=" + token);
  if (has_proxies || !std::ranges::all_of(state.addresses, is_loopback_place)) {
    log(LogLevel::warning,
        "The dashboard has no guard, but this server can be reached from other machines. Set "
        "DashboardOptions::guard, or call serve_dashboard only in development.");
  }
}

/// Accepts requests from this machine that contain the token of the environment variable
/// EIDER_DASHBOARD_TOKEN, or one that is generated here and stored there: as a cookie, which the
/// link in the log sets, or as a bearer token. All others get a 403.
///
/// At startup, the log gets the link, and a warning if the server can be reached from other
/// machines.
///
/// Throws a Failure if the variable has fewer than 16 characters, or one that is not base64url.
void guard_by_token(App& app, Routes& pages) {
  const std::string token = find_or_make_token();
  const auto trusted = std::make_shared<const ProxyTrust*>(nullptr);
  pages.use(ClientHook{[token, trusted](const ProxyTrust& trust) {
    *trusted = &trust;
    return token_hook(token, trust);
  }});
  app.background("dashboard link", [trusted, token, log = app.log_writer()]() -> Task<> {
    const std::shared_ptr<const ServerState> state = co_await server_state();
    if (state != nullptr) {
      write_lines(*state, trusts_proxies(**trusted), token, log);
    }
  });
}

}  // namespace

}  // namespace eider::detail::dashboard

/// Generated by eider_assets() from the folder `assets`. Its header is not included, so that this
/// file compiles before it is generated.
[[nodiscard]] eider::EmbeddedAssets eider_dashboard_assets() noexcept;

namespace eider {

namespace {

constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The counts of a route since the start, by method.
///
/// counts  of durations by bucket, not cumulative; one more than there are `bounds`
struct RouteCounts {
  std::string method;
  std::string route;
  std::uint64_t client_errors = 0;  // 4xx
  std::uint64_t server_errors = 0;  // 5xx
  std::uint64_t disconnected = 0;   // before the response
  std::vector<std::uint64_t> counts;
  double seconds = 0;
};

struct Shown {
  detail::app::ProcessState process;
  std::vector<double> bounds;
  std::vector<RouteCounts> routes;
  std::vector<db::SlowStatement> slow_statements;
  detail::base::LogTail log;
  std::string settings;
};

/// The number of log lines that the client has already seen.
struct Seen {
  std::uint64_t after = 0;
};

/// The settings of the last reload, written on the first event loop and read on all.
class KeptText {
 public:
  void set(std::string text) {
    const std::lock_guard lock(mutex_);
    text_ = std::move(text);
  }
  [[nodiscard]] std::string get() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

RouteCounts& counts_of(std::vector<RouteCounts>& routes, const std::string& method,
                       const std::string& route) {
  const auto found = std::ranges::find_if(
      routes, [&](const RouteCounts& one) { return one.method == method && one.route == route; });
  return found != routes.end()
             ? *found
             : routes.emplace_back(RouteCounts{.method = method, .route = route, .counts = {}});
}

/// Counts a status, which is a label of the metrics.
void add_status(RouteCounts& counts, const std::string& status, std::uint64_t count) {
  counts.client_errors += status.starts_with('4') ? count : 0;
  counts.server_errors += status.starts_with('5') ? count : 0;
  counts.disconnected += status == "0" ? count : 0;
}

void add_routes(Shown& shown, const Metrics& metrics) {
  for (const MetricRead& family : metrics.read()) {
    for (const MetricPoint& point : family.points) {
      if (family.name == "http_requests_total") {
        RouteCounts& counts = counts_of(shown.routes, point.label_values[0], point.label_values[1]);
        add_status(counts, point.label_values[2], static_cast<std::uint64_t>(point.value));
      } else if (family.name == "http_request_duration_seconds" && point.histogram) {
        RouteCounts& counts = counts_of(shown.routes, point.label_values[0], point.label_values[1]);
        counts.counts = point.histogram->counts;
        counts.seconds = point.histogram->sum;
        shown.bounds = point.bounds;
      }
    }
  }
}

Response respond(std::string_view type, std::string body) {
  Response response;
  response.set_static_type(type).set_body(std::move(body));
  response.add_header("Cache-Control", "no-store");
  return response;
}

Response page() {
  const EmbeddedAssets assets = eider_dashboard_assets();
  const auto found = std::ranges::find(assets, "index.html", &EmbeddedAsset::name);
  Response response = respond("text/html; charset=utf-8", std::string(found->content));
  response.add_header("Content-Security-Policy", kPolicy);
  response.add_header("Referrer-Policy", "no-referrer");
  return response;
}

/// Returns whether an access log line is about a poll of this page. These would be most lines of a
/// log that the page shows. Other requests cannot imitate such a line: quoted values do not contain
/// it, and messages come first.
bool is_own_question(std::string_view line) {
  constexpr std::string_view kTarget = "/_eider/state.json?after=";
  const std::size_t at = line.find(kTarget);
  if (at == std::string_view::npos) {
    return false;
  }
  const std::string_view before = line.substr(0, at);
  const std::string_view words = before.substr(std::min(before.find(' '), at));
  std::string_view behind = line.substr(at + kTarget.size());
  behind.remove_prefix(std::min(behind.find_first_not_of("0123456789"), behind.size()));
  return (words == " info GET " && behind.starts_with(" 200 ")) ||
         (words == " info request method=GET target=\"" &&
          behind.starts_with("\" route=/_eider/state.json status=200 ")) ||
         (before.ends_with(R"("message":"request","method":"GET","target":")") &&
          behind.starts_with(R"(","route":"/_eider/state.json","status":200,)"));
}

}  // namespace

void serve_dashboard(App& app, DashboardOptions options, std::source_location where) {
  const auto metrics = options.metrics != nullptr ? std::move(options.metrics)
                                                  : detail::telemetry::count_requests(app, {});
  const auto settings = std::make_shared<KeptText>();
  const auto keep = [settings, tell = app.settings_text()] { settings->set(tell()); };
  app.on_start("dashboard", keep);
  detail::base::keep_log_tail(&is_own_question);
  app.on_reload("dashboard", keep);

  Routes pages = app.group("/_eider");
  if (options.guard) {
    options.guard(pages);
  } else {
    detail::dashboard::guard_by_token(app, pages);
  }
  serve_assets(pages, eider_dashboard_assets(), {.prefix = "/"}, where);
  pages.route(Method::get, RuntimePattern{"/", where}, [] { return page(); });
  pages.route(Method::get, RuntimePattern{"/state.json", where},
              [metrics, settings](Query<Seen> seen) -> Task<Result<Response>> {
                const std::shared_ptr<const ServerState> state = co_await server_state();
                if (state == nullptr) {
                  co_return fail(Error::unavailable("Too many requests. Try again later."));
                }
                Shown shown{.process = detail::app::process_state(*state),
                            .bounds = {},
                            .routes = {},
                            .slow_statements = db::slow_statements(),
                            .log = detail::base::log_tail(seen->after),
                            .settings = settings->get()};
                add_routes(shown, *metrics);
                co_return respond("application/json", json::to_text(shown));
              });
  // The page refers to URLs below it.
  app.route(Method::get, RuntimePattern{"/_eider", where}, [] {
    Response response;
    response.set_status(308).add_header("Location", "/_eider/");
    return response;
  });
}

}  // namespace eider
