#include "eider/io/tls/server_responses.h"

#include <algorithm>
#include <array>

#include <openssl/tls1.h>

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
  // One byte before the name is for the star of the wildcard.
  std::array<char, kNameBytesMax + 1> room{};
  if (name.empty() || name.size() > kNameBytesMax) {
    return {};
  }
  std::ranges::transform(name, room.begin() + 1, to_lower);
  const std::string_view lower(room.data() + 1, name.size());
  // An exact name comes before a wildcard.
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

namespace {

void free_responses(void*, void* responses, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<ServerResponses*>(responses);
}

int responses_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, free_responses);
  return index;
}

/// Our order comes first: the client's order is only a preference (RFC 7301, section 3.2).
int choose_protocol(SSL* ssl, const unsigned char** chosen, unsigned char* chosen_bytes,
                    const unsigned char* offered, unsigned offered_bytes, void*) {
  const std::vector<std::uint8_t>& ours = responses_of(ssl).protocols;
  unsigned char* found = nullptr;
  const int outcome =
      SSL_select_next_proto(&found, chosen_bytes, ours.data(), static_cast<unsigned>(ours.size()),
                            offered, offered_bytes);
  *chosen = found;
  return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// returns  1 to continue, 0 to end with an internal error
int choose_certificate(SSL* ssl, void*) {
  const ServerResponses& responses = responses_of(ssl);
  const char* const name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  const auto found = responses.names.find(name == nullptr ? "" : name);
  if (found.empty()) {
    return 1;  // the default certificate
  }
  // Remove the default certificates first: otherwise OpenSSL would choose among all of them.
  SSL_certs_clear(ssl);
  const bool are_shown = std::ranges::all_of(found, [&](std::size_t index) {
    return show_identity(*ssl, *responses.identities[index]).has_value();
  });
  return are_shown ? 1 : 0;
}

const Identity* chosen_identity(const ServerResponses& responses, const SSL* ssl) {
  const X509* const shown = SSL_get_certificate(ssl);
  const auto found = std::ranges::find_if(
      responses.identities, [&](const auto& one) { return one->certificate.get() == shown; });
  return found == responses.identities.end() ? nullptr : found->get();
}

/// The client has requested an OCSP response (RFC 6066, section 8).
int staple(SSL* ssl, void*) {
  const ServerResponses& responses = responses_of(ssl);
  const Identity* const identity = chosen_identity(responses, ssl);
  if (identity == nullptr || identity->ocsp.empty() ||
      responses.clock.wall() >= identity->ocsp_until) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  void* const copy = OPENSSL_memdup(identity->ocsp.data(), identity->ocsp.size());
  if (copy == nullptr) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  SSL_set_tlsext_status_ocsp_resp(ssl, copy, static_cast<long>(identity->ocsp.size()));
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

const ServerResponses& responses_of(const SSL* ssl) noexcept {
  return *static_cast<const ServerResponses*>(
      SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), responses_index()));
}

void attach(SSL_CTX& context, std::unique_ptr<ServerResponses> responses) {
  if (!responses->protocols.empty()) {
    SSL_CTX_set_alpn_select_cb(&context, choose_protocol, nullptr);
  }
  if (!responses->names.empty()) {
    SSL_CTX_set_cert_cb(&context, choose_certificate, nullptr);
  }
  SSL_CTX_set_tlsext_status_cb(&context, staple);
  SSL_CTX_set_tlsext_ticket_key_evp_cb(&context, protect_ticket);
  // The context owns the responses only if this has succeeded.
  if (SSL_CTX_set_ex_data(&context, responses_index(), responses.get()) == 1) {
    static_cast<void>(responses.release());
  } else {
    ensure_memory(nullptr);
  }
}

}  // namespace eider::detail::tls
