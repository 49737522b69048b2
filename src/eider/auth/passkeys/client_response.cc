#include <algorithm>
#include <utility>

#include "eider/auth/passkeys/relying_party.h"
#include "eider/core/base/base64.h"
#include "eider/core/json/members.h"

namespace eider::detail::passkeys {

namespace {

std::unexpected<PasskeyError> bad_response(const char* text) {
  return fail(PasskeyError{PasskeyFault::malformed, text});
}

/// Returns whether the word looks like a transport: "hybrid", "smart-card". Other texts are
/// ignored, because browsers may send any.
bool is_transport(std::string_view word) {
  constexpr std::size_t kBytesMax = 32;
  return !word.empty() && word.size() <= kBytesMax && std::ranges::all_of(word, [](char one) {
    return (one >= 'a' && one <= 'z') || one == '-';
  });
}

std::string read_transports(const json::Value& response) {
  constexpr std::size_t kCountMax = 8;
  const json::Value* list = response.find("transports");
  std::string words;
  std::size_t count = 0;
  if (list == nullptr || !list->is_array()) {
    return words;
  }
  for (const json::Value& word : list->elements()) {
    if (word.is_string() && is_transport(word.text()) && count++ < kCountMax) {
      words.append(words.empty() ? "" : " ").append(word.text());
    }
  }
  return words;
}

/// Reads the members that differ between registration and login.
bool read_response(const json::Value& response, CeremonyKind kind, CredentialResponse& result) {
  const bool is_login = kind == CeremonyKind::login;
  auto client_data = json::bytes_member(response, "clientDataJSON");
  auto data = json::bytes_member(response, is_login ? "authenticatorData" : "attestationObject");
  if (!client_data || !data) {
    return false;
  }
  result.client_data = std::move(*client_data);
  result.data = std::move(*data);
  if (!is_login) {
    result.transports = read_transports(response);
    return true;
  }
  auto signature = json::bytes_member(response, "signature");
  const json::Value* handle = response.find("userHandle");
  if (!signature || (handle != nullptr && !handle->is_null() && !handle->is_string())) {
    return false;
  }
  result.signature = std::move(*signature);
  if (handle != nullptr && handle->is_string()) {
    result.user_handle = handle->text();
  }
  return true;
}

}  // namespace

Result<CredentialResponse, PasskeyError> parse_credential_response(std::string_view json,
                                                                   CeremonyKind kind) {
  const auto whole = json::read_object(json, json_limits(kResponseBytesMax));
  const json::Value* credential = whole ? whole->find("credential") : nullptr;
  const json::Value* response = credential != nullptr ? credential->find("response") : nullptr;
  const auto ticket = whole ? json::text_member(*whole, "ticket") : std::nullopt;
  if (response == nullptr || !ticket) {
    return bad_response("it is not an object with a credential and a ticket");
  }
  const auto id = json::text_member(*credential, "id");
  const auto bytes = json::bytes_member(*credential, "rawId");
  if (json::text_member(*credential, "type") != "public-key" || !id || !bytes || bytes->empty() ||
      bytes->size() > kCredentialIdBytesMax || *id != to_base64url(*bytes)) {
    return bad_response("the type or the id of its credential is invalid");
  }
  CredentialResponse result{
      .ticket = std::string(*ticket), .id = std::string(*id), .client_data = {}, .data = {}};
  if (!read_response(*response, kind, result)) {
    return bad_response("a member of its response is missing or has the wrong type");
  }
  return result;
}

}  // namespace eider::detail::passkeys
