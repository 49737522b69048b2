// What the process that serves tells whoever has asked it by SIGUSR2: `eider upgrade` waits for it.
// Must not make it wait, nor be needed: its log says the same.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "eider/base/result.h"
#include "eider/runtime/descriptor.h"

namespace eider::detail::server {

/// successor  the process that serves from now on; 0: none does
/// why        none does, as a clause
struct UpgradeWord {
  pid_t successor = 0;
  std::string why{};
};

/// Each program that understands SIGUSR2 holds it.
[[nodiscard]] std::string_view upgrade_mark() noexcept;

/// This process's word, for whoever listens for it; nothing happens where nobody does.
void tell_upgrade(pid_t successor, std::string_view why) noexcept;

/// Who has asked, or is about to: one at a time for each process, on the same machine and, where
/// containers keep them apart, in the same network.
class UpgradeAsker {
 public:
  /// errors   somebody else listens: why
  [[nodiscard]] static Result<UpgradeAsker, std::string> listen(pid_t service);

  /// Readable when a word may have come.
  [[nodiscard]] int fd() const noexcept { return socket_.get(); }
  /// Never waits. What another process than the service has sent is no word.
  [[nodiscard]] std::optional<UpgradeWord> heard() const;

 private:
  UpgradeAsker(pid_t service, Descriptor socket) noexcept
      : service_(service), socket_(std::move(socket)) {}

  pid_t service_;
  Descriptor socket_;
};

}  // namespace eider::detail::server
