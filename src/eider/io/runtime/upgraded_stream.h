// An upgraded protocol on a whole connection.
// Layering: must not be destroyed while the protocol that uses it exists.
#pragma once

#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/upgraded.h"

namespace eider::detail::runtime {

class UpgradedStream : public UpgradedLine {
 public:
  /// Returns the stream, which is open until `close` was called.
  [[nodiscard]] virtual Stream& stream() noexcept = 0;
  [[nodiscard]] virtual const Stream& stream() const noexcept = 0;

  [[nodiscard]] Loop& loop() noexcept final { return stream().loop(); }
  [[nodiscard]] Buffer& output() final { return stream().output(); }
  bool flush() final { return stream().flush(); }
  void send_shared(const base::SharedBytes& shared) final {
    stream().send_shared(shared.owner, shared.bytes, shared.memory_bytes);
  }
  [[nodiscard]] std::size_t waiting_bytes() const noexcept final {
    return stream().waiting_bytes();
  }
  [[nodiscard]] std::size_t unread_bytes() const noexcept final { return stream().unread_bytes(); }
  void pause_reading() noexcept final { stream().pause_reading(); }
  void resume_reading() final { stream().resume_reading(); }
  void end() final { stream().end(); }
  void reset() noexcept final { stream().reset(); }

 protected:
  ~UpgradedStream() override = default;
};

}  // namespace eider::detail::runtime
