#include "eider/protocols/http/h1/target.h"

#include "eider/core/base/text.h"
#include "eider/protocols/http/h1/fields_parse.h"

namespace eider::h1::detail {

namespace {

/// absolute-form = scheme "://" authority path-abempty [ "?" query ]; only the http schemes.
std::string_view without_scheme(std::string_view target) noexcept {
  for (const std::string_view scheme :
       {std::string_view("http://"), std::string_view("https://")}) {
    if (equals_ignoring_case(target.substr(0, scheme.size()), scheme)) {
      return target.substr(scheme.size());
    }
  }
  return {};
}

bool split_absolute(RequestHead& head) noexcept {
  const std::string_view rest = without_scheme(head.target);
  const std::size_t host_bytes = rest.find_first_of("/?");
  head.form = TargetForm::absolute;
  head.authority = rest.substr(0, host_bytes);
  if (!is_host(head.authority)) {
    return false;
  }
  const std::string_view tail = rest.substr(head.authority.size());
  const std::size_t path_bytes = tail.find('?');
  head.path = tail.substr(0, path_bytes);
  head.query =
      path_bytes == std::string_view::npos ? std::string_view() : tail.substr(path_bytes + 1);
  if (head.path.empty()) {
    // RFC 9112, section 3.2.4: OPTIONS without path and query refers to the server as a whole.
    head.path = head.method == Method::options && tail.empty() ? "*" : "/";
  }
  return !head.path.contains('\\');
}

/// authority-form = uri-host ":" port, both required.
bool split_authority(RequestHead& head) noexcept {
  head.form = TargetForm::authority;
  head.authority = head.target;
  // CONNECT has no default port, so it is required (RFC 9110, 9.3.6).
  return is_host(head.target) && is_digit(head.target.back()) &&
         head.target.substr(0, head.target.find_last_of("]:") + 1).ends_with(':');
}

}  // namespace

bool split_target(RequestHead& head) noexcept {
  if (head.method == Method::connect) {
    return split_authority(head);
  }
  if (head.target == "*") {
    head.form = TargetForm::asterisk;
    head.path = head.target;
    return head.method == Method::options;
  }
  return split_absolute(head);
}

}  // namespace eider::h1::detail
