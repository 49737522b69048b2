// A server's seals, from files that are looked at again while it runs.
// Must not touch connections that stand: each keeps the context that it was made with.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "eider/base/log.h"
#include "eider/tls/detail/file_stamp.h"
#include "eider/tls/detail/server_context.h"
#include "eider/tls/tls.h"

namespace eider::detail {

/// The files are looked at when a connection comes, at most once a second: no thread, timer or
/// descriptor is needed, links may be exchanged anywhere on the path, and who accepts nothing needs
/// no new certificate. The thread that finds a change loads it, which takes some milliseconds.
class ServerTls final : public SealMaker {
 public:
  static constexpr Duration kLookEvery = std::chrono::seconds(1);

  /// errors  as make_server_tls
  ///
  /// kernel  null: it knows no TLS
  [[nodiscard]] static Result<std::shared_ptr<ServerTls>> make(
      const TlsOptions& options, LogSink* log, TlsClock clock = {},
      KernelTls* kernel = kernel_tls(), TlsEarlyData early = TlsEarlyData::refused);

  [[nodiscard]] std::unique_ptr<Seal> make() override;
  /// A handshake begins with the byte 22 (RFC 8446, section 5.1), a request with a letter.
  [[nodiscard]] bool may_begin(std::string_view first) const noexcept override {
    return first.front() < 'A' || first.front() > 'Z';
  }

 private:
  /// One of the certificates: its files, and what they held when they were last good.
  struct Source {
    TlsCertificate files;
    std::array<FileStamp, 3> stamps;
    std::shared_ptr<const Identity> identity;
  };

  ServerTls(TlsOptions options, LogSink* log, TlsClock clock, KernelTls* kernel);

  [[nodiscard]] static std::array<FileStamp, 3> stamps_of(const TlsCertificate& files) noexcept;
  [[nodiscard]] Result<void> load_all();
  [[nodiscard]] Result<void> load(Source& source);
  [[nodiscard]] Result<void> renew_context();
  [[nodiscard]] bool reload(Source& source);
  [[nodiscard]] bool reload_changed();
  void use_self_signed();
  void look_again();
  void say_who_encrypts() const noexcept;
  void say(LogLevel level, std::string_view line) const noexcept;
  [[nodiscard]] SslPtr new_ssl();

  const TlsOptions options_;
  LogSink* const log_;
  const TlsClock clock_;
  KernelTls* const kernel_;
  const std::shared_ptr<TicketKeys> ticket_keys_;
  /// Null: no early data is taken.
  std::shared_ptr<EarlyRecord> early_record_;

  std::atomic<Instant> next_look_;
  std::mutex looking_;
  // Under `looking_`:
  std::vector<Source> sources_;
  FileStamp authorities_stamp_;

  std::mutex exchanging_;  // for as long as it takes to count a reference
  SslContextPtr context_;
};

}  // namespace eider::detail
