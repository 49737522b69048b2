#include "eider/io/runtime/descriptor.h"

#include <unistd.h>

namespace eider {

void Descriptor::close() noexcept {
  if (fd_ >= 0) {
    // The kernel releases the number even if it returns an error, so a second call could close
    // another file.
    ::close(release());
  }
}

}  // namespace eider
