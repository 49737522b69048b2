// Replaces the io_uring backend if the library was built without liburing.
// Must not be built together with loop_uring*.cc.
#include "eider/io/runtime/backends.h"

namespace eider {

Result<std::unique_ptr<Loop>> make_uring_loop() {
  return fail(Error(500,
                    "io_uring cannot be used: this build does not include liburing; install "
                    "liburing and build again, or use the epoll backend."));
}

Result<std::unique_ptr<Loop>> make_old_uring_loop() {
  return make_uring_loop();
}

}  // namespace eider
