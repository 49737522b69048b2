// Reports the kernel's completions to streams, listeners and watches.
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "eider/io/runtime/loop_uring.h"
#include "eider/io/runtime/socket_io.h"
#include "eider/io/runtime/stream_access.h"

namespace eider {

namespace {

bool has_more(const io_uring_cqe& completion) noexcept {
  return (completion.flags & IORING_CQE_F_MORE) != 0;
}

bool is_of_send(const io_uring_cqe& completion) noexcept {
  return UringSlots::operation_of(completion.user_data) == UringOperation::send;
}

Readiness readiness_of(int events, Readiness wanted) noexcept {
  if (events < 0 || (events & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
    return wanted;
  }
  return static_cast<Readiness>(((events & POLLIN) != 0 ? 1U : 0U) |
                                ((events & POLLOUT) != 0 ? 2U : 0U));
}

}  // namespace

void UringLoop::reap() {
  unsigned head = 0;
  unsigned count = 0;
  io_uring_cqe* completion = nullptr;
  // Handle failed sends first, so that later output is queued after them. If a part was submitted
  // early, that call has returned other completions before them.
  const bool is_early = ring_.take_early();
  if (is_early) {
    io_uring_for_each_cqe(&ring_.raw(), head, completion) {
      if (is_of_send(*completion)) {
        complete(*completion);
      }
    }
  }
  // Callbacks only collect requests, so no completion is added meanwhile; these stay in the ring
  // until its head moves.
  io_uring_for_each_cqe(&ring_.raw(), head, completion) {
    if (!is_early || !is_of_send(*completion)) {
      complete(*completion);
    }
    ++count;
  }
  io_uring_cq_advance(&ring_.raw(), count);
  buffers_.publish();
  // Failed sends were handled first, and have copied the bytes that they still need.
  turn_.forget_sent();
  told_last_ = UringSlots::kNobody;
}

void UringLoop::complete(const io_uring_cqe& completion) {
  switch (UringSlots::operation_of(completion.user_data)) {
    case UringOperation::receive:
      return complete_receive(completion);
    case UringOperation::send:
      return complete_send(completion);
    case UringOperation::stream_writable:
      return complete_writable(completion);
    case UringOperation::stream_hung_up:
      return complete_hang_up(completion);
    case UringOperation::accept:
      return complete_accept(completion);
    case UringOperation::watch_ready:
      return complete_watch(completion);
    case UringOperation::fixed:
      return complete_fixing(completion);
    case UringOperation::woken:
      turn_.note_woken(has_more(completion));
      return;
    case UringOperation::ignored:
      return;
  }
}

void UringLoop::complete_receive(const io_uring_cqe& completion) {
  // Count the bytes first: those of a detached stream also fill the kernel's buffer.
  const std::string_view bytes = buffers_.take(completion);
  if (UringSlot* slot = slots_.find(completion.user_data)) {
    const std::uint32_t index = UringSlots::index_of(completion.user_data);
    if (!has_more(completion)) {
      slot->is_armed = false;
      slot->is_cancelling = false;
      // Mark it before the callback, after which the slot may have another owner.
      slots_.mark(index);
    }
    if (completion.res > 0) [[likely]] {
      tell_received(index, bytes);
    } else {
      tell_unreceived(*slot, completion.res);
    }
  }
  run_after_event();
  // Return the buffer after its last use.
  buffers_.release(completion);
}

void UringLoop::tell_received(std::uint32_t index, std::string_view bytes) {
  UringSlot& slot = slots_.at(index);
  auto& stream = *static_cast<Stream*>(slot.object);
  slot.has_received = true;
  if (!StreamAccess::wants_bytes(stream)) {
    slot.is_unwanted = true;
    slots_.mark(index);
  }
  // The stream may be destroyed in the callback, so use its slot before.
  learn_pace(index, bytes.size());
  StreamAccess::tell_bytes(stream, bytes);
}

// A multishot receive reads everything from a socket before any of it is used. If a stream reads
// only a part in a turn, the rest of a large body is copied, which costs more than the rest of an
// upload. For others it is better: they receive in one turn what would otherwise take sixteen.
void UringLoop::learn_pace(std::uint32_t index, std::size_t bytes) noexcept {
  UringSlot& slot = slots_.at(index);
  told_bytes_ = std::exchange(told_last_, index) == index ? told_bytes_ : 0;
  if (bytes >= kLargeReceiveBytes && (slot.is_unwanted || slot.singles != 0)) {
    slot.singles = kSinglesBehindLarge;
    slot.takes_all = false;
  } else if (bytes < kLargeReceiveBytes && slot.singles != 0) {
    --slot.singles;
  } else if (told_bytes_ >= kTakenInTurnBytes && !slot.is_unwanted) {
    slot.takes_all = true;
  }
  told_bytes_ += bytes;
}

void UringLoop::tell_unreceived(UringSlot& slot, int result) {
  auto& stream = *static_cast<Stream*>(slot.object);
  // The receive used a descriptor whose registration failed: it is armed again without it.
  if (result == -EBADF && std::exchange(slot.may_miss, false)) {
    return;
  }
  if (result == -EINVAL && slot.is_bounded) {
    turn_.note_unboundable();
    return;
  }
  switch (-result) {
    case 0:
      StreamAccess::tell_end(stream);
      return;
    case ENOBUFS:
      // The receive has ended, so its slot is marked, and it is armed again after this turn.
      buffers_.grow();
      return;
    case ECANCELED:
    case EAGAIN:
    case EINTR:
      return;
    default:
      StreamAccess::tell_broken(stream, net_error(-result));
  }
}

void UringLoop::complete_send(const io_uring_cqe& completion) {
  UringSlot* slot = slots_.find(completion.user_data);
  if (slot == nullptr) {
    return;
  }
  auto& stream = *static_cast<Stream*>(slot->object);
  Buffer& bytes = turn_.sent(*slot);
  if (completion.res >= 0) {
    StreamAccess::keep_corked(stream, bytes, static_cast<std::size_t>(completion.res));
  } else if (is_try_again(-completion.res)) {
    StreamAccess::keep_corked(stream, bytes, 0);
  } else {
    StreamAccess::break_later(stream, net_error(-completion.res));
  }
}

void UringLoop::complete_writable(const io_uring_cqe& completion) {
  if (UringSlot* slot = slots_.find(completion.user_data)) {
    slot->is_out_armed = false;
    // Mark the slot before the callback, after which it may have another owner.
    slots_.mark(UringSlots::index_of(completion.user_data));
    StreamAccess::tell_writable(*static_cast<Stream*>(slot->object));
  }
}

void UringLoop::complete_hang_up(const io_uring_cqe& completion) {
  UringSlot* slot = slots_.find(completion.user_data);
  if (slot != nullptr && slot->is_hangup_armed && completion.res != -ECANCELED) {
    if (!has_more(completion)) {
      slot->is_hangup_armed = false;
      slots_.mark(UringSlots::index_of(completion.user_data));
    }
    if (completion.res >= 0 && (completion.res & (POLLERR | POLLHUP)) == 0) {
      return;  // the peer's FIN, which was reported already
    }
    auto& stream = *static_cast<Stream*>(slot->object);
    const int error = pending_error(StreamAccess::fd(stream));
    StreamAccess::tell_broken(stream, error == 0 ? NetError::closed : net_error(error));
  }
}

void UringLoop::complete_fixing(const io_uring_cqe& completion) {
  UringSlot* slot = slots_.find(completion.user_data);
  if (slot != nullptr && completion.res < 0) {
    slot->is_fixed = false;
    slot->is_unfixable = true;
    slot->may_miss = true;
  }
}

void UringLoop::complete_accept(const io_uring_cqe& completion) {
  // Connections that were accepted for a detached listener are closed here.
  Descriptor fd(completion.res >= 0 ? completion.res : -1);
  UringSlot* slot = slots_.find(completion.user_data);
  if (slot == nullptr) {
    return;
  }
  auto& listener = *static_cast<Listener*>(slot->object);
  if (!has_more(completion)) {
    slot->is_armed = false;
    slots_.mark(UringSlots::index_of(completion.user_data));
  }
  if (fd.is_open()) {
    WatchAccess::tell_accepted(listener, std::move(fd));
  } else if (slot->is_unwanted) {
    return;  // cancelled: see accept_no_more
  } else if (!is_try_again(-completion.res) && !is_of_one_connection(-completion.res)) {
    // Pause: an accept that is armed again now would fail immediately.
    detach(listener);
    WatchAccess::tell_failed(listener, net_error(-completion.res));
  }
}

void UringLoop::complete_watch(const io_uring_cqe& completion) {
  if (UringSlot* slot = slots_.find(completion.user_data)) {
    // The watch is armed again at the end of the turn if it still exists, which makes it
    // level-triggered.
    slot->is_armed = false;
    slots_.mark(UringSlots::index_of(completion.user_data));
    auto& watch = *static_cast<FdWatch*>(slot->object);
    watch.on_ready(readiness_of(completion.res, WatchAccess::wanted(watch)));
  }
}

}  // namespace eider
