#include "eider/io/tls/certificate_text.h"

#include <arpa/inet.h>
#include <openssl/x509v3.h>

#include <array>
#include <ctime>
#include <optional>

#include "eider/core/base/base64.h"
#include "eider/io/tls/openssl.h"

namespace eider::detail::tls {

namespace {

void free_names(GENERAL_NAMES* names) noexcept {
  GENERAL_NAMES_free(names);
}
using NamesPtr = std::unique_ptr<GENERAL_NAMES, Freer<&free_names>>;
using NumberPtr = std::unique_ptr<BIGNUM, Freer<&BN_free>>;

NamesPtr names_of(X509& certificate) {
  return NamesPtr(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
}

std::string_view bytes_of(const ASN1_STRING& text) noexcept {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(&text)),
          static_cast<std::size_t>(ASN1_STRING_length(&text))};
}

std::string address_text(std::string_view bytes) {
  constexpr std::size_t kV4Bytes = 4;
  constexpr std::size_t kV6Bytes = 16;
  if (bytes.size() != kV4Bytes && bytes.size() != kV6Bytes) {
    return "?";
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(bytes.size() == kV4Bytes ? AF_INET : AF_INET6, bytes.data(), text.data(), text.size());
  return text.data();
}

/// Returns "DNS:a.example"; nothing for kinds of names that services do not need.
std::optional<std::string> name_text(const GENERAL_NAME& name) {
  int kind = 0;
  const auto* value = static_cast<const ASN1_STRING*>(GENERAL_NAME_get0_value(&name, &kind));
  switch (kind) {
    case GEN_DNS:
      return "DNS:" + std::string(bytes_of(*value));
    case GEN_EMAIL:
      return "email:" + std::string(bytes_of(*value));
    case GEN_URI:
      return "URI:" + std::string(bytes_of(*value));
    case GEN_IPADD:
      return "IP:" + address_text(bytes_of(*value));
    default:
      return std::nullopt;
  }
}

std::vector<std::string> all_names(X509& certificate) {
  std::vector<std::string> found;
  const NamesPtr names = names_of(certificate);
  for (int index = 0; names != nullptr && index < sk_GENERAL_NAME_num(names.get()); ++index) {
    if (auto text = name_text(*sk_GENERAL_NAME_value(names.get(), index))) {
      found.push_back(*std::move(text));
    }
  }
  return found;
}

/// Formats a name as in RFC 4514: the most significant part last, separators escaped, UTF-8
/// unchanged.
std::string distinguished_name(X509_NAME& name) {
  const BioPtr text(BIO_new(BIO_s_mem()));
  ensure_memory(text.get());
  constexpr unsigned long kFlags =
      XN_FLAG_RFC2253 & ~static_cast<unsigned long>(ASN1_STRFLGS_ESC_MSB);
  X509_NAME_print_ex(text.get(), &name, 0, kFlags);
  char* bytes = nullptr;
  const long count = BIO_get_mem_data(text.get(), &bytes);
  return count <= 0 ? std::string() : std::string(bytes, static_cast<std::size_t>(count));
}

std::string serial_of(X509& certificate) {
  const NumberPtr number(ASN1_INTEGER_to_BN(X509_get0_serialNumber(&certificate), nullptr));
  ensure_memory(number.get());
  std::string bytes(static_cast<std::size_t>(BN_num_bytes(number.get())), '\0');
  BN_bn2bin(number.get(), reinterpret_cast<unsigned char*>(bytes.data()));
  return bytes.empty() ? "00" : to_hex(bytes);
}

}  // namespace

ClientCertificate describe(X509& certificate) {
  return {.subject = distinguished_name(*X509_get_subject_name(&certificate)),
          .issuer = distinguished_name(*X509_get_issuer_name(&certificate)),
          .names = all_names(certificate),
          .fingerprint = fingerprint(certificate),
          .serial = serial_of(certificate)};
}

std::vector<std::string> dns_names(X509& certificate) {
  constexpr std::string_view kKind = "DNS:";
  std::vector<std::string> found;
  for (const std::string& name : all_names(certificate)) {
    if (name.starts_with(kKind)) {
      found.push_back(name.substr(kKind.size()));
    }
  }
  return found;
}

std::string fingerprint(X509& certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned bytes = 0;
  X509_digest(&certificate, EVP_sha256(), digest.data(), &bytes);
  return to_hex({reinterpret_cast<const char*>(digest.data()), bytes});
}

std::string time_text(const ASN1_TIME& time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(&time, &parts) != 1) {
    return "an unknown time";
  }
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

}  // namespace eider::detail::tls
