#include "eider/ops/dashboard/dashboard_token.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/handlers/respond.h"
#include "eider/app/this_machine.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/protocols/http/cookie.h"
#include "eider/server/state.h"

namespace eider::detail::dashboard {

namespace {

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

/// The token goes out of the address bar and into a cookie.
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

/// "http://localhost:8080", of `eider dev` if that runs the program, or else of the first place
/// that has a port.
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

}  // namespace

void guard_by_token(App& app, Routes& pages) {
  const std::string token = find_or_make_token();
  const auto trusted = std::make_shared<const ProxyTrust*>(nullptr);
  pages.use(ClientHook{[token, trusted](const ProxyTrust& trust) {
    *trusted = &trust;
    return token_hook(token, trust);
  }});
  app.background("dashboard link", [trusted, token, log = app.log_writer()]() -> Task<> {
    auto asking = server_state();
    const std::shared_ptr<const ServerState> state = co_await asking;
    if (state != nullptr) {
      write_lines(*state, trusts_proxies(**trusted), token, log);
    }
  });
}

}  // namespace eider::detail::dashboard
