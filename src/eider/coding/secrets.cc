#include "eider/coding/secrets.h"

#include <optional>

#include "eider/base/text.h"
#include "eider/coding/field_values.h"
#include "eider/http/request.h"

namespace eider {

namespace {

/// scheme "://" authority …: the authority; nothing for other text, "null" among them.
std::optional<std::string_view> authority_of(std::string_view url) noexcept {
  constexpr std::string_view kMark = "://";
  const std::size_t mark = url.find(kMark);
  if (mark == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view rest = url.substr(mark + kMark.size());
  return rest.substr(0, rest.find_first_of("/?#"));
}

bool is_own(const Request& request, std::string_view url) noexcept {
  const std::optional<std::string_view> authority = authority_of(url);
  const std::string_view own = request.head().authority;
  return authority.has_value() && !own.empty() && equals_ignoring_case(*authority, own);
}

/// Whether browsers add what the Authorization field says without being asked by the page: all
/// schemes but Bearer and its kind, which scripts of the own site add.
bool is_ambient(std::string_view authorization) noexcept {
  const std::string_view scheme = authorization.substr(0, authorization.find(' '));
  return !equals_ignoring_case(scheme, "Bearer") && !equals_ignoring_case(scheme, "DPoP");
}

bool has_ambient_credentials(const Request& request) noexcept {
  const std::optional<std::string_view> authorization = request.header("Authorization");
  return request.header("Cookie").has_value() || (authorization && is_ambient(*authorization));
}

/// Fetch Metadata: "none" is a person's own doing, such as a typed address.
bool is_foreign_site(std::string_view site) noexcept {
  return !equals_ignoring_case(site, "same-origin") && !equals_ignoring_case(site, "none");
}

bool may_be_foreign(const Request& request) noexcept {
  if (const auto site = request.header("Sec-Fetch-Site")) {
    return is_foreign_site(*site);
  }
  if (const auto origin = request.header("Origin")) {
    return !is_own(request, *origin);
  }
  if (const auto referer = request.header("Referer")) {
    return !is_own(request, *referer);
  }
  return has_ambient_credentials(request);
}

bool is_for_one_person(const Exposure& exposure, std::string_view field_lines) noexcept {
  return exposure.has_credentials || FieldValues(field_lines, "Set-Cookie").next().has_value() ||
         has_item(field_lines, "Cache-Control", "private") ||
         has_item(field_lines, "Cache-Control", "no-store");
}

}  // namespace

Exposure exposure_of(const Request& request) noexcept {
  return {.has_credentials =
              request.header("Cookie").has_value() || request.header("Authorization").has_value(),
          .is_foreign = may_be_foreign(request)};
}

bool must_stay_plain(OnSecrets policy, const Exposure& exposure,
                     std::string_view field_lines) noexcept {
  switch (policy) {
    case OnSecrets::compress:
      return false;
    case OnSecrets::leave_foreign:
      return exposure.is_foreign && is_for_one_person(exposure, field_lines);
    case OnSecrets::leave:
      break;
  }
  return is_for_one_person(exposure, field_lines);
}

}  // namespace eider
