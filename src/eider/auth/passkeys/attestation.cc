#include "eider/auth/passkeys/attestation.h"

#include <openssl/asn1.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <memory>
#include <optional>

#include "eider/auth/passkeys/cbor.h"
#include "eider/core/base/failure.h"
#include "eider/io/tls/key_parts.h"

namespace eider::detail::passkeys {

namespace {

using ObjectPtr = std::unique_ptr<ASN1_OBJECT, tls::Freer<&ASN1_OBJECT_free>>;
using StorePtr = std::unique_ptr<X509_STORE, tls::Freer<&X509_STORE_free>>;
using StoreContextPtr = std::unique_ptr<X509_STORE_CTX, tls::Freer<&X509_STORE_CTX_free>>;

/// id-fido-gen-ce-aaguid
constexpr const char* kAaguidExtension = "1.3.6.1.4.1.45724.1.1.4";
constexpr std::string_view kUnit = "Authenticator Attestation";
constexpr std::size_t kCertificatesMax = 8;
constexpr std::size_t kCertificateBytesMax = std::size_t{8} << 10U;

std::unexpected<PasskeyError> refuse_statement(PasskeyFault fault, const char* text) {
  return fail(PasskeyError{fault, text});
}
std::unexpected<PasskeyError> bad(const char* text) {
  return refuse_statement(PasskeyFault::bad_attestation, text);
}

/// Returns the bytes of one whole CBOR item without reading it.
std::optional<std::string_view> take_item(CborReader& reader) {
  const std::string_view before = reader.rest();
  return reader.skip() ? std::optional(before.substr(0, before.size() - reader.rest().size()))
                       : std::nullopt;
}

/// Sets a member; returns false if it was already set.
template <class T>
bool set_once(std::optional<T>& member, std::optional<T> value) {
  const bool is_new = !member && value;
  member = std::move(value);
  return is_new;
}

tls::CertificatePtr parse_certificate(std::string_view der) {
  if (der.size() > kCertificateBytesMax) {
    return nullptr;
  }
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const auto* const end = at + der.size();
  tls::CertificatePtr certificate(d2i_X509(nullptr, &at, static_cast<long>(der.size())));
  return at == end ? std::move(certificate) : nullptr;
}

tls::CertificatesPtr new_certificates() {
  tls::CertificatesPtr certificates(sk_X509_new_null());
  tls::ensure_memory(certificates.get());
  return certificates;
}

void add(STACK_OF(X509) * certificates, tls::CertificatePtr certificate) {
  if (sk_X509_push(certificates, certificate.get()) == 0) {
    throw std::bad_alloc();
  }
  (void)certificate.release();
}

/// Reads `x5c`, the certificate of the authenticator first. Null if it is invalid.
tls::CertificatesPtr read_certificates(CborReader& reader) {
  const auto count = reader.array();
  if (!count || *count == 0 || *count > kCertificatesMax) {
    return nullptr;
  }
  tls::CertificatesPtr certificates = new_certificates();
  for (std::size_t index = 0; index < *count; ++index) {
    const auto der = reader.bytes();
    tls::CertificatePtr certificate = der ? parse_certificate(*der) : nullptr;
    // Any client can send certificates, and each may be verified with the key of the next one, so
    // the keys are limited.
    if (certificate == nullptr || !tls::fault_of_key(X509_get0_pubkey(certificate.get())).empty()) {
      return nullptr;
    }
    add(certificates.get(), std::move(certificate));
  }
  return certificates;
}

/// certificates  null: self attestation, signed by the credential itself
struct PackedStatement {
  std::optional<std::int64_t> algorithm = {};
  std::optional<std::string_view> signature = {};
  tls::CertificatesPtr certificates = {};
};

bool read_packed_member(CborReader& reader, PackedStatement& statement) {
  const auto name = reader.text();
  if (name == "alg") {
    return set_once(statement.algorithm, reader.integer());
  }
  if (name == "sig") {
    return set_once(statement.signature, reader.bytes());
  }
  if (name != "x5c" || statement.certificates != nullptr) {
    return false;
  }
  statement.certificates = read_certificates(reader);
  return statement.certificates != nullptr;
}

std::optional<PackedStatement> read_packed(std::string_view bytes) {
  CborReader reader(bytes);
  PackedStatement statement;
  const std::size_t members = reader.map().value_or(0);
  for (std::size_t index = 0; index < members; ++index) {
    if (!read_packed_member(reader, statement)) {
      return std::nullopt;
    }
  }
  const bool is_whole = statement.algorithm && statement.signature && reader.is_at_end();
  return is_whole ? std::optional(std::move(statement)) : std::nullopt;
}

/// Returns the first entry of the subject with that name; empty if there is none.
std::string_view subject_entry(X509* certificate, int nid) {
  X509_NAME* const subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, nid, -1);
  if (at < 0) {
    return {};
  }
  const ASN1_STRING* text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<std::size_t>(ASN1_STRING_length(text))};
}

