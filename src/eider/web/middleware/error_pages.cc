#include "eider/web/middleware/error_pages.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/html.h"
#include "eider/core/base/sha256.h"
#include "eider/core/json/members.h"
#include "eider/protocols/http/accept.h"
#include "eider/protocols/http/response.h"

namespace eider {

namespace {

/// Clients that accept only application/json also get problem documents.
constexpr std::array<std::string_view, 3> kOffered = {kApplicationProblem, kApplicationJson,
                                                      kTextHtml};
constexpr std::size_t kPageOffered = 2;

constexpr std::string_view kPlainStyle =
    "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:18vh auto;padding:0 1.5rem;"
    "overflow-wrap:anywhere}h1{font-size:1.6rem;line-height:1.2}small{opacity:.7}";

/// A page without external resources and scripts. Its own policy (plain_policy) allows its style.
std::string plain_page(const ErrorPage& error) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\">"
      "<meta name=\"color-scheme\" content=\"light dark\"><title>";
  page.append(escape_html(error.title))
      .append("</title><style>")
      .append(kPlainStyle)
      .append("</style></head><body><main><h1>")
      .append(escape_html(error.title))
      .append("</h1><p>")
      .append(escape_html(error.detail))
      .append("</p><p><small>")
      .append(std::to_string(error.status));
  if (!error.request_id.empty()) {
    page.append(" · ").append(escape_html(error.request_id));
  }
  return page.append("</small></p></main></body></html>\n");
}

/// Returns the policy of the plain page, because that of the application, such as that of
/// security_headers, would block the inline style.
const std::string& plain_policy() {
  static const std::string kPolicy =
      "default-src 'none'; img-src 'self' data:; style-src 'sha256-" +
      to_base64(to_view(sha256(kPlainStyle))) +
      "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return kPolicy;
}

/// Returns an empty function for the plain page of the library.
const ErrorPages::Page& page_for(const ErrorPages& pages, int status) {
  const auto found = pages.by_status.find(status);
  return found == pages.by_status.end() ? pages.page : found->second;
}

/// Returns nothing if the function throws, because an exception would keep further hooks from
/// running.
std::optional<std::string> made_by(const ErrorPages::Page& page, const ErrorPage& error) noexcept {
  try {
    return page(error);
  } catch (...) {
    return std::nullopt;
  }
}

void show(const ErrorPages& pages, const Request& request, Response& response) {
  if (response.content_type() != kApplicationProblem || !is_in_memory(response) ||
      response.find_header("Content-Encoding")) {
    return;
  }
  response.add_header("Vary", "Accept");
  if (choose_media_type(request.headers(), kOffered) != kPageOffered) {
    return;
  }
  const auto problem = json::read_object(response.body(), {});
  if (!problem) {
    return;
  }
  const auto* const id = request.find<RequestId>();
  const ErrorPage error{.status = response.status(),
                        .title = json::text_member(*problem, "title").value_or(""),
                        .detail = json::text_member(*problem, "detail").value_or(""),
                        .request_id = id == nullptr ? std::string_view() : id->text(),
                        .problem = *problem,
                        .request = request};
  const ErrorPages::Page& own = page_for(pages, response.status());
  if (!own) {
    response.replace_header("Content-Security-Policy", plain_policy());
    response.set_body(plain_page(error)).set_static_type(kTextHtml);
  } else if (auto page = made_by(own, error)) {
    response.set_body(*std::move(page)).set_static_type(kTextHtml);
  }
}

}  // namespace

Hook error_pages(ErrorPages pages) {
  auto after = [pages = std::move(pages)](const Request& request, Response& response) {
    show(pages, request, response);
  };
  return {.on_response = std::move(after), .name = "error_pages"};
}

}  // namespace eider
