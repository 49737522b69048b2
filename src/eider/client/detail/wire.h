// A connected socket on its way from the dialler to the protocol that it will speak.
// Must not know any protocol: whoever takes it over is told what comes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/client/client_error.h"
#include "eider/runtime/descriptor.h"
#include "eider/runtime/seal.h"
#include "eider/runtime/stream.h"
#include "eider/runtime/sync.h"
#include "eider/runtime/task.h"
#include "eider/runtime/time.h"
#include "eider/runtime/timer.h"

namespace eider::detail {

class Wire final : private StreamOwner, private Timer {
 public:
  Wire(Loop& loop, Descriptor fd);
  ~Wire() = default;

  /// Agrees on encryption, until `due`.
  ///
  /// returns  why it came to nothing, if it did
  [[nodiscard]] Task<std::optional<ClientError>> secure(std::unique_ptr<Seal> seal, Instant due);
  /// What ALPN has chosen; empty when nothing was.
  [[nodiscard]] const std::string& protocol() const noexcept { return protocol_; }

  /// From now on the owner is told. It outlives the wire.
  void hand_over(StreamOwner& owner);
  [[nodiscard]] Stream& stream() noexcept { return stream_; }
  [[nodiscard]] const Stream& stream() const noexcept { return stream_; }

 private:
  void on_bytes(std::string_view bytes) override { owner_->on_bytes(bytes); }
  void on_end() override;
  void on_drained() override;
  void on_secured() override;
  void on_broken(NetError error) override;
  void expire() override;
  void give_up(ClientFault fault, std::string_view text);

  std::string why_insecure_;  // outlives the stream's seal
  Stream stream_;
  StreamOwner* owner_ = nullptr;
  std::string protocol_;
  Event settled_;
  std::optional<ClientError> fault_;
};

}  // namespace eider::detail