/// Returns whether the certificate's model, if it names one, is this one, in an extension that is
/// not critical.
bool has_model(X509* certificate, std::string_view aaguid) {
  const ObjectPtr name(OBJ_txt2obj(kAaguidExtension, 1));
  tls::ensure_memory(name.get());
  const int at = X509_get_ext_by_OBJ(certificate, name.get(), -1);
  if (at < 0) {
    return true;
  }
  X509_EXTENSION* const extension = X509_get_ext(certificate, at);
  const ASN1_OCTET_STRING* value = X509_EXTENSION_get_data(extension);
  const std::string_view bytes(reinterpret_cast<const char*>(ASN1_STRING_get0_data(value)),
                               static_cast<std::size_t>(ASN1_STRING_length(value)));
  std::string wanted("\x04\x10");  // an OCTET STRING within
  wanted.append(aaguid);
  return X509_EXTENSION_get_critical(extension) == 0 && bytes == wanted;
}

/// "8.2.1. Packed Attestation Statement Certificate Requirements"
bool is_attestation_certificate(X509* certificate, std::string_view aaguid) {
  constexpr long kVersion3 = 2;
  constexpr std::size_t kCountryLetters = 2;
  const std::uint32_t facts = X509_get_extension_flags(certificate);
  return X509_get_version(certificate) == kVersion3 &&
         subject_entry(certificate, NID_countryName).size() == kCountryLetters &&
         !subject_entry(certificate, NID_organizationName).empty() &&
         subject_entry(certificate, NID_organizationalUnitName) == kUnit &&
         !subject_entry(certificate, NID_commonName).empty() && (facts & EXFLAG_INVALID) == 0 &&
         (facts & EXFLAG_BCONS) != 0 && (facts & EXFLAG_CA) == 0 && has_model(certificate, aaguid);
}

/// Returns the algorithm if the key is suitable for it.
std::optional<CoseAlgorithm> algorithm_of(std::int64_t number, const EVP_PKEY* key) {
  const auto algorithm = static_cast<CoseAlgorithm>(number);
  const char* kind = nullptr;
  switch (algorithm) {
    case CoseAlgorithm::es256:
      kind = "EC";
      break;
    case CoseAlgorithm::eddsa:
      kind = "ED25519";
      break;
    case CoseAlgorithm::rs256:
      kind = "RSA";
      break;
  }
  return kind != nullptr && key != nullptr && EVP_PKEY_is_a(key, kind) == 1
             ? std::optional(algorithm)
             : std::nullopt;
}

