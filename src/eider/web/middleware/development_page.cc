#include "eider/web/middleware/development_page.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/handlers/failure_note.h"
#include "eider/app/this_machine.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/html.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/text.h"
#include "eider/core/base/url.h"
#include "eider/core/json/read.h"
#include "eider/core/json/value.h"
#include "eider/protocols/http/accept.h"
#include "eider/protocols/http/status.h"

namespace eider {

namespace {

constexpr std::array<std::string_view, 2> kShownAs = {kApplicationProblem, kTextHtml};

constexpr std::string_view kStyle =
    ":root{color-scheme:light dark;--line:light-dark(#d8dbe2,#3a3f4b);--soft:light-dark(#5b6270,"
    "#a3aab8);--bad:light-dark(#a3122a,#ff8a96);--back:light-dark(#f6f7f9,#1c1f26)}"
    "body{font:1rem/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:2rem 1.25rem;"
    "overflow-wrap:anywhere}h1{font-size:1.35rem;line-height:1.3;color:var(--bad);margin:0}"
    "h2{font-size:1rem;margin:2rem 0 .5rem}p{margin:.35rem 0}.text{font:1.05rem/1.5 ui-monospace,"
    "monospace;white-space:pre-wrap;background:var(--back);border:1px solid var(--line);"
    "border-radius:6px;padding:.75rem 1rem}.soft{color:var(--soft)}code{font:.95em ui-monospace,"
    "monospace}table{border-collapse:collapse;width:100%;table-layout:fixed}"
    "th,td{text-align:left;vertical-align:top;padding:.35rem .75rem .35rem 0;border-top:1px solid "
    "var(--line);font-weight:normal}th{width:30%;color:var(--soft)}td{font:.9rem/1.5 "
    "ui-monospace,monospace}";

bool contains_ignoring_case(std::string_view text, std::string_view part) noexcept {
  return !std::ranges::search(text, part, {}, to_lower).empty();
}

bool speaks_of_secrets(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 12> kWords = {
      "auth", "cookie",  "token", "secret", "password",  "passwd",
      "key",  "session", "sid",   "code",   "signature", "credential"};
  return std::ranges::any_of(
      kWords, [name](std::string_view word) { return contains_ignoring_case(name, word); });
}

std::string shown_value(std::string_view name, std::string_view value) {
  return speaks_of_secrets(name) ? "(omitted: " + std::to_string(value.size()) + " bytes)"
                                 : std::string(value);
}

class Page {
 public:
  void put(std::string_view markup) { html_.append(markup); }
  void text(std::string_view text) { html_.append(escape_html(text)); }
  void element(std::string_view open, std::string_view content, std::string_view close) {
    put(open);
    text(content);
    put(close);
  }
  void row(std::string_view name, std::string_view value) {
    element("<tr><th scope=\"row\">", name, "</th>");
    element("<td>", value, "</td></tr>");
  }
  [[nodiscard]] std::string take() && { return std::move(html_); }

 private:
  std::string html_;
};

void put_thrown(Page& page, const FailureNote::Failure& failure) {
  for (const Thrown& thrown : failure.thrown) {
    const bool is_first = &thrown == &failure.thrown.front();
    if (is_first) {
      page.element("<h1>", thrown.type, "</h1>");
    } else {
      page.element("<h2>because of ", thrown.type, "</h2>");
    }
    page.element("<p class=\"text\">", thrown.text.empty() ? "(no message)" : thrown.text, "</p>");
  }
}

void put_route(Page& page, const Request& request, const FailureNote::Failure& failure) {
  page.put("<h2>Route</h2><table>");
  page.row("pattern", request.route().empty() ? "(none)" : request.route());
  page.row("added at", failure.where.empty() ? "(nowhere)" : std::string_view(failure.where));
  for (std::size_t index = 0; index < request.path_values().size(); ++index) {
    page.row("value " + std::to_string(index + 1), request.path_values()[index]);
  }
  page.put("</table>");
}

void put_request(Page& page, const Request& request) {
  page.put("<h2>Request</h2><table>");
  page.row("method", to_text(request.method()));
  page.row("path", request.path());
  QueryReader pairs(request.query());
  while (const auto pair = pairs.next()) {
    page.row("?" + std::string(pair->name), shown_value(pair->name, pair->value));
  }
  for (const Field& field : request.headers()) {
    page.row(field.name, shown_value(field.name, field.value));
  }
  page.row("content", std::to_string(request.body().size()) + " bytes");
  if (const auto* const id = request.find<RequestId>()) {
    page.row("request id", id->text());
  }
  page.put("</table>");
}

std::string page_of(const Request& request, const FailureNote::Failure& failure) {
  Page page;
  page.put(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>");
  page.text(failure.thrown.front().type);
  page.put("</title><style>");
  page.put(kStyle);
  page.put("</style></head><body><main>");
  put_thrown(page, failure);
  put_route(page, request, failure);
  put_request(page, request);
  page.put(
      "<p class=\"soft\">Shown only on this machine, by <code>development_page()</code>.</p>"
      "</main></body></html>\n");
  return std::move(page).take();
}

/// Adds members to the problem document (RFC 9457, section 3.2).
void extend_problem(const Request& request, Response& response,
                    const FailureNote::Failure& failure) {
  auto problem = json::read<json::Value>(response.body());
  if (!problem || !problem->is_object()) {
    return;
  }
  json::Value::Array thrown;
  for (const Thrown& one : failure.thrown) {
    thrown.push_back(json::object({{"type", one.type}, {"text", one.text}}));
  }
  (*problem)["exceptions"] = std::move(thrown);
  (*problem)["route"] = request.route();
  (*problem)["where"] = failure.where;
  response.set_body(json::to_text(*problem));
}

void show_failure(const Request& request, Response& response) {
  const auto* const note = request.find<FailureNote>();
  if (note == nullptr || note->failure().thrown.empty() || !is_server_error(response.status()) ||
      !is_in_memory(response)) {
    return;
  }
  response.replace_header("Cache-Control", "no-store");
  if (choose_media_type(request.headers(), kShownAs) != 1) {
    extend_problem(request, response, note->failure());
    return;
  }
  static const std::string kPolicy =
      "default-src 'none'; style-src 'sha256-" + to_base64(to_view(sha256(kStyle))) +
      "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  response.remove_header("Content-Encoding").replace_header("Content-Security-Policy", kPolicy);
  response.set_body(page_of(request, note->failure())).set_static_type(kTextHtml);
}

}  // namespace

ClientHook development_page() {
  return {[](const ProxyTrust& trust) {
    return Hook{.on_request =
                    [&trust](Request& request, Response& /*response*/) {
                      if (is_of_this_machine(request, trust)) {
                        request.set(FailureNote());
                      }
                      return true;
                    },
                .on_response = show_failure,
                .name = "development_page"};
  }};
}

}  // namespace eider
