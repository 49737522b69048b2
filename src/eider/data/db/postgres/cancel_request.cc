#include "eider/data/db/postgres/cancel_request.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "eider/io/runtime/connect.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/sync.h"

namespace eider::db::postgres {
namespace {

using eider::detail::tls::octets;

// Both requests have a length, and a code instead of the protocol version: 1234 and a number.
constexpr std::array<std::uint32_t, 2> kCancelHead = {16, 80877102};
constexpr std::array<std::uint32_t, 2> kTlsRequest = {8, 80877103};

std::string bytes_of(std::span<const std::uint32_t> numbers) {
  std::string bytes;
  for (const std::uint32_t number : numbers) {
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
      bytes += static_cast<char>(number >> shift & 0xFFU);
    }
  }
  return bytes;
}

/// Sends the request once the connection is encrypted, if it uses TLS, and waits for the end.
class CancelLine final : public StreamOwner {
 public:
  CancelLine(Loop& loop, std::string request, CancelTls tls)
      : stream_(loop, *this), request_(std::move(request)), tls_(std::move(tls)) {}

  void open(Descriptor fd) {
    stream_.open(std::move(fd));
    if (tls_.ssl == nullptr) {
      is_sent_ = true;
      stream_.output().append(request_);
    } else {
      stream_.output().append(bytes_of(kTlsRequest));
    }
  }
  [[nodiscard]] AsyncEvent& over() noexcept { return over_; }

 private:
  void on_bytes(std::string_view bytes) override {
    if (tls_.ssl == nullptr || is_sent_) {
      return;
    }
    if (!std::exchange(is_asked_, true)) {
      if (bytes != "S") {  // the server does not support TLS, or sent too much
        return over_.set();
      }
      bytes = {};
    }
    BIO_write(SSL_get_rbio(tls_.ssl.get()), bytes.data(), static_cast<int>(bytes.size()));
    shake_hands();
  }

  void shake_hands() {
    SSL* const ssl = tls_.ssl.get();
    ERR_clear_error();
    const int done = SSL_do_handshake(ssl);
    if (done != 1 && SSL_get_error(ssl, done) != SSL_ERROR_WANT_READ) {
      return over_.set();
    }
    if (done == 1) {
      const X509* const shown = SSL_get0_peer_certificate(ssl);
      if (shown == nullptr || X509_cmp(shown, tls_.certificate.get()) != 0 ||
          SSL_write(ssl, octets(request_), static_cast<int>(request_.size())) <= 0) {
        return over_.set();
      }
      is_sent_ = true;
    }
    char* written = nullptr;
    const long size = BIO_get_mem_data(SSL_get_wbio(ssl), &written);
    stream_.output().append({written, static_cast<std::size_t>(size)});
    (void)BIO_reset(SSL_get_wbio(ssl));
  }

  void on_end() override { over_.set(); }
  void on_drained() override {}
  void on_broken(NetError /*error*/) override { over_.set(); }

  Stream stream_;
  std::string request_;
  CancelTls tls_;
  bool is_asked_ = false;
  bool is_sent_ = false;
  AsyncEvent over_;
};

Task<> ask(SocketAddress server, std::string request, CancelTls tls, Duration limit,
           bool* is_pending) {
  auto connected = co_await connect(server, limit);
  if (!connected) {
    co_return;
  }
  CancelLine line(Loop::current(), std::move(request), std::move(tls));
  *is_pending = true;
  line.open(std::move(*connected));
  co_await line.over().wait();
  *is_pending = false;
}

/// Removes the number at the start of `text`, and the byte after it.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  text.remove_prefix(text.empty() ? 0 : 1);
  return static_cast<std::uint32_t>(number);  // the trace has a signed number
}

std::optional<BackendKey> find_key(std::string_view trace) {
  constexpr std::string_view kName = "BackendKeyData\t ";
  const std::size_t at = trace.rfind(kName);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  trace.remove_prefix(at + kName.size());
  const auto process = take_number(trace);
  const auto secret = take_number(trace);
  return process && secret ? std::optional(BackendKey{*process, *secret}) : std::nullopt;
}

}  // namespace

KeyListener::KeyListener(PGconn* connection)
    : connection_(connection), file_(::open_memstream(&text_, &bytes_)) {
  if (file_ != nullptr) {
    PQtrace(connection_, file_);
    PQsetTraceFlags(connection_, PQTRACE_SUPPRESS_TIMESTAMPS);
  }
}

KeyListener::~KeyListener() {
  (void)end();
}

std::optional<BackendKey> KeyListener::end() {
  if (file_ == nullptr) {
    return std::nullopt;
  }
  PQuntrace(connection_);
  (void)std::fclose(std::exchange(file_, nullptr));
  const auto key = find_key({text_, bytes_});
  std::free(std::exchange(text_, nullptr));
  return key;
}

CancelTls tls_like(PGconn* session) {
  using namespace eider::detail::tls;
  SSL* const ssl = static_cast<SSL*>(PQgetssl(session));
  if (ssl == nullptr) {
    return {};
  }
  CancelTls tls{.ssl = make_ssl(SSL_get_SSL_CTX(ssl), SSL_set_connect_state),
                .certificate = CertificatePtr(SSL_get1_peer_certificate(ssl))};
  BioPtr from_server(BIO_new(BIO_s_mem()));
  ensure_memory(from_server.get());
  BioPtr to_server(BIO_new(BIO_s_mem()));
  ensure_memory(to_server.get());
  SSL_set_bio(tls.ssl.get(), from_server.release(), to_server.release());
  // It must be the certificate of the session.
  SSL_set_verify(tls.ssl.get(), SSL_VERIFY_NONE, nullptr);
  if (const char* const name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name)) {
    SSL_set_tlsext_host_name(tls.ssl.get(), name);
  }
  return tls;
}

Task<bool> request_cancel(SocketAddress server, BackendKey key, CancelTls tls, Duration limit) {
  bool is_pending = false;
  const std::array<std::uint32_t, 4> request = {kCancelHead[0], kCancelHead[1], key.process,
                                                key.secret};
  Task<> asking = ask(std::move(server), bytes_of(request), std::move(tls), limit, &is_pending);
  (void)co_await with_deadline(std::move(asking), limit);
  co_return !is_pending;
}

}  // namespace eider::db::postgres
