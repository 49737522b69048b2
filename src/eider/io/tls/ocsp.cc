#include "eider/io/tls/ocsp.h"

#include <openssl/ocsp.h>

#include "eider/io/tls/identity.h"

namespace eider::detail::tls {

namespace {

using ResponsePtr = std::unique_ptr<OCSP_RESPONSE, Freer<&OCSP_RESPONSE_free>>;
using BasicPtr = std::unique_ptr<OCSP_BASICRESP, Freer<&OCSP_BASICRESP_free>>;
using IdPtr = std::unique_ptr<OCSP_CERTID, Freer<&OCSP_CERTID_free>>;

/// Where an answer names no end, clients take it for about this long.
constexpr std::time_t kUnlimitedSeconds = std::time_t{24} * 60 * 60;

std::unexpected<Error> trouble(std::string what) {
  ERR_clear_error();
  return fail(Error::unavailable(std::move(what)));
}

std::time_t to_seconds(const ASN1_GENERALIZEDTIME& time) noexcept {
  std::tm parts{};
  return ASN1_TIME_to_tm(&time, &parts) == 1 ? timegm(&parts) : 0;
}

/// The part of the answer about `certificate`, whatever digest its authority names it with.
OCSP_SINGLERESP* find_single(OCSP_BASICRESP& basic, X509& certificate, X509& issuer) {
  for (int index = 0; index < OCSP_resp_count(&basic); ++index) {
    OCSP_SINGLERESP* const single = OCSP_resp_get0(&basic, index);
    const OCSP_CERTID* const theirs = OCSP_SINGLERESP_get0_id(single);
    ASN1_OBJECT* digest = nullptr;
    OCSP_id_get0_info(nullptr, &digest, nullptr, nullptr, const_cast<OCSP_CERTID*>(theirs));
    const EVP_MD* const method = EVP_get_digestbyobj(digest);
    const IdPtr ours(method == nullptr ? nullptr : OCSP_cert_to_id(method, &certificate, &issuer));
    if (ours != nullptr && OCSP_id_cmp(ours.get(), theirs) == 0) {
      return single;
    }
  }
  return nullptr;
}

Result<OcspAnswer> read_single(OCSP_SINGLERESP& single, std::time_t now) {
  ASN1_GENERALIZEDTIME* from = nullptr;
  ASN1_GENERALIZEDTIME* until = nullptr;
  if (OCSP_single_get0_status(&single, nullptr, nullptr, &from, &until) != V_OCSP_CERTSTATUS_GOOD) {
    return trouble("it does not say that the certificate is good");
  }
  // An answer without an end is shown for a day only, as clients would take it.
  const std::time_t end = until == nullptr ? now + kUnlimitedSeconds : to_seconds(*until);
  if (end <= now) {
    return trouble("it is too old; fetch a new one");
  }
  return OcspAnswer{.until = end};
}

}  // namespace

Result<OcspAnswer> check_ocsp(const std::string& der, const Identity& identity, std::time_t now) {
  if (sk_X509_num(identity.chain.get()) == 0) {
    return trouble("the issuer's certificate is not in the certificate's file");
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  const ResponsePtr response(d2i_OCSP_RESPONSE(nullptr, &bytes, static_cast<long>(der.size())));
  if (response == nullptr) {
    return trouble("it is no OCSP response in DER");
  }
  const BasicPtr basic(OCSP_response_get1_basic(response.get()));
  // The status of the response is looked at beside its content: an error has none.
  if (basic == nullptr || OCSP_response_status(response.get()) != OCSP_RESPONSE_STATUS_SUCCESSFUL) {
    return trouble("it is no successful OCSP response");
  }
  X509& issuer = *sk_X509_value(identity.chain.get(), 0);
  OCSP_SINGLERESP* const single = find_single(*basic, *identity.certificate, issuer);
  if (single == nullptr) {
    return trouble("it is about another certificate");
  }
  return read_single(*single, now);
}

}  // namespace eider::detail::tls
