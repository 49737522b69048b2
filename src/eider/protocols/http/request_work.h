// The work item of a request, for traces.
// Layering: must not be used if nothing is traced: the first user creates the Work.
#pragma once

#include "eider/core/base/work.h"
#include "eider/protocols/http/request.h"

namespace eider {

struct RequestWork {
  Work* work;
  WorkRef kept;
};

/// Returns the work of a request so far, or null if it is not traced.
[[nodiscard]] inline WorkRef work_if_any(const Request& request) noexcept {
  const auto* const own = request.find<RequestWork>();
  return own == nullptr ? WorkRef() : own->kept;
}

/// The same, for a caller that uses the work only while the request exists.
[[nodiscard]] inline const Work* peek_work(const Request& request) noexcept {
  const auto* const own = request.find<RequestWork>();
  return own == nullptr ? nullptr : own->work;
}

/// Returns the work of the request, and creates it if needed. It is the thread's current work from
/// now on, until the caller of the hooks returns. To be called by a hook's `before`.
[[nodiscard]] inline Work& work_of(Request& request) {
  auto* own = request.find<RequestWork>();
  if (own == nullptr) {
    auto* const work = new Work;
    own = &request.set(RequestWork{work, WorkRef::to_new(work)});
    WorkKept::enter(work);
  }
  return *own->work;
}

}  // namespace eider
