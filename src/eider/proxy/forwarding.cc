#include "eider/proxy/detail/forwarding.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "eider/base/text.h"

namespace eider::detail {

namespace {

constexpr std::string_view kVia = "1.1 eider";
constexpr std::string_view kMaxForwards = "Max-Forwards";

/// CGI and its heirs make one variable of "Content-Length" and "Content_Length".
bool is_alike(std::string_view known, std::string_view name) noexcept {
  if (known.size() != name.size()) {
    return false;
  }
  return std::ranges::equal(known, name, [](char one, char other) {
    return to_lower(one) == (other == '_' ? '-' : to_lower(other));
  });
}

bool is_one_of(std::span<const std::string_view> names, std::string_view name) noexcept {
  return std::ranges::any_of(names, [name](std::string_view each) { return is_alike(each, name); });
}

constexpr std::array<std::string_view, 8> kHop{
    "Connection",          "Keep-Alive", "Proxy-Connection",  "Proxy-Authenticate",
    "Proxy-Authorization", "TE",         "Transfer-Encoding", "Upgrade"};

/// What the client towards the upstream says by itself, or what is said anew.
constexpr std::array<std::string_view, 10> kRequestAnew{
    "Host",      "Content-Length",  "Trailer",           "Expect",
    "Via",       "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host",
    "Forwarded", "Early-Data"};
/// What the server towards the client says by itself, or what is said anew.
constexpr std::array<std::string_view, 6> kAnswerAnew{"Content-Length", "Content-Type", "Date",
                                                      "Server",         "Via",          "Alt-Svc"};

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

/// Calls `take` with each element of a comma-separated list.
template <class Take>
void for_each_element(std::string_view list, const Take& take) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    take(trimmed(list.substr(0, comma)));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
}

/// All values of that name, joined by commas, and one more.
std::string extended(std::span<const Field> fields, std::string_view name, std::string_view last) {
  std::string all;
  for (const Field& field : fields) {
    if (equals_ignoring_case(field.name, name)) {
      all.append(field.value).append(", ");
    }
  }
  return all.append(last);
}

bool is_counted(const Request& request) noexcept {
  return request.method() == Method::options;
}

std::optional<std::uint64_t> forwards_left(std::string_view value) noexcept {
  const bool is_number = !value.empty() && std::ranges::all_of(value, is_digit);
  return is_number ? parse_uint64(value).value_or(std::numeric_limits<std::uint32_t>::max())
                   : std::optional<std::uint64_t>();
}

/// RFC 9110, section 7.6.2: one less, or as much as is known here. What is no number says nothing.
void take_forwards(std::string_view value, const TakeField& take) {
  if (const auto left = forwards_left(value); left && *left != 0) {
    take(kMaxForwards, std::to_string(*left - 1));
  }
}

void take_forwarded(const Request& request, ForwardedTrust trust, const TakeField& take) {
  const bool is_believed = trust == ForwardedTrust::some;
  const std::string peer = request.remote_address();
  const std::string_view address = peer.empty() ? std::string_view("unknown") : peer;
  take("X-Forwarded-For", is_believed ? extended(request.headers(), "X-Forwarded-For", address)
                                      : std::string(address));
  const auto believed = [&](std::string_view name) {
    return is_believed ? request.header(name) : std::nullopt;
  };
  take("X-Forwarded-Proto",
       believed("X-Forwarded-Proto").value_or(request.secured_by() ? "https" : "http"));
  take("X-Forwarded-Host", believed("X-Forwarded-Host").value_or(request.head().authority));
}

}  // namespace

HopFields::HopFields(std::span<const Field> fields) {
  for (const Field& field : fields) {
    if (equals_ignoring_case(field.name, "Connection")) {
      for_each_element(field.value, [this](std::string_view name) { named_.push_back(name); });
    }
  }
}

bool HopFields::has(std::string_view name) const noexcept {
  return is_one_of(kHop, name) || is_one_of(named_, name);
}

void forward_request_fields(const Request& request, ForwardedTrust trust, const TakeField& take) {
  const HopFields hop(request.headers());
  for (const Field& field : request.headers()) {
    if (hop.has(field.name) || is_one_of(kRequestAnew, field.name)) {
      continue;
    }
    if (is_counted(request) && is_alike(kMaxForwards, field.name)) {
      take_forwards(field.value, take);
    } else {
      take(field.name, field.value);
    }
  }
  take_forwarded(request, trust, take);
  // RFC 8470, section 5.1: one that was there "MUST NOT" be removed; doubled or odd ones count as
  // this one.
  if (request.is_early()) {
    take("Early-Data", "1");
  }
  take("Via", extended(request.headers(), "Via", kVia));
}

void forward_answer_fields(std::span<const Field> fields, const TakeField& take) {
  const HopFields hop(fields);
  for (const Field& field : fields) {
    if (!hop.has(field.name) && !is_one_of(kAnswerAnew, field.name)) {
      take(field.name, field.value);
    }
  }
  take("Via", extended(fields, "Via", kVia));
}

bool welcomes_trailers(const Request& request) noexcept {
  bool is_found = false;
  for_each_element(request.header("TE").value_or(""), [&](std::string_view coding) {
    is_found |= equals_ignoring_case(trimmed(coding.substr(0, coding.find(';'))), "trailers");
  });
  return is_found && request.head().minor_version != 0;
}

bool has_come_far_enough(const Request& request) noexcept {
  const auto value = is_counted(request) ? request.header(kMaxForwards) : std::nullopt;
  return value && forwards_left(*value) == 0U;
}

std::string_view behind_prefix(const RequestHead& head, std::size_t segments) noexcept {
  std::string_view rest = head.target;
  if (head.form == TargetForm::absolute) {
    constexpr std::string_view kBehindScheme = "://";
    rest.remove_prefix(rest.find(kBehindScheme) + kBehindScheme.size() + head.authority.size());
  }
  for (std::size_t left = segments; left != 0; --left) {
    const std::size_t end = rest.find_first_of("/?", 1);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end);
  }
  return rest;
}

std::string target_of(const HttpUrl& base, std::string_view behind) {
  std::string target = base.target == "/" ? std::string() : base.target;
  if (target.empty() && !behind.starts_with('/')) {
    target.push_back('/');
  }
  return target.append(behind);
}

}  // namespace eider::detail
