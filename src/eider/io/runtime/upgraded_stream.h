// An upgraded protocol on a whole connection.
// Layering: must not be destroyed while the protocol that uses it exists.
#pragma once

#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/unread.h"
#include "eider/io/runtime/upgraded.h"

namespace eider::detail::runtime {

class UpgradedStream : public UpgradedLine {
 public:
  /// stream  outlives the line, and is open until `close` was called
  explicit UpgradedStream(Stream& stream) noexcept : stream_(stream) {}

  [[nodiscard]] Loop& loop() noexcept final { return stream_.loop(); }
  [[nodiscard]] Buffer& output() final { return stream_.output(); }
  bool flush() final { return stream_.flush(); }
  void send_shared(const base::SharedBytes& shared) final {
    stream_.send_shared(shared.owner, shared.bytes, shared.memory_bytes);
  }
  [[nodiscard]] std::size_t waiting_bytes() const noexcept final { return stream_.waiting_bytes(); }
  [[nodiscard]] std::size_t unread_bytes() const noexcept final {
    return eider::unread_bytes(stream_);
  }
  void pause_reading() noexcept final { stream_.pause_reading(); }
  void resume_reading() final { stream_.resume_reading(); }
  void end() final { stream_.end(); }
  void reset() noexcept final { stream_.reset(); }

 protected:
  ~UpgradedStream() = default;

 private:
  Stream& stream_;
};

}  // namespace eider::detail::runtime
