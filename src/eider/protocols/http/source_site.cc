#include "eider/protocols/http/source_site.h"

#include "eider/core/base/text.h"
#include "eider/protocols/http/forwarded.h"

namespace eider {

namespace {

constexpr std::string_view kMark = "://";

std::string_view without_suffix(std::string_view text, std::string_view suffix) noexcept {
  return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
}

/// "none" is an action of the user, such as a typed address. "same-site" may be another host, and
/// unknown values are not trusted.
SourceSite site_in(std::string_view fetch_metadata) noexcept {
  const bool is_own = equals_ignoring_case(fetch_metadata, "same-origin") ||
                      equals_ignoring_case(fetch_metadata, "none");
  return is_own ? SourceSite::own : SourceSite::other;
}

/// Returns scheme://host[:port] of a URL.
std::string_view origin_of(std::string_view url) noexcept {
  const std::size_t mark = url.find(kMark);
  return mark == url.npos ? url : url.substr(0, url.find_first_of("/?#", mark + kMark.size()));
}

SourceSite site_of(std::string_view origin, const Request& request) {
  const RequestedSite site = requested_site_of(request);
  return is_same_host(origin, site.host, site.over) ? SourceSite::own : SourceSite::other;
}

/// Returns whether browsers add the Authorization header by themselves: for all schemes except
/// Bearer and DPoP, which scripts of the own site add.
bool is_ambient(std::string_view authorization) noexcept {
  const std::string_view scheme = authorization.substr(0, authorization.find(' '));
  return !equals_ignoring_case(scheme, "Bearer") && !equals_ignoring_case(scheme, "DPoP");
}

/// Browsers present it to each site that requests it, for pages of any origin.
bool has_shown_certificate(const Request& request) {
  const auto secured = request.tls();
  return secured && !secured->client.fingerprint.empty();
}

}  // namespace

SourceSite source_site_of(const Request& request) {
  if (const auto site = request.header("Sec-Fetch-Site")) {
    return site_in(*site);
  }
  if (const auto origin = request.header("Origin")) {
    return site_of(*origin, request);  // "null" is another site, too
  }
  if (const auto referer = request.header("Referer")) {
    return site_of(origin_of(*referer), request);
  }
  return SourceSite::unknown;
}

RequestedSite requested_site_of(const Request& request) {
  RequestOrigin origin;
  if (const auto* trust = request.find<ForwardedTrust>()) {
    origin = find_origin(PeerEnd::parse(request.remote_address()), request.headers(), trust->kind,
                         *trust->peers);
  }
  return {
      .host = origin.host.empty() ? std::string_view(request.head().authority) : origin.host,
      .over = is_over_tls(origin, request.tls().has_value()) ? AskedOver::tls : AskedOver::clear};
}

bool is_same_host(std::string_view origin, std::string_view authority, AskedOver over) noexcept {
  const std::size_t mark = origin.find(kMark);
  if (mark == std::string_view::npos) {
    return false;
  }
  const bool is_secure = equals_ignoring_case(origin.substr(0, mark), "https");
  // With TLS, an attacker in the network could have created a page that was loaded without TLS.
  if (over == AskedOver::tls && !is_secure) {
    return false;
  }
  const std::string_view port = is_secure ? ":443" : ":80";
  const std::string_view host = without_suffix(origin.substr(mark + kMark.size()), port);
  return !host.empty() && equals_ignoring_case(host, without_suffix(authority, port));
}

bool has_ambient_credentials(const Request& request) {
  const std::optional<std::string_view> authorization = request.header("Authorization");
  return request.header("Cookie").has_value() || (authorization && is_ambient(*authorization)) ||
         has_shown_certificate(request);
}

}  // namespace eider
