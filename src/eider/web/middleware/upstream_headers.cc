#include "eider/web/middleware/upstream_headers.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"

namespace eider {

namespace detail::middleware {

bool is_alike(std::string_view known, std::string_view name) noexcept {
  const auto plain = [](char letter) {
    const char lower = to_lower(letter);
    return (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9') ? lower : '-';
  };
  return std::ranges::equal(known, name, {}, plain, plain);
}

bool begins_alike(std::string_view prefix, std::string_view name) noexcept {
  return is_alike(prefix, name.substr(0, prefix.size()));
}

bool is_one_of(std::span<const std::string_view> names, std::string_view name) noexcept {
  return std::ranges::any_of(names, [name](std::string_view each) { return is_alike(each, name); });
}

bool is_set_by_proxy(std::string_view name) noexcept {
  return is_one_of(kHop, name) || is_one_of(kRequestAnew, name) || is_one_of(kWay, name);
}

}  // namespace detail::middleware

namespace {

auto is_named(std::string_view name) noexcept {
  return
      [name](const UpstreamHeader& each) { return detail::middleware::is_alike(each.name, name); };
}

}  // namespace

UpstreamHeaders& UpstreamHeaders::set(std::string name, std::string value) {
  if (!is_token(name) || !is_field_value(value)) {
    throw std::invalid_argument("UpstreamHeaders: '" + name + "' or its value is invalid in HTTP");
  }
  if (detail::middleware::is_set_by_proxy(name)) {
    throw std::invalid_argument("UpstreamHeaders: the proxy itself sets " + name);
  }
  std::erase_if(all_, is_named(name));
  all_.push_back({std::move(name), std::move(value)});
  return *this;
}

void UpstreamHeaders::add_missing(const UpstreamHeaders& earlier) {
  for (const UpstreamHeader& header : earlier.all_) {
    if (!replaces(header.name)) {
      all_.push_back(header);
    }
  }
}

std::optional<std::string_view> UpstreamHeaders::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find_if(all_, is_named(name));
  return found == all_.end() || found->value.empty()
             ? std::nullopt
             : std::optional<std::string_view>(found->value);
}

bool UpstreamHeaders::replaces(std::string_view name) const noexcept {
  return std::ranges::any_of(all_, is_named(name));
}

}  // namespace eider
