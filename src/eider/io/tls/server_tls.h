// The TLS of a server, with files that are reloaded while it runs.
// Layering: must not touch open connections: each keeps the context that it was made with.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "eider/core/base/log.h"
#include "eider/io/tls/server_context.h"
#include "eider/io/tls/tls.h"

namespace eider::detail::tls {

/// Identifies the version of a file. All zeros if there is no file.
struct FileStamp {
  dev_t device = 0;
  ino_t inode = 0;
  off_t bytes = 0;
  /// Nanoseconds since 1970: of the content, and of the inode (a rename).
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;

  friend bool operator==(const FileStamp&, const FileStamp&) noexcept = default;
};

/// The files are checked when a connection arrives, at most once a second. So no thread, timer or
/// descriptor is needed, links may be changed anywhere in the path, and an idle server loads
/// nothing. The thread that finds a change loads it, which takes some milliseconds.
class ServerTls final : public SealMaker {
 public:
  static constexpr Duration kLookEvery = std::chrono::seconds(1);

  /// errors  as for make_server_tls
  [[nodiscard]] static Result<std::shared_ptr<ServerTls>> make(const TlsOptions& options,
                                                               LogSink* log, TlsClock clock = {});

  [[nodiscard]] std::unique_ptr<Seal> make() override;
  /// A handshake starts with the byte 22 (RFC 8446, section 5.1), an HTTP request with a letter.
  [[nodiscard]] bool may_begin(std::string_view first) const noexcept override {
    return first.front() < 'A' || first.front() > 'Z';
  }

 private:
  /// A certificate: its files, and the last valid contents.
  struct Source {
    TlsCertificate files;
    std::array<FileStamp, 3> stamps;
    std::shared_ptr<const Identity> identity;
  };

  ServerTls(TlsOptions options, LogSink* log, TlsClock clock);

  [[nodiscard]] static std::array<FileStamp, 3> stamps_of(const TlsCertificate& files) noexcept;
  [[nodiscard]] Result<void> load_all();
  [[nodiscard]] Result<void> load(Source& source);
  [[nodiscard]] Result<void> renew_context();
  [[nodiscard]] bool reload(Source& source);
  [[nodiscard]] bool reload_changed();
  void use_self_signed();
  void look_again();
  void say(LogLevel level, std::string_view line) const noexcept;
  [[nodiscard]] SslPtr new_ssl();

  const TlsOptions options_;
  LogSink* const log_;
  const TlsClock clock_;
  const std::shared_ptr<TicketKeys> ticket_keys_;

  std::atomic<Instant> next_look_;
  std::mutex looking_;
  // Protected by `looking_`:
  std::vector<Source> sources_;
  FileStamp authorities_stamp_;

  std::mutex exchanging_;  // locked only to copy or replace the pointer
  SslContextPtr context_;
};

}  // namespace eider::detail::tls
