#include "eider/web/coding/secrets.h"

#include "eider/protocols/http/field_values.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/source_site.h"

namespace eider {

namespace {

bool has_credentials(const Request& request) {
  return request.header("Authorization").has_value() || has_ambient_credentials(request);
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

bool must_stay_plain(BreachProtection policy, const Exposure& exposure,
                     std::string_view field_lines) noexcept {
  switch (policy) {
    case BreachProtection::off:
      return false;
    case BreachProtection::cross_site:
      return exposure.is_foreign && is_for_one_person(exposure, field_lines);
    case BreachProtection::always:
      break;
  }
  return is_for_one_person(exposure, field_lines);
}

}  // namespace eider
