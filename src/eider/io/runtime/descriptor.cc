#include "eider/io/runtime/descriptor.h"

#include <unistd.h>

namespace eider {

void Descriptor::close() noexcept {
  if (fd_ >= 0) {
    // The kernel releases the number whatever it returns: a second try could close another's.
    ::close(release());
  }
}

}  // namespace eider