Result<std::string, PasskeyError> verify_packed(const Attested& attested,
                                                const AttestationRoots& roots, std::int64_t now) {
  const auto statement = read_packed(attested.object.statement);
  if (!statement) {
    return bad("its packed attestation cannot be read");
  }
  std::string signed_bytes(attested.object.data);
  signed_bytes.append(attested.client_hash);
  if (statement->certificates == nullptr) {
    if (*statement->algorithm != static_cast<std::int64_t>(attested.key.algorithm) ||
        !verify_signature(attested.key.algorithm, attested.key.key.get(), signed_bytes,
                          *statement->signature)) {
      return bad("its self-attestation has an invalid signature");
    }
    return "self";
  }
  X509* const certificate = sk_X509_value(statement->certificates.get(), 0);
  EVP_PKEY* const key = X509_get0_pubkey(certificate);
  const auto algorithm = algorithm_of(*statement->algorithm, key);
  if (!algorithm || !verify_signature(*algorithm, key, signed_bytes, *statement->signature)) {
    return bad("its attestation has an invalid signature");
  }
  if (!is_attestation_certificate(certificate, attested.data.credential->aaguid)) {
    return bad("its certificate does not belong to its authenticator model");
  }
  return roots.vouch_for(statement->certificates.get(), now) ? "certified" : "none";
}

}  // namespace

Result<AttestationObject, PasskeyError> parse_attestation_object(std::string_view bytes) {
  constexpr std::size_t kMembersMax = 16;
  CborReader reader(bytes);
  std::optional<std::string_view> format;
  std::optional<std::string_view> statement;
  std::optional<std::string_view> data;
  const auto members = reader.map();
  bool is_good = members && *members <= kMembersMax;
  for (std::size_t index = 0; is_good && index < *members; ++index) {
    const auto name = reader.text();
    if (name == "fmt") {
      is_good = set_once(format, reader.text());
    } else if (name == "attStmt") {
      is_good = reader.peek() == CborReader::Kind::map && set_once(statement, take_item(reader));
    } else if (name == "authData") {
      is_good = set_once(data, reader.bytes());
    } else {
      is_good = name && reader.skip();  // such as "epAtt" of CTAP 2.1
    }
  }
  if (!is_good || !format || !statement || !data || !reader.is_at_end()) {
    return refuse_statement(PasskeyFault::malformed, "its attestation object cannot be read");
  }
  return AttestationObject{*format, *statement, *data};
}

AttestationRoots::AttestationRoots(const std::string& pem) : certificates_(new_certificates()) {
  const tls::BioPtr in(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  tls::ensure_memory(in.get());
  while (X509* const read = PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr)) {
    add(certificates_.get(), tls::CertificatePtr(read));
  }
  const unsigned long error = ERR_peek_last_error();
  const bool is_at_end = ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  tls::forget_openssl_errors();
  if (!is_at_end || sk_X509_num(certificates_.get()) == 0) {
    throw Failure(Error::internal("passkeys: `attestation_roots` is not a list of certificates"));
  }
}

bool AttestationRoots::vouch_for(STACK_OF(X509) * chain, std::int64_t now) const {
  if (is_empty()) {
    return false;
  }
  const StoreContextPtr context(X509_STORE_CTX_new());
  const StorePtr none(X509_STORE_new());
  tls::ensure_memory(context.get());
  tls::ensure_memory(none.get());
  X509_STORE_CTX_init(context.get(), none.get(), sk_X509_value(chain, 0), chain);
  X509_STORE_CTX_set0_trusted_stack(context.get(), certificates_.get());
  // The trusted certificate may be the manufacturer's, or the authenticator's own, whoever issued
  // it.
  X509_STORE_CTX_set_flags(context.get(), X509_V_FLAG_PARTIAL_CHAIN);
  X509_STORE_CTX_set_time(context.get(), 0, static_cast<time_t>(now));
  const bool is_good = X509_verify_cert(context.get()) == 1;
  tls::forget_openssl_errors();
  return is_good;
}

Result<std::string, PasskeyError> verify_attestation(const Attested& attested,
                                                     const AttestationRoots& roots,
                                                     std::int64_t now) {
  if (attested.object.format == "packed") {
    auto verified = verify_packed(attested, roots, now);
    tls::forget_openssl_errors();
    return verified;
  }
  if (attested.object.format != "none") {
    return "none";
  }
  CborReader statement(attested.object.statement);
  if (statement.map() != 0U || !statement.is_at_end()) {
    return bad("its attestation \"none\" must be empty");
  }
  return "none";
}

}  // namespace eider::detail::passkeys
