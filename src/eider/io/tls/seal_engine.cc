#include "eider/io/tls/seal_engine.h"

#include <openssl/ssl.h>
#include <openssl/sslerr.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "eider/core/base/tls_info.h"
#include "eider/io/runtime/seal.h"
#include "eider/io/tls/certificate_text.h"
#include "eider/io/tls/openssl.h"
#include "eider/io/tls/tls_failure.h"

namespace eider::detail::tls {
namespace {

std::string protocol_of(const SSL& ssl) {
  const unsigned char* name = nullptr;
  unsigned bytes = 0;
  SSL_get0_alpn_selected(&ssl, &name, &bytes);
  return bytes == 0 ? std::string() : std::string(reinterpret_cast<const char*>(name), bytes);
}

std::string server_name_of(const SSL& ssl) {
  const char* name = SSL_get_servername(&ssl, TLSEXT_NAMETYPE_host_name);
  return name == nullptr ? "" : name;
}

/// Only a verified certificate identifies the client.
ClientCertificate client_of(const SSL& ssl) {
  X509* const certificate = SSL_get0_peer_certificate(&ssl);
  // A resumed session keeps the result of its verification, so this also works there.
  const bool is_known = SSL_is_server(&ssl) != 0 && certificate != nullptr &&
                        SSL_get_verify_result(&ssl) == X509_V_OK;
  return is_known ? describe(*certificate) : ClientCertificate{};
}

TlsFailure handshake_failure(int reason) noexcept {
  switch (reason) {
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_BAD_RECORD_TYPE:
      return TlsFailure::not_tls;
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_VERSION_TOO_LOW:
    case SSL_R_WRONG_SSL_VERSION:
    case SSL_R_UNKNOWN_PROTOCOL:
      return TlsFailure::version;
    case SSL_R_NO_SHARED_CIPHER:
    case SSL_R_NO_SHARED_GROUPS:
    case SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS:
    case SSL_R_NO_SUITABLE_DIGEST_ALGORITHM:
    case SSL_R_NO_SUITABLE_GROUPS:
    case SSL_R_NO_SUITABLE_KEY_SHARE:
    case SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM:
    case SSL_R_WRONG_CIPHER_RETURNED:
      return TlsFailure::algorithms;
    case SSL_R_NO_APPLICATION_PROTOCOL:
      return TlsFailure::protocol;
    case SSL_R_EXCESSIVE_MESSAGE_SIZE:
      return TlsFailure::too_large;
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return TlsFailure::certificate_missing;
    case SSL_R_EE_KEY_TOO_SMALL:
    case SSL_R_CA_KEY_TOO_SMALL:
    case SSL_R_CA_MD_TOO_WEAK:
    case SSL_R_DH_KEY_TOO_SMALL:
      return TlsFailure::certificate_weak;
    case SSL_R_DECRYPTION_FAILED:
    case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC:
#ifdef SSL_R_RECORD_LAYER_FAILURE
    case SSL_R_RECORD_LAYER_FAILURE:  // the last error that OpenSSL 3.2 and later report
#endif
      return TlsFailure::damaged;
    case SSL_R_TOO_MANY_KEY_UPDATES:
      return TlsFailure::too_many_updates;
    default:
      return TlsFailure::malformed;
  }
}

/// Pre: the handshake is complete.
TlsInfo facts_of(const SSL& ssl) {
  return {.version = SSL_get_version(&ssl),
          .cipher = SSL_CIPHER_standard_name(SSL_get_current_cipher(&ssl)),
          .protocol = protocol_of(ssl),
          .server_name = server_name_of(ssl),
          .is_resumed = SSL_session_reused(&ssl) != 0,
          .client = client_of(ssl)};
}

/// code  one of X509_V_ERR_*, not X509_V_OK
TlsFailure certificate_failure(long code) noexcept {
  switch (code) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return TlsFailure::certificate_expired;
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return TlsFailure::certificate_not_yet_valid;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return TlsFailure::certificate_self_signed;
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_UNTRUSTED:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return TlsFailure::certificate_untrusted;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return TlsFailure::certificate_name;
    case X509_V_ERR_EE_KEY_TOO_SMALL:
    case X509_V_ERR_CA_KEY_TOO_SMALL:
    case X509_V_ERR_CA_MD_TOO_WEAK:
      return TlsFailure::certificate_weak;
    case X509_V_ERR_CERT_REVOKED:
      return TlsFailure::certificate_revoked;
    default:
      return TlsFailure::certificate_refused;
  }
}

/// code  the entry of OpenSSL's error queue that ended the connection
TlsFailure failure_of(const SSL& ssl, unsigned long code) noexcept {
  const int reason = ERR_GET_REASON(code);
  if (reason == ERR_R_MALLOC_FAILURE || reason == ERR_R_INTERNAL_ERROR || code == 0) {
    return TlsFailure::internal;
  }
  if (ERR_GET_LIB(code) != ERR_LIB_SSL) {
    return TlsFailure::malformed;
  }
  if (reason >= SSL_AD_REASON_OFFSET) {
    return TlsFailure::refused_by_peer;
  }
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    return certificate_failure(SSL_get_verify_result(&ssl));
  }
  return handshake_failure(reason);
}

