#include "eider/coding/secrets.h"

#include <optional>

#include "eider/base/text.h"
#include "eider/coding/field_values.h"
#include "eider/http/request.h"
#include "eider/http/source_site.h"

namespace eider {

namespace {

/// Whether browsers add what the Authorization field says without being asked by the page: all
/// schemes but Bearer and its kind, which scripts of the own site add.
bool is_ambient(std::string_view authorization) noexcept {
  const std::string_view scheme = authorization.substr(0, authorization.find(' '));
  return !equals_ignoring_case(scheme, "Bearer") && !equals_ignoring_case(scheme, "DPoP");
}

/// Browsers show it to each site that asks, whoever has made the page.
bool has_shown_certificate(const Request& request) {
  const auto secured = request.secured_by();
  return secured && !secured->client.fingerprint.empty();
}

bool has_ambient_credentials(const Request& request) {
  const std::optional<std::string_view> authorization = request.header("Authorization");
  return request.header("Cookie").has_value() || (authorization && is_ambient(*authorization)) ||
         has_shown_certificate(request);
}

bool has_credentials(const Request& request) {
  return request.header("Cookie").has_value() || request.header("Authorization").has_value() ||
         has_shown_certificate(request);
}

bool may_be_foreign(const Request& request) {
  switch (source_site_of(request)) {
    case SourceSite::own:
      return false;
    case SourceSite::other:
      return true;
    case SourceSite::unknown:
      break;
  }
  return has_ambient_credentials(request);
}

bool is_for_one_person(const Exposure& exposure, std::string_view field_lines) noexcept {
  return exposure.has_credentials || FieldValues(field_lines, "Set-Cookie").next().has_value() ||
         has_item(field_lines, "Cache-Control", "private") ||
         has_item(field_lines, "Cache-Control", "no-store");
}

}  // namespace

Exposure exposure_of(const Request& request) {
  return {.has_credentials = has_credentials(request), .is_foreign = may_be_foreign(request)};
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
