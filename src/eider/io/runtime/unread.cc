#include "eider/io/runtime/unread.h"

#include <sys/ioctl.h>

#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/stream_access.h"

namespace eider {

std::size_t unread_bytes(const Stream& stream) noexcept {
  int queued = 0;
  // The kernel does not know a closed or broken socket: then only this process has waiting bytes.
  const bool is_known = ::ioctl(StreamAccess::fd(stream), TIOCOUTQ, &queued) == 0 && queued > 0;
  return stream.waiting_bytes() + (is_known ? static_cast<std::size_t>(queued) : 0);
}

}  // namespace eider