int read_from_seal(BIO* bio, char* into, std::size_t bytes_max, std::size_t* bytes) {
  auto& wire = *static_cast<SealWire*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  *bytes = std::min(bytes_max, wire.in.size());
  if (*bytes == 0) {
    BIO_set_retry_read(bio);
    // OpenSSL tries again when more has arrived: this is not an end.
    return -1;
  }
  std::memcpy(into, wire.in.data(), *bytes);
  wire.in.remove_prefix(*bytes);
  wire.bytes_read += *bytes;
  return 1;
}

/// Exceptions must not pass through OpenSSL's frames: without memory the write fails.
int write_to_seal(BIO* bio, const char* from, std::size_t bytes, std::size_t* written) {
  const auto& wire = *static_cast<SealWire*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  *written = 0;
  // Nothing may be written outside of a call, because it would not be sent.
  if (wire.out == nullptr) {
    return 0;
  }
  try {
    wire.out->append({from, bytes});
  } catch (const std::bad_alloc&) {
    return 0;
  }
  *written = bytes;
  return 1;
}

long control_seal(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

int create_seal_bio(BIO* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

using MethodPtr = std::unique_ptr<BIO_METHOD, Freer<&BIO_meth_free>>;

MethodPtr make_method() {
  MethodPtr method(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "eider seal"));
  ensure_memory(method.get());
  BIO_meth_set_read_ex(method.get(), read_from_seal);
  BIO_meth_set_write_ex(method.get(), write_to_seal);
  BIO_meth_set_ctrl(method.get(), control_seal);
  BIO_meth_set_create(method.get(), create_seal_bio);
  return method;
}

}  // namespace

BIO* new_seal_bio(SealWire& wire) {
  // Never freed, because connections may end after the program's static objects.
  static const BIO_METHOD* const method = make_method().release();
  BIO* bio = BIO_new(method);
  ensure_memory(bio);
  BIO_set_data(bio, &wire);
  return bio;
}

namespace {

constexpr std::size_t kRecordBytes = 16384;  // RFC 8446, section 5.1
/// Header, explicit nonce and tag of TLS 1.2, which is more than TLS 1.3 needs (RFC 5288).
constexpr std::size_t kRecordOverheadBytes = 5 + 8 + 16;

constexpr std::size_t sealed_bytes_max(std::size_t plaintext_bytes) noexcept {
  return plaintext_bytes + (plaintext_bytes / kRecordBytes + 1) * kRecordOverheadBytes;
}

/// A whole record: alert (21), TLS 1.2, two bytes: fatal (2), illegal_parameter (47). Valid only
/// before there are keys (RFC 8446, sections 5.1 and 6).
constexpr std::array<char, 7> kIllegalParameter{21, 3, 3, 0, 2, 2, 47};

/// Returns memory for received bytes, for any connection of this thread.
SpareBuffer& spare() noexcept {
  thread_local SpareBuffer memory;
  return memory;
}

/// Returns whether only more bytes are needed: there is no error (the queue was empty before the
/// call).
bool wants_more(const SSL& ssl) noexcept {
  return ERR_peek_error() == 0 && SSL_want_read(&ssl) != 0;
}

std::string_view words_of(const SSL& ssl, TlsFailure reason) noexcept {
  if (is_about_certificate(reason) && SSL_get_verify_result(&ssl) != X509_V_OK) {
    return X509_verify_cert_error_string(SSL_get_verify_result(&ssl));
  }
  const char* words = ERR_reason_error_string(ERR_peek_last_error());
  return words == nullptr ? "" : words;
}

}  // namespace

