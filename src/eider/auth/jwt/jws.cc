#include "eider/auth/jwt/jws.h"

#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/text.h"
#include "eider/core/json/members.h"
#include "eider/core/json/write.h"

namespace eider::detail::jwt {

namespace {

std::unexpected<JwtError> malformed(std::string why) {
  return fail(JwtError{JwtFault::malformed, "the token is malformed: " + std::move(why)});
}

/// Returns nothing if the member exists, but is not a string or is too long.
std::optional<std::optional<std::string>> short_text(const json::Value& header,
                                                     std::string_view name) {
  const json::Value* member = header.find(name);
  if (member == nullptr) {
    return std::optional<std::string>();
  }
  if (!member->is_string() || member->text().size() > kKeyIdBytesMax) {
    return std::nullopt;
  }
  return std::optional(member->text());
}

std::string_view without_application(std::string_view type) noexcept {
  constexpr std::string_view kPrefix = "application/";
  const bool has_prefix = type.size() >= kPrefix.size() &&
                          equals_ignoring_case(type.substr(0, kPrefix.size()), kPrefix);
  return has_prefix ? type.substr(kPrefix.size()) : type;
}

Result<Jws, JwtError> read_header(std::string_view text) {
  const auto header = json::read_object(text, kForeignObject);
  if (!header) {
    return malformed("its header is not a JSON object");
  }
  if (header->find("crit") != nullptr) {
    return malformed("its header has 'crit', but no extension is supported");
  }
  const auto known = parse_jwt_algorithm(json::text_member(*header, "alg").value_or(""));
  if (!known) {
    return malformed("its 'alg' is not supported");
  }
  auto key_id = short_text(*header, "kid");
  auto type = short_text(*header, "typ");
  if (!key_id || !type) {
    return malformed("its 'kid' or 'typ' is not a string, or too long");
  }
  return Jws{.algorithm = *known,
             .key_id = std::move(*key_id),
             .type = std::move(*type),
             .payload = {},
             .signature = {},
             .signed_part = {}};
}

}  // namespace

Result<Jws, JwtError> parse_jws(std::string_view token, std::size_t bytes_max) {
  if (token.size() > bytes_max) {
    return malformed("it has more than " + std::to_string(bytes_max) + " bytes");
  }
  const std::size_t first = token.find('.');
  const std::size_t second = token.find('.', first == std::string_view::npos ? first : first + 1);
  if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos) {
    return malformed("it does not have three parts");
  }
  const auto header = from_base64url(token.substr(0, first));
  auto payload = from_base64url(token.substr(first + 1, second - first - 1));
  auto signature = from_base64url(token.substr(second + 1));
  if (!header || !payload || !signature || signature->empty()) {
    return malformed("a part is not valid base64url");
  }
  auto jws = read_header(*header);
  if (jws) {
    jws->payload = std::move(*payload);
    jws->signature = std::move(*signature);
    jws->signed_part = token.substr(0, second);
  }
  return jws;
}

std::string signed_part_of(JwtAlgorithm algorithm, std::string_view key_id, std::string_view type,
                           std::string_view payload) {
  json::Value header = json::object({{"alg", to_text(algorithm)}});
  if (!type.empty()) {
    header["typ"] = type;
  }
  if (!key_id.empty()) {
    header["kid"] = key_id;
  }
  return to_base64url(json::to_text(header)) + "." + to_base64url(payload);
}

bool is_same_type(std::string_view typ, std::string_view wanted) noexcept {
  return equals_ignoring_case(without_application(typ), without_application(wanted));
}

}  // namespace eider::detail::jwt
