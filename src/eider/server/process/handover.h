// The messages between a process and its successor: sockets, ready, go.
// Layering: must not start a process, and serves no requests.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/time.h"
#include "eider/server/process/sent_descriptors.h"

namespace eider::detail::server {

/// The environment variable with the descriptor of the new process's end of the channel.
inline constexpr std::string_view kHandoverVariable = "EIDER_HANDOVER";

/// The environment variable with the index of a supervisor's worker: 0, 1, ….
inline constexpr std::string_view kWorkerVariable = "EIDER_WORKER";

enum class HandoverWord : char {
  sockets = 'S',   // from the old process: listening sockets of one address, with its name
  all_sent = 'A',  // from the old process: all sockets were sent
  ready = 'R',     // from the new process: it accepts; its process ID and its addresses
  // From the old process: it accepts no more. To a worker: the supervisor owns the sockets now.
  go = 'G',
  // From a supervisor to a worker:
  stop = 'T',         // finish, and exit: no other process listens
  handed_over = 'H',  // the same, but other processes listen
  alive = 'L',        // from a worker to its supervisor: all of its loops have run
};

struct HandoverMessage {
  HandoverWord word;
  std::string text;
  std::vector<Descriptor> sockets;  // close-on-exec
};

/// One end of a SOCK_SEQPACKET socket. The other end may close at any time.
class HandoverChannel {
 public:
  /// The kernel rejects messages with more sockets.
  static constexpr std::size_t kSocketsMax = SentDescriptors::kMost;

  HandoverChannel() = default;
  explicit HandoverChannel(Descriptor end) noexcept : end_(std::move(end)) {}

  /// Sends without waiting.
  ///
  /// returns  false if the other end is closed, or does not read
  [[nodiscard]] bool send(HandoverWord word, std::string_view text,
                          std::span<const int> sockets = {}) const noexcept;
  /// Waits for a message for at most `within`.
  ///
  /// returns  nothing if none has arrived, or none will: see is_over
  [[nodiscard]] std::optional<HandoverMessage> receive(Duration within);

  [[nodiscard]] bool is_over() const noexcept { return is_over_ || !end_.is_open(); }
  [[nodiscard]] int fd() const noexcept { return end_.get(); }

 private:
  Descriptor end_;
  bool is_over_ = false;
};

}  // namespace eider::detail::server