/// The setup of a call of OpenSSL: the output buffer, and an empty error queue.
class SealEngine::Call {
 public:
  Call(SealEngine& engine, Buffer& wire) noexcept : engine_(engine) {
    // The buffer belongs to the caller, and is valid only during the call.
    engine.wire_.out = &wire;
    forget_openssl_errors();
  }
  ~Call() { engine_.wire_.out = nullptr; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  SealEngine& engine_;
};

SealEngine::SealEngine(SslPtr ssl, std::unique_ptr<SessionKeeper> keeper)
    : wire_{.engine = this}, ssl_(std::move(ssl)), keeper_(std::move(keeper)) {
  BIO* const bio = new_seal_bio(wire_);
  SSL_set_bio(ssl_.get(), bio, bio);
}

/// A session can be resumed even if its connection ended without close_notify (RFC 5246, section
/// 7.2.1, unlike in TLS 1.0). OpenSSL ensures that a failed one cannot.
SealEngine::~SealEngine() {
  if (state_ == SealState::open) {
    // Otherwise OpenSSL would treat a session without a close as failed, and remove it.
    SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
  }
}

SealEngine& SealEngine::of(const SSL* ssl) noexcept {
  // The writing BIO may be behind a buffer of OpenSSL; the reading one is always ours.
  return *static_cast<SealWire*>(BIO_get_data(SSL_get_rbio(ssl)))->engine;
}

void SealEngine::prepare(SSL_CTX& context) noexcept {
  SSL_CTX_set_info_callback(&context, on_info);
  SSL_CTX_sess_set_new_cb(&context, on_session);
  // Idle connections keep no buffers for records.
  SSL_CTX_set_mode(&context, SSL_MODE_RELEASE_BUFFERS);
}

void SealEngine::on_info(const SSL* ssl, int where, int value) {
  SealEngine& engine = of(ssl);
  constexpr int kDescription = 0xff;
  // OpenSSL rejects a client that requests renegotiation; the connection ends after the call.
  if (where == SSL_CB_WRITE_ALERT && (value & kDescription) == SSL_AD_NO_RENEGOTIATION) {
    engine.refused_ = TlsFailure::renegotiation;
  } else if ((where & SSL_CB_LOOP) != 0 && engine.state_ == SealState::open) {
    engine.note_step();
  }
}

/// Counts steps of messages without plaintext: KeyUpdate, NewSessionTicket (RFC 8446, section 4.6).
void SealEngine::note_step() noexcept {
  if (++idle_steps_ > kIdleStepsMax) {
    refused_ = TlsFailure::too_many_updates;
  }
}

/// returns  1 if the session was kept, as OpenSSL requires
int SealEngine::on_session(SSL* ssl, SSL_SESSION* session) {
  const SealEngine& engine = of(ssl);
  if (engine.keeper_ == nullptr) {
    return 0;
  }
  // The keeper owns the session from now on; 1 informs OpenSSL.
  engine.keeper_->keep(SessionPtr(session));
  return 1;
}

void SealEngine::start(Buffer& wire) {
  const Call call(*this, wire);
  if (SSL_is_server(ssl_.get()) == 0) {
    shake_hands();
  }
}

SealState SealEngine::feed(std::string_view ciphertext, Buffer& wire) {
  if (state_ == SealState::handshaking) {
    const Call call(*this, wire);
    wire_.in = ciphertext;
    shake_hands();
    // The rest of these bytes belongs to the connection after the handshake.
    ciphertext = std::exchange(wire_.in, {});
  }
  if (state_ == SealState::open) {
    keep(ciphertext);
  }
  return state_;
}

void SealEngine::shake_hands() {
  if (SSL_do_handshake(ssl_.get()) == 1) {
    state_ = SealState::open;
  } else {
    note_lack_of_bytes();
  }
}

void SealEngine::note_lack_of_bytes() {
  if (!wants_more(*ssl_)) {
    fail();
    // Checked only if bytes are missing: a complete handshake may have been large.
  } else if (wire_.bytes_read > kHandshakeBytesMax) {
    refuse_large_handshake();
  }
}

void SealEngine::refuse_large_handshake() {
  const OSSL_HANDSHAKE_STATE state = SSL_get_state(ssl_.get());
  if (state == TLS_ST_BEFORE || state == TLS_ST_SR_CLNT_HELLO) {
    // OpenSSL has no keys yet, so the alert is written by hand; a later alert would need them.
    wire_.out->append({kIllegalParameter.data(), kIllegalParameter.size()});
  }
  fail(TlsFailure::too_large, {});
}

void SealEngine::keep(std::string_view ciphertext) {
  // The memory is lent before it is filled, so that an idle connection keeps none.
  spare().lend(kept_);
  // OpenSSL has read a part of the kept bytes: move the rest to the front before adding more.
  kept_.consume(kept_.size() - wire_.in.size());
  kept_.append(ciphertext);
  wire_.in = kept_.view();
}

std::size_t SealEngine::read(std::span<char> into, Buffer& wire) {
  // Checked first: SSL_pending crashes if a failed handshake has lost its record layer, which
  // happens in OpenSSL 3.2 and later when memory is short.
  if (state_ != SealState::open || has_ended_) {
    return 0;
  }
  // OpenSSL may still have plaintext if there is no ciphertext left.
  if (wire_.in.empty() && SSL_pending(ssl_.get()) == 0) {
    return 0;
  }
  const Call call(*this, wire);
  std::size_t bytes = 0;
  // Plaintext shows that the peer does not only update its keys.
  if (SSL_read_ex(ssl_.get(), into.data(), into.size(), &bytes) == 1) {
    idle_steps_ = 0;
  } else {
    note_end_of_reading();
  }
  // A callback must not end the connection, so its error is reported after the call.
  if (refused_ != TlsFailure::none) {
    fail(refused_, {});
    return 0;
  }
  drop_what_was_read();
  return bytes;
}

void SealEngine::note_end_of_reading() {
  if (wants_more(*ssl_)) {
    return;
  }
  // A fatal alert also counts as received shutdown, but leaves an error.
  if (ERR_peek_error() == 0 && (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0) {
    has_ended_ = true;
    // Nothing is read after close_notify (RFC 8446, 6.1).
    wire_.in = {};
  } else {
    fail();
  }
}

void SealEngine::drop_what_was_read() noexcept {
  if (wire_.in.empty()) {
    // The memory is reused for the next connection on this thread.
    spare().take_back(kept_);
  }
}

bool SealEngine::write(std::string_view plaintext, Buffer& wire) {
  if (!may_write() || plaintext.empty()) {
    return may_write();
  }
  const Call call(*this, wire);
  // Reserve the room first: OpenSSL writes record by record, and cannot undo that if memory is
  // missing.
  static_cast<void>(wire.reserve(sealed_bytes_max(plaintext.size())));
  if (!put(plaintext)) {
    fail();
  }
  return may_write();
}

bool SealEngine::put(std::string_view plaintext) {
  std::size_t bytes = 0;
  return SSL_write_ex(ssl_.get(), plaintext.data(), plaintext.size(), &bytes) == 1;
}

void SealEngine::end(Buffer& wire) {
  // Send close_notify only once.
  const bool has_said_so = (SSL_get_shutdown(ssl_.get()) & SSL_SENT_SHUTDOWN) != 0;
  if (state_ != SealState::open || has_said_so) {
    return;
  }
  const Call call(*this, wire);
  if (SSL_shutdown(ssl_.get()) < 0) {
    fail();
  }
}

std::string_view SealEngine::failure() const noexcept {
  return failure_ == nullptr ? std::string_view{} : std::string_view(*failure_);
}

TlsInfo SealEngine::tls() const {
  return facts_of(*ssl_);
}

void SealEngine::fail() {
  const TlsFailure reason = failure_of(*ssl_, ERR_peek_last_error());
  fail(reason, words_of(*ssl_, reason));
}

void SealEngine::fail(TlsFailure reason, std::string_view detail) {
  state_ = SealState::failed;
  reason_ = reason;
  std::string sentence(text(reason));
  if (!detail.empty()) {
    sentence.append(" (").append(detail).append(")");
  }
  // Store the reason before the buffers are freed, because it may view them.
  failure_ = std::make_unique<const std::string>(std::move(sentence));
  wire_.in = {};
  kept_.release();
}

}  // namespace eider::detail::tls
