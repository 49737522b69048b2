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

/// Where the new process finds the number of its end of the channel.
inline constexpr std::string_view kHandoverVariable = "EIDER_HANDOVER";

/// Where a process finds which worker of a supervisor it is: 0, 1, ….
inline constexpr std::string_view kWorkerVariable = "EIDER_WORKER";

enum class HandoverWord : char {
  sockets = 'S',   // old: listening sockets, and the place that they are of
  all_sent = 'A',  // old: that was all
  ready = 'R',     // new: it accepts; its process's number, and the places that it has taken
  go = 'G',        // old: the sockets are yours, I accept no more; to a worker: they are mine now
  // A supervisor to a worker.
  stop = 'T',         // finish, and end: nobody else listens
  handed_over = 'H',  // the same, but that others listen
  alive = 'L',        // a worker to its supervisor: all its loops have turned
};

struct HandoverMessage {
  HandoverWord word;
  std::string text;
  std::vector<Descriptor> sockets;  // close-on-exec
};

/// One end of a socket that keeps messages apart. The other end may vanish at any time.
class HandoverChannel {
 public:
  /// More sockets than this in a message, and the kernel refuses it.
  static constexpr std::size_t kSocketsMax = SentDescriptors::kMost;

  HandoverChannel() = default;
  explicit HandoverChannel(Descriptor end) noexcept : end_(std::move(end)) {}

  /// Never waits.
  ///
  /// returns  false when the other end is gone, or does not read
  [[nodiscard]] bool send(HandoverWord word, std::string_view text,
                          std::span<const int> sockets = {}) const noexcept;
  /// Waits for so long at most.
  ///
  /// returns  nothing when none has come, or none will: see is_over
  [[nodiscard]] std::optional<HandoverMessage> receive(Duration within);

  [[nodiscard]] bool is_over() const noexcept { return is_over_ || !end_.is_open(); }
  [[nodiscard]] int fd() const noexcept { return end_.get(); }

 private:
  Descriptor end_;
  bool is_over_ = false;
};

}  // namespace eider::detail::server
