#include "eider/io/tls/server_tls.h"

#include <sys/stat.h>

#include <algorithm>
#include <string>
#include <utility>

#include "eider/io/tls/certificate_text.h"
#include "eider/io/tls/seal_engine.h"

namespace eider::detail::tls {

namespace {

std::int64_t to_ns(const timespec& time) noexcept {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  return std::int64_t{time.tv_sec} * kNsPerSecond + time.tv_nsec;
}

/// Follows links, such as those that certbot and Kubernetes replace. An empty path has no file.
FileStamp stamp_of(const std::string& path) noexcept {
  struct stat found{};
  if (path.empty() || ::stat(path.c_str(), &found) != 0) {
    return {};
  }
  return {.device = found.st_dev,
          .inode = found.st_ino,
          .bytes = found.st_size,
          .modified_ns = to_ns(found.st_mtim),
          .changed_ns = to_ns(found.st_ctim)};
}

}  // namespace

ServerTls::ServerTls(TlsOptions options, LogSink* log, TlsClock clock)
    : options_(std::move(options)),
      log_(log),
      clock_(clock),
      ticket_keys_(std::make_shared<TicketKeys>(clock.steady())),
      next_look_(clock.steady() + kLookEvery) {}

Result<std::shared_ptr<ServerTls>> ServerTls::make(const TlsOptions& options, LogSink* log,
                                                   TlsClock clock) {
  std::shared_ptr<ServerTls> made(new ServerTls(options, log, clock));
  if (Result<void> loaded = made->load_all(); !loaded) {
    return fail(loaded.error());
  }
  return made;
}

Result<void> ServerTls::load_all() {
  sources_.push_back({.files = options_.certificate, .stamps = {}, .identity = nullptr});
  for (const TlsCertificate& files : options_.additional_certificates) {
    sources_.push_back({.files = files, .stamps = {}, .identity = nullptr});
  }
  for (Source& source : sources_) {
    if (Result<void> loaded = load(source); !loaded) {
      return loaded;
    }
  }
  authorities_stamp_ = stamp_of(options_.client_authorities);
  return renew_context();
}

std::array<FileStamp, 3> ServerTls::stamps_of(const TlsCertificate& files) noexcept {
  return {stamp_of(files.certificate), stamp_of(files.key), stamp_of(files.ocsp)};
}

/// Take the stamps before reading the files, so that a change in between is found next time.
Result<void> ServerTls::load(Source& source) {
  source.stamps = stamps_of(source.files);
  if (source.files.certificate.empty()) {
    use_self_signed();
    return {};
  }
  Result<Identity> identity = load_identity(source.files, clock_.wall());
  if (!identity) {
    return fail(identity.error());
  }
  for (const std::string& warning : identity->warnings) {
    say(LogLevel::warning, warning);
  }
  source.identity = std::make_shared<const Identity>(*std::move(identity));
  return {};
}

void ServerTls::use_self_signed() {
  auto made = std::make_shared<const Identity>(make_self_signed(clock_.wall()));
  say(LogLevel::warning,
      "TLS: no certificate is configured, so the server uses a new self-signed certificate for "
      "localhost, which no client trusts. Use self-signed certificates only for development. "
      "SHA-256 " +
          fingerprint(*made->certificate));
  sources_.front().identity = std::move(made);
}

Result<void> ServerTls::renew_context() {
  ServerContextParts parts{.identities = {},
                           .client_authorities = nullptr,
                           .clients = options_.clients,
                           .protocols = options_.protocols,
                           .version_min = options_.version_min,
                           .ticket_keys = ticket_keys_,
                           .clock = clock_};
  std::ranges::transform(sources_, std::back_inserter(parts.identities), &Source::identity);
  if (options_.clients != TlsClients::anonymous) {
    Result<CertificatesPtr> authorities = load_certificates(options_.client_authorities);
    if (!authorities) {
      return fail(authorities.error());
    }
    parts.client_authorities = *std::move(authorities);
  }
  Result<SslContextPtr> made = make_server_context(std::move(parts));
  if (!made) {
    return fail(made.error());
  }
  // The lock is held only for the exchange; the old context is freed after it.
  const std::lock_guard exchanging(exchanging_);
  context_.swap(*made);
  return {};
}

/// returns  whether there is a new identity; errors in the files are only logged
bool ServerTls::reload(Source& source) {
  if (source.files.certificate.empty() || stamps_of(source.files) == source.stamps) {
    return false;
  }
  if (Result<void> loaded = load(source); !loaded) {
    say(LogLevel::warning, loaded.error().detail() + "; the previous certificate stays in use");
    return false;
  }
  return true;
}

bool ServerTls::reload_changed() {
  bool has_changed = false;
  for (Source& source : sources_) {
    // Check each source, even if an earlier one has changed.
    has_changed = reload(source) || has_changed;
  }
  const FileStamp authorities = stamp_of(options_.client_authorities);
  return std::exchange(authorities_stamp_, authorities) != authorities || has_changed;
}

void ServerTls::look_again() {
  const Instant now = clock_.steady();
  // Called for each connection: it costs more than a look at the clock only once a second.
  if (now < next_look_.load(std::memory_order_relaxed)) {
    return;
  }
  const std::unique_lock looking(looking_, std::try_to_lock);
  // Another thread may have checked between the two tests.
  if (!looking.owns_lock() || now < next_look_.load(std::memory_order_relaxed)) {
    return;  // another thread is checking
  }
  // Set the next check first, so that other threads do not wait for a slow load.
  next_look_.store(now + kLookEvery, std::memory_order_relaxed);
  if (!reload_changed()) {
    return;
  }
  if (Result<void> renewed = renew_context(); renewed) {
    say(LogLevel::info, "TLS: certificates reloaded");
  } else {
    say(LogLevel::warning, renewed.error().detail() + "; the previous certificates stay in use");
  }
}

void ServerTls::say(LogLevel level, std::string_view line) const noexcept {
  if (log_ != nullptr) {
    log_->write(level, line);
  }
}

SslPtr ServerTls::new_ssl() {
  SslContextPtr mine;
  {
    const std::lock_guard exchanging(exchanging_);
    // Reference the context under the lock, because the exchange may free it.
    SSL_CTX_up_ref(context_.get());
    mine.reset(context_.get());
  }
  return make_ssl(mine.get(), SSL_set_accept_state);
}

std::unique_ptr<Seal> ServerTls::make() {
  look_again();
  return std::make_unique<SealEngine>(new_ssl());
}

}  // namespace eider::detail::tls

namespace eider {

Result<std::shared_ptr<SealMaker>> make_server_tls(const TlsOptions& options, LogSink* log) {
  return detail::tls::ServerTls::make(options, log);
}

}  // namespace eider
