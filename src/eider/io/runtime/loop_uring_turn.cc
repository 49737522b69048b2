#include "eider/io/runtime/loop_uring.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "eider/io/runtime/loop_uring_buffers.h"
#include "eider/io/runtime/stream_access.h"

namespace eider {

namespace {

unsigned poll_events(Readiness what) noexcept {
  return (is_readable(what) ? unsigned{POLLIN} : 0U) | (is_writable(what) ? unsigned{POLLOUT} : 0U);
}

}  // namespace

UringTurn::~UringTurn() {
  for (const Leaving& leaving : leaving_) {
    if (leaving.fd >= 0) {
      ::close(leaving.fd);
    }
  }
}

void UringTurn::leave(std::uint32_t index, UringOperation armed, int fd) noexcept {
  const UringSlot& slot = slots_.at(index);
  Leaving leaving;
  // Create the names before the slot is freed, because they contain its generation.
  leaving.fd = fd;
  if (slot.is_armed) {
    leaving.armed = slots_.name_of(armed, index);
  }
  if (slot.is_out_armed) {
    leaving.out_armed = slots_.name_of(UringOperation::stream_writable, index);
  }
  if (slot.is_hangup_armed) {
    leaving.hangup_armed = slots_.name_of(UringOperation::stream_hung_up, index);
  }
  if (slot.is_fixed) {
    leaving.fixed = index;
  }
  leaving_.push_back(leaving);
  slots_.give_back(index);
}

Buffer& UringTurn::cork(std::uint32_t index) {
  UringSlot& slot = slots_.at(index);
  if (slot.cork == 0) {
    slot.cork = corks_.take(slots_.name_of(UringOperation::send, index));
  }
  return corks_.at(slot.cork).bytes;
}

void UringTurn::submit() {
  if (!is_wake_up_armed_) {
    submit_wake_up();
  }
  // Sends come first, so that their failures are the first completions. Cancellations and closes
  // come before new requests, because a slot's number, and its registered descriptor, may already
  // have a new owner.
  submit_sends();
  submit_leaving();
  slots_.for_each_marked([this](std::uint32_t index) { submit_wish(index); });
}

void UringTurn::submit_wake_up() {
  io_uring_sqe& entry = ring_.entry();
  io_uring_prep_poll_multishot(&entry, wake_up_, POLLIN);
  entry.user_data = UringSlots::name_of(UringOperation::woken);
  is_wake_up_armed_ = true;
}

void UringTurn::submit_sends() {
  for (std::uint32_t number = 1; number <= corks_.count(); ++number) {
    UringCorks::Cork& cork = corks_.at(number);
    if (!cork.bytes.empty()) {
      submit_send(cork, number);
    } else if (UringSlot* slot = slots_.find(cork.owner)) {
      slot->cork = 0;
    }
  }
  std::swap(corks_, sent_corks_);
}

void UringTurn::submit_send(UringCorks::Cork& cork, std::uint32_t number) {
  UringSlot& slot = *slots_.find(cork.owner);  // a stream that is detached empties its cork
  auto& stream = *static_cast<Stream*>(slot.object);
  if (!StreamAccess::may_send(stream)) {
    // The stream finds its cork by the slot's number of it, so clear that afterwards.
    stream.flush();
    slot.cork = 0;
    return;
  }
  const bool is_ready = StreamAccess::is_ready_to_send(stream, cork.bytes);
  slot.cork = 0;
  if (!is_ready) {
    return;
  }
  slot.sending = number;
  io_uring_sqe& entry = ring_.entry();
  io_uring_prep_send(&entry, slot.fd, cork.bytes.data(), cork.bytes.size(),
                     MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL);
  aim_at(entry, slot, UringSlots::index_of(cork.owner));
  entry.flags |= IOSQE_CQE_SKIP_SUCCESS;
  entry.user_data = cork.owner;
}

void UringTurn::submit_leaving() {
  for (const Leaving& leaving : leaving_) {
    for (const std::uint64_t armed : {leaving.armed, leaving.out_armed, leaving.hangup_armed}) {
      if (armed != 0) {
        // A pending operation keeps a reference to its socket: closing it alone would send no FIN.
        submit_cancel(armed);
      }
    }
    if (leaving.fixed >= 0) {
      io_uring_sqe& entry = ring_.entry();
      io_uring_prep_close_direct(&entry, static_cast<unsigned>(leaving.fixed));
      entry.flags |= IOSQE_CQE_SKIP_SUCCESS;
      entry.user_data = 0;
    }
    if (leaving.fd >= 0) {
      io_uring_sqe& entry = ring_.entry();
      io_uring_prep_close(&entry, leaving.fd);
      entry.flags |= IOSQE_CQE_SKIP_SUCCESS;
      entry.user_data = 0;
    }
  }
  leaving_.clear();
}

void UringTurn::submit_cancel(std::uint64_t name) {
  io_uring_sqe& entry = ring_.entry();
  io_uring_prep_cancel64(&entry, name, 0);
  entry.flags |= IOSQE_CQE_SKIP_SUCCESS;
  entry.user_data = 0;
}

void UringTurn::submit_wish(std::uint32_t index) {
  UringSlot& slot = slots_.at(index);
  switch (slot.kind) {
    case UringSlot::Kind::free:
      return;
    case UringSlot::Kind::stream:
      submit_stream_wish(slot, index);
      return;
    case UringSlot::Kind::listener:
      submit_accept(slot, index);
      return;
    case UringSlot::Kind::watch:
      if (!std::exchange(slot.is_armed, true)) {
        const auto& watch = *static_cast<FdWatch*>(slot.object);
        submit_poll(UringOperation::watch_ready, index, watch.fd(),
                    poll_events(WatchAccess::wanted(watch)));
      }
      return;
  }
}

void UringTurn::submit_accept(UringSlot& slot, std::uint32_t index) {
  if (slot.is_unwanted) {
    if (slot.is_armed && !std::exchange(slot.is_cancelling, true)) {
      submit_cancel(slots_.name_of(UringOperation::accept, index));
    }
    return;
  }
  if (!std::exchange(slot.is_armed, true)) {
    io_uring_sqe& entry = ring_.entry();
    io_uring_prep_multishot_accept(&entry, WatchAccess::fd(*static_cast<Listener*>(slot.object)),
                                   nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    entry.user_data = slots_.name_of(UringOperation::accept, index);
  }
}

/// Returns whether an armed receive is not wanted any more, or should not be multishot.
bool UringTurn::has_outlived_use(const UringSlot& slot, bool wants_bytes) noexcept {
  return wants_bytes ? slot.is_lasting && slot.singles != 0 : slot.is_unwanted;
}

void UringTurn::submit_stream_wish(UringSlot& slot, std::uint32_t index) {
  const auto& stream = *static_cast<Stream*>(slot.object);
  const bool wants_bytes = StreamAccess::wants_bytes(stream);
  if (wants_bytes && !slot.is_armed) {
    submit_receive(slot, index);
  } else if (slot.is_armed && has_outlived_use(slot, wants_bytes) && !slot.is_cancelling) {
    slot.is_cancelling = true;
    // One cancel is enough: the receive counts as armed until it has completed.
    submit_cancel(slots_.name_of(UringOperation::receive, index));
  }
  // Without a receive, a reset would not be noticed.
  const bool is_deaf = !wants_bytes && !slot.is_armed && !StreamAccess::wants_writable(stream) &&
                       !StreamAccess::reads_on(stream);
  if (is_deaf && !slot.is_hangup_armed) {
    submit_hang_up(stream, index);
  } else if (!is_deaf && slot.is_hangup_armed) {
    // Data that can still be received must come before the notice of the end.
    submit_cancel(slots_.name_of(UringOperation::stream_hung_up, index));
  }
  slot.is_hangup_armed = is_deaf;
  if (StreamAccess::wants_writable(stream) && !std::exchange(slot.is_out_armed, true)) {
    submit_poll(UringOperation::stream_writable, index, StreamAccess::fd(stream), POLLOUT);
  }
}

// The kernel also reports the peer's FIN to a poll, which would use up a single shot.
void UringTurn::submit_hang_up(const Stream& stream, std::uint32_t index) {
  io_uring_sqe& entry = ring_.entry();
  io_uring_prep_poll_multishot(&entry, StreamAccess::fd(stream), 0);
  entry.user_data = slots_.name_of(UringOperation::stream_hung_up, index);
}

// A connection with only one request is spared the costs that are worthwhile only for longer ones:
// registering its descriptor, and cancelling a multishot receive.
void UringTurn::submit_receive(UringSlot& slot, std::uint32_t index) {
  if (slot.has_received && !slot.is_fixed && !slot.is_unfixable) {
    submit_fixing(slot, index);
  }
  io_uring_sqe& entry = ring_.entry();
  io_uring_prep_recv(&entry, slot.fd, nullptr, 0, 0);
  aim_at(entry, slot, index);
  slot.is_lasting = slot.has_received && slot.singles == 0;
  slot.is_bounded = slot.is_lasting && may_bound_;
  if (slot.is_lasting) {
    entry.ioprio |= IORING_RECV_MULTISHOT;
  }
  if (slot.is_bounded) {  // the kernel reads this as `optlen`
    entry.file_index = slot.takes_all ? kTrustedBytes : kLastingBytes;
  }
  entry.flags |= IOSQE_BUFFER_SELECT;
  entry.buf_group = UringBuffers::kGroup;
  entry.user_data = slots_.name_of(UringOperation::receive, index);
  slot.is_armed = true;
  slot.is_unwanted = false;
}

void UringTurn::submit_fixing(UringSlot& slot, std::uint32_t index) {
  if (index >= ring_.fixed_files_max()) {
    slot.is_unfixable = true;
    return;
  }
  io_uring_sqe& entry = ring_.entry();
  io_uring_prep_files_update(&entry, &slot.fd, 1, static_cast<int>(index));
  entry.flags |= IOSQE_CQE_SKIP_SUCCESS;
  entry.user_data = slots_.name_of(UringOperation::fixed, index);
  slot.is_fixed = true;
}

void UringTurn::aim_at(io_uring_sqe& entry, const UringSlot& slot, std::uint32_t index) noexcept {
  if (slot.is_fixed) {
    entry.fd = static_cast<int>(index);
    entry.flags |= IOSQE_FIXED_FILE;
  }
}

void UringTurn::submit_poll(UringOperation operation, std::uint32_t index, int fd,
                            unsigned events) {
  io_uring_sqe& entry = ring_.entry();
  io_uring_prep_poll_add(&entry, fd, events);
  entry.user_data = slots_.name_of(operation, index);
}

}  // namespace eider
