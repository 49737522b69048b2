#include "eider/web/proxy/upstream_headers.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "eider/protocols/http/grammar.h"
#include "eider/web/proxy/forwarding.h"

namespace eider {

UpstreamHeaders& UpstreamHeaders::set(std::string name, std::string value) {
  if (!is_token(name) || !is_field_value(value)) {
    throw std::invalid_argument("UpstreamHeaders: '" + name + "' or its value is invalid in HTTP");
  }
  if (detail::proxy::is_set_by_proxy(name)) {
    throw std::invalid_argument("UpstreamHeaders: the proxy itself sets " + name);
  }
  std::erase_if(
      all_, [&](const UpstreamHeader& each) { return detail::proxy::is_alike(each.name, name); });
  all_.push_back({std::move(name), std::move(value)});
  return *this;
}

bool UpstreamHeaders::has(std::string_view name) const noexcept {
  return std::ranges::any_of(all_, [name](const UpstreamHeader& each) {
    return detail::proxy::is_alike(each.name, name);
  });
}

}  // namespace eider
