#include "eider/auth/session/users.h"

#include "eider/app/redact_query.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/url.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/http_url.h"
#include "eider/protocols/http/method.h"
#include "eider/protocols/http/source_site.h"

namespace eider {

namespace {

constexpr int kSeeOther = 303;
constexpr const char* kLogInFirst = "Log in first.";
constexpr const char* kLogInAnew = "Your login is too old for this action. Log in again.";
/// Maximum size of a path in a form or a query.
constexpr std::size_t kPathBytesMax = 2048;

/// Browsers request HTML when they load a page; programs do not.
bool wants_page(const Request& request) noexcept {
  return request.header("Accept").value_or("").contains("text/html");
}

/// Returns the page of this service whose form was sent: only its path, because its query may
/// contain a secret. Browsers send it to pages of the same origin by default, and with
/// security_headers.
std::string page_of_form(const Request& request) {
  if (source_site_of(request) != SourceSite::own) {
    return {};
  }
  const auto page = detail::http::read_http_url(request.header("Referer").value_or(""));
  return page ? safe_redirect_path(page->path(), "") : std::string();
}

/// Returns the page to continue at after the login, which is requested with GET. A query that may
/// contain a secret is omitted, because the URL of the login page is logged.
std::string way_back(const Request& request) {
  if (request.method() != Method::get && request.method() != Method::head) {
    return page_of_form(request);
  }
  const std::string_view target = request.target();
  const bool is_secret = request.find<RedactQuery>() != nullptr;
  return safe_redirect_path(is_secret ? target.substr(0, target.find('?')) : target, "");
}

}  // namespace

namespace detail::session {

std::string stale_login(Duration within) {
  return ", error=\"insufficient_user_authentication\", max_age=" +
         std::to_string(std::chrono::floor<std::chrono::seconds>(within).count());
}

Error LoginPrompt::refusal(const Request& request, const std::string& why,
                           const std::string& parameters) const {
  if (page.empty() || !wants_page(request)) {
    // A 401 must name a scheme (RFC 9110, section 15.5.2). For this one, browsers do not prompt the
    // user.
    return Error::unauthorized(why).with_header(
        "WWW-Authenticate", "Cookie cookie-name=\"" + cookie_name + '"' + parameters);
  }
  const std::string next = way_back(request);
  std::string location = page;
  if (!next.empty()) {
    location.append(page.contains('?') ? "&next=" : "?next=").append(percent_encode(next));
  }
  // Caches could store a redirect, but it is not valid for logged-in users.
  return Error(kSeeOther, why)
      .with_header("Location", location)
      .with_header("Cache-Control", "no-store");
}

void LoginPrompt::describe(Operation& operation, const std::string& why) const {
  operation.add_problem(401, why);
  if (!page.empty()) {
    operation.add_problem(kSeeOther, "The login page, for browsers.");
  }
}

}  // namespace detail::session

Result<UserKey> UserKeyGuard::operator()(Extension<detail::session::Entry> session,
                                         const Request& request) const {
  if (!session->user().empty()) {
    return UserKey{session->user()};
  }
  return fail(prompt_.refusal(request, kLogInFirst));
}

void UserKeyGuard::describe(Operation& operation) const {
  operation.secure({.name = "session",
                    .kind = Operation::Security::Kind::api_key,
                    .in = Operation::In::cookie,
                    .field = prompt_.cookie_name});
  prompt_.describe(operation, kLogInFirst);
}

RecentLoginGuard::RecentLoginGuard(Duration within) : within_(within) {
  if (within < std::chrono::seconds(1)) {
    throw Failure(Error::internal(
        "require_recent_login: The maximum age of a login must be at least 1 second"));
  }
}

Result<void> RecentLoginGuard::operator()(const UserKey& /*user*/,
                                          Extension<detail::session::Entry> session,
                                          Extension<detail::session::LoginPrompt> prompt,
                                          const Request& request) const {
  // An API key can provide the user of a request without a session.
  if (!session->user().empty() &&
      session->was_proven_within(within_, Loop::current().wall_seconds())) {
    return {};
  }
  return fail(prompt->refusal(request, kLogInAnew, detail::session::stale_login(within_)));
}

void RecentLoginGuard::describe(Operation& operation) const {
  operation.add_problem(401, kLogInAnew);
}

std::string safe_redirect_path(std::string_view next, std::string_view fallback) {
  const bool names_a_host = next.size() > 1 && next[1] == '/';
  const bool is_path = next.starts_with('/') && !names_a_host && next.size() <= kPathBytesMax &&
                       std::ranges::all_of(next, [](char byte) {
                         return byte > ' ' && byte < '\x7F' && byte != '\\';
                       });
  return std::string(is_path ? next : fallback);
}

template Guard detail::app::make_guard(RecentLoginGuard);

}  // namespace eider
