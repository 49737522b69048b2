#include "eider/proxy/detail/forwarding.h"

#include <algorithm>
#include <array>

#include "eider/base/text.h"

namespace eider::detail {

namespace {

constexpr std::string_view kVia = "1.1 eider";

bool is_one_of(std::span<const std::string_view> names, std::string_view name) noexcept {
  return std::ranges::any_of(
      names, [name](std::string_view each) { return equals_ignoring_case(each, name); });
}

constexpr std::array<std::string_view, 9> kHop{"Connection",
                                               "Keep-Alive",
                                               "Proxy-Connection",
                                               "Proxy-Authenticate",
                                               "Proxy-Authorization",
                                               "TE",
                                               "Trailer",
                                               "Transfer-Encoding",
                                               "Upgrade"};

/// What the client towards the upstream says by itself, or what is said anew.
constexpr std::array<std::string_view, 8> kRequestAnew{"Host",
                                                       "Content-Length",
                                                       "Expect",
                                                       "Via",
                                                       "X-Forwarded-For",
                                                       "X-Forwarded-Proto",
                                                       "X-Forwarded-Host",
                                                       "Forwarded"};
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
    if (!equals_ignoring_case(field.name, "Connection")) {
      continue;
    }
    for (std::string_view rest = field.value; !rest.empty();) {
      const std::size_t comma = rest.find(',');
      named_.push_back(trimmed(rest.substr(0, comma)));
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
  }
}

bool HopFields::has(std::string_view name) const noexcept {
  return is_one_of(kHop, name) || is_one_of(named_, name);
}

void forward_request_fields(const Request& request, ForwardedTrust trust, const TakeField& take) {
  const HopFields hop(request.headers());
  for (const Field& field : request.headers()) {
    if (!hop.has(field.name) && !is_one_of(kRequestAnew, field.name)) {
      take(field.name, field.value);
    }
  }
  take_forwarded(request, trust, take);
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

std::string_view behind_prefix(const RequestHead& head, std::size_t segments) noexcept {
  const std::size_t at = head.target.find(head.path);
  std::string_view rest = at == std::string_view::npos ? head.path : head.target.substr(at);
  for (std::size_t left = segments; left != 0; --left) {
    const std::size_t end = rest.find_first_of("/?", 1);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end);
  }
  return rest;
}

}  // namespace eider::detail
