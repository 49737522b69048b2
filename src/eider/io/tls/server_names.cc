#include "eider/io/tls/server_names.h"

#include <algorithm>
#include <array>

#include "eider/core/base/text.h"

namespace eider::detail::tls {

namespace {

constexpr std::size_t kNameBytesMax = 253;  // RFC 1035, section 2.3.4, without the last dot
constexpr std::string_view kAnyLabel = "*.";

bool is_name(std::string_view name) noexcept {
  const std::string_view fixed = name.starts_with(kAnyLabel) ? name.substr(2) : name;
  return !fixed.empty() && name.size() <= kNameBytesMax &&
         fixed.find_first_of("* ") == std::string_view::npos;
}

}  // namespace

void ServerNames::add(std::string_view name, std::size_t index) {
  if (is_name(name)) {
    indexes_[std::string(name)].push_back(index);
  }
}

std::span<const std::size_t> ServerNames::find(std::string_view name) const {
  if (name.ends_with('.')) {
    name.remove_suffix(1);
  }
  // In front of the name there is room for the wildcard's star.
  std::array<char, kNameBytesMax + 1> room{};
  if (name.empty() || name.size() > kNameBytesMax) {
    return {};
  }
  std::ranges::transform(name, room.begin() + 1, to_lower);
  const std::string_view lower(room.data() + 1, name.size());
  // A name of its own comes before a wildcard.
  if (const auto exact = indexes_.find(lower); exact != indexes_.end()) {
    return exact->second;
  }
  const std::size_t dot = lower.find('.');
  if (dot == std::string_view::npos || dot == 0) {
    return {};
  }
  room[dot] = '*';  // the last byte of the first label
  const auto any = indexes_.find(std::string_view(room.data() + dot, lower.size() - dot + 1));
  return any == indexes_.end() ? std::span<const std::size_t>{} : any->second;
}

}  // namespace eider::detail::tls
