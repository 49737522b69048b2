#include "eider/session/users.h"

#include "eider/app/secret_query.h"
#include "eider/base/url.h"
#include "eider/http/method.h"

namespace eider {

namespace {

constexpr int kSeeOther = 303;
/// Of a path that goes through a form or a query.
constexpr std::size_t kPathBytesMax = 2048;

/// A browser says so where it loads a page, and a program does not.
bool wants_page(const Request& request) noexcept {
  return request.header("Accept").value_or("").contains("text/html");
}

/// Where it goes on behind the login: what is sent again there is a GET. A query that is a secret
/// is left out, as the login page's address is in logs.
std::string way_back(const Request& request) {
  if (request.method() != Method::get && request.method() != Method::head) {
    return {};
  }
  const std::string_view target = request.target();
  const bool is_secret = request.find<SecretQuery>() != nullptr;
  return own_path(is_secret ? target.substr(0, target.find('?')) : target, "");
}

}  // namespace

Result<UserKey> UserKeyGuard::operator()(Slot<detail::session::Entry> session,
                                         const Request& request) const {
  if (!session->user().empty()) {
    return UserKey{session->user()};
  }
  if (options_.login_page.empty() || !wants_page(request)) {
    // A 401 names a scheme (RFC 9110, section 15.5.2); browsers ask nobody for this one.
    return fail(Error::unauthorized("Log in first.")
                    .with_header("WWW-Authenticate", "Cookie cookie-name=\"" + cookie_name_ + '"'));
  }
  const std::string next = way_back(request);
  const std::string_view joint = options_.login_page.contains('?') ? "&next=" : "?next=";
  std::string location = options_.login_page;
  if (!next.empty()) {
    location.append(joint).append(percent_encode(next));
  }
  // A redirect may be kept by caches that are told how long, and is not for who is logged in.
  return fail(Error(kSeeOther, "Log in first.")
                  .with_header("Location", location)
                  .with_header("Cache-Control", "no-store"));
}

void UserKeyGuard::describe(Operation& operation) const {
  operation.secure({.name = "session",
                    .kind = Operation::Security::Kind::api_key,
                    .in = Operation::In::cookie,
                    .field = cookie_name_});
  operation.answer_problem(401, "Log in first.");
  if (!options_.login_page.empty()) {
    operation.answer_problem(kSeeOther, "The login page, for a browser.");
  }
}

std::string own_path(std::string_view next, std::string_view otherwise) {
  const bool names_a_host = next.size() > 1 && next[1] == '/';
  const bool is_path = next.starts_with('/') && !names_a_host && next.size() <= kPathBytesMax &&
                       std::ranges::all_of(next, [](char byte) {
                         return byte > ' ' && byte < '\x7F' && byte != '\\';
                       });
  return std::string(is_path ? next : otherwise);
}

}  // namespace eider
