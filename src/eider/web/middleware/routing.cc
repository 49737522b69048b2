#include "eider/web/middleware/routing.h"

#include <optional>
#include <string_view>
#include <utility>

#include "eider/core/base/url.h"
#include "eider/protocols/http/method.h"
#include "eider/protocols/http/target.h"

namespace eider {

namespace {

std::string_view without_slashes(std::string_view path) noexcept {
  while (path.size() > 1 && path.ends_with('/')) {
    path.remove_suffix(1);
  }
  return path;
}

/// Returns the value without decoding; escaped values do not match any method.
std::string_view in_query(std::string_view query, std::string_view name) noexcept {
  QueryReader pairs(query);
  while (const auto pair = pairs.next()) {
    if (pair->name == name) {
      return pair->value;
    }
  }
  return {};
}

/// Methods are case-sensitive (RFC 9110, section 9.1).
std::optional<Method> other_method(std::string_view name) noexcept {
  for (const Method method : {Method::put, Method::patch, Method::delete_}) {
    if (to_text(method) == name) {
      return method;
    }
  }
  return std::nullopt;
}

/// A browser reads a path that starts with two slashes as "//host", and treats '\' like '/' (WHATWG
/// URL, "relative slash state").
bool names_a_host(std::string_view path) noexcept {
  return path.size() > 1 && (path[1] == '/' || path[1] == '\\');
}

}  // namespace

Rewrite method_override(MethodOverride options) {
  return {.function =
              [options = std::move(options)](RequestHead& head) {
                if (head.method != Method::post) {
                  return;
                }
                std::string_view named = head.find(options.header).value_or("");
                if (named.empty() && !options.parameter.empty()) {
                  named = in_query(head.query, options.parameter);
                }
                head.method = other_method(named).value_or(Method::post);
              },
          .name = "method_override"};
}

Rewrite ignore_slashes() {
  return {.function = [](RequestHead& head) { head.path = without_slashes(head.path); },
          .name = "ignore_slashes"};
}

Hook redirect_slashes() {
  return {.on_request =
              [](Request& request, Response&) {
                // The path that the client sent: a rewrite may have removed a language.
                const std::string_view asked = asked_path(request.target());
                const std::string_view path = without_slashes(asked);
                if (request.route().empty() && path != asked && !names_a_host(path)) {
                  std::string location(path);
                  if (!request.query().empty()) {
                    location.append("?").append(request.query());
                  }
                  request.set(RedirectIfFound{.path = without_slashes(request.path()),
                                              .location = std::move(location)});
                }
                return true;
              },
          .name = "redirect_slashes"};
}

}  // namespace eider
