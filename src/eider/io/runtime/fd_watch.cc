#include "eider/io/runtime/fd_watch.h"

#include "eider/core/base/assert.h"
#include "eider/io/runtime/loop.h"

namespace eider {

void FdWatch::watch(int fd, Readiness what) {
  ensure(fd >= 0 && what != Readiness::none, "something is watched");
  ensure(fd_ < 0 || fd_ == fd, "a watch must be stopped before it watches another descriptor");
  wanted_ = what;
  if (fd_ == fd) {
    loop_.update(*this);
    return;
  }
  fd_ = fd;
  loop_.attach(*this);
}

void FdWatch::stop() noexcept {
  if (is_watching()) {
    loop_.detach(*this);
    fd_ = -1;
  }
}

}  // namespace eider
