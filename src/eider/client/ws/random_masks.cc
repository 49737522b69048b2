#include "eider/client/ws/random_masks.h"

#include <sys/random.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace eider::detail::client {

ws::MaskKey RandomMasks::next() {
  if (left_ == 0) {
    if (::getrandom(keys_.data(), sizeof(keys_), 0) != static_cast<ssize_t>(sizeof(keys_))) {
      throw std::system_error(errno, std::generic_category(), "getrandom");
    }
    left_ = keys_.size();
  }
  // Each key is wiped when it is returned.
  return std::exchange(keys_[--left_], ws::MaskKey{});
}

}  // namespace eider::detail::client
