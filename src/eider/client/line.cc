#include "eider/client/detail/line.h"

#include <utility>

#include "eider/client/detail/sealer.h"

namespace eider::detail {

Line::Line(Loop& loop, Descriptor fd, std::unique_ptr<Seal> seal) : stream_(loop, std::move(fd)) {
  if (seal != nullptr) {
    stream_.secure(std::make_unique<ToldSeal>(std::move(seal), why_insecure_));
  }
}

}  // namespace eider::detail
