#include "eider/runtime/loop_uring.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "eider/runtime/detail/backends.h"
#include "eider/runtime/detail/socket_io.h"
#include "eider/runtime/detail/stream_access.h"

namespace eider {

namespace {

// A name: slot in the lowest 32 bits, generation in the next 24, operation above.
constexpr unsigned kGenerationShift = 32;
constexpr unsigned kOperationShift = 56;

unsigned poll_events(Readiness what) noexcept {
  return (is_readable(what) ? unsigned{POLLIN} : 0U) | (is_writable(what) ? unsigned{POLLOUT} : 0U);
}

}  // namespace

UringLoop::UringLoop(Descriptor wake_up) : wake_up_(std::move(wake_up)) {}

UringLoop::~UringLoop() {
  for (const Leaving& leaving : leaving_) {
    if (leaving.fd >= 0) {
      ::close(leaving.fd);
    }
  }
}

Result<void> UringLoop::open() {
  if (auto opened = ring_.open(); !opened) {
    return opened;
  }
  return buffers_.open();
}

std::uint64_t UringLoop::name_of(Operation operation, std::uint32_t slot) const noexcept {
  return std::uint64_t{static_cast<std::uint8_t>(operation)} << kOperationShift |
         std::uint64_t{slots_[slot].generation} << kGenerationShift | slot;
}

UringLoop::Slot* UringLoop::slot_of(std::uint64_t name) noexcept {
  Slot& slot = slots_[index_of(name)];
  const auto generation = static_cast<std::uint32_t>(name >> kGenerationShift) & kGenerationMask;
  return slot.generation == generation ? &slot : nullptr;
}

std::uint32_t UringLoop::take_slot(Kind kind, void* object) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t index = free_slots_.back();
  free_slots_.pop_back();
  const std::uint32_t generation = slots_[index].generation;
  const bool is_dirty = slots_[index].is_dirty;
  slots_[index] =
      Slot{.object = object, .generation = generation, .kind = kind, .is_dirty = is_dirty};
  mark(index);
  return index;
}

void UringLoop::free_slot(std::uint32_t index, Operation armed, int fd) noexcept {
  Slot& slot = slots_[index];
  Leaving leaving;
  leaving.fd = fd;
  if (slot.is_armed) {
    leaving.armed = name_of(armed, index);
  }
  if (slot.is_out_armed) {
    leaving.out_armed = name_of(Operation::stream_writable, index);
  }
  if (slot.is_hangup_armed) {
    leaving.hangup_armed = name_of(Operation::stream_hung_up, index);
  }
  if (slot.is_fixed) {
    leaving.fixed = index;
  }
  leaving_.push_back(leaving);
  slot.kind = Kind::free;
  slot.object = nullptr;
  slot.generation = (slot.generation + 1) & kGenerationMask;
  free_slots_.push_back(index);
}

void UringLoop::mark(std::uint32_t index) noexcept {
  if (!slots_[index].is_dirty) {
    slots_[index].is_dirty = true;
    dirty_.push_back(index);
  }
}

void UringLoop::attach(Stream& stream) {
  const std::uint32_t index = take_slot(Kind::stream, &stream);
  slots_[index].fd = StreamAccess::fd(stream);
  StreamAccess::slot(stream) = index;
}

void UringLoop::update(Stream& stream) {
  mark(StreamAccess::slot(stream));
}

void UringLoop::detach(Stream& stream) noexcept {
  const std::uint32_t index = StreamAccess::slot(stream);
  if (Buffer* bytes = corked(stream)) {
    bytes->clear();
  }
  if (cork_owner_ == &stream) {
    cork_owner_ = nullptr;
  }
  free_slot(index, Operation::receive, StreamAccess::fd(stream));
}

Loop::Written UringLoop::write(Stream& stream, std::string_view first, std::string_view second) {
  return write_socket(StreamAccess::fd(stream), first, second);
}

void UringLoop::end_writing(Stream& stream) noexcept {
  ::shutdown(StreamAccess::fd(stream), SHUT_WR);
}

void UringLoop::attach(Listener& listener) {
  WatchAccess::slot(listener) = take_slot(Kind::listener, &listener);
}

void UringLoop::detach(Listener& listener) noexcept {
  free_slot(WatchAccess::slot(listener), Operation::accept, -1);
}

void UringLoop::attach(FdWatch& watch) {
  WatchAccess::slot(watch) = take_slot(Kind::watch, &watch);
}

void UringLoop::update(FdWatch& watch) {
  detach(watch);
  attach(watch);
}

void UringLoop::detach(FdWatch& watch) noexcept {
  free_slot(WatchAccess::slot(watch), Operation::watch_ready, -1);
}

void UringLoop::lend_cork(Stream& stream) {
  const std::uint32_t index = StreamAccess::slot(stream);
  Slot& slot = slots_[index];
  if (slot.cork == 0) {
    slot.cork = corks_.take(name_of(Operation::send, index));
  }
  cork_ = &corks_.at(slot.cork).bytes;
  cork_owner_ = &stream;
}

Buffer* UringLoop::corked(const Stream& stream) noexcept {
  const Slot& slot = slots_[StreamAccess::slot(stream)];
  return slot.cork == 0 ? nullptr : &corks_.at(slot.cork).bytes;
}

void UringLoop::wake() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_up_.get(), &one, sizeof(one));
}

void UringLoop::wait(Instant until) {
  if (!ring_.is_enabled()) {
    ring_.enable();
  }
  submit_turn();
  ring_.submit_and_wait(until == Instant::max() ? Duration::max() : until - now());
  read_clocks();
  reap();
}

void UringLoop::settle() {
  submit_turn();
  // Entering also runs what the cancelled operations have put off: they hold on to their sockets,
  // and a closed one would send no FIN until then.
  ring_.submit_and_wait(Duration::zero());
}

void UringLoop::submit_turn() {
  if (!is_wake_up_armed_) {
    submit_wake_up();
  }
  submit_sends();
  submit_leaving();
  submit_wishes();
}

void UringLoop::submit_wake_up() {
  io_uring_sqe& entry = ring_.entry();
  io_uring_prep_poll_multishot(&entry, wake_up_.get(), POLLIN);
  entry.user_data = std::uint64_t{static_cast<std::uint8_t>(Operation::woken)} << kOperationShift;
  is_wake_up_armed_ = true;
}

void UringLoop::submit_sends() {
  cork_owner_ = nullptr;
  for (std::uint32_t number = 1; number <= corks_.count(); ++number) {
    UringCorks::Cork& cork = corks_.at(number);
    if (!cork.bytes.empty()) {
      submit_send(cork, number);
    } else if (Slot* slot = slot_of(cork.owner)) {
      slot->cork = 0;
    }
  }
  std::swap(corks_, sent_corks_);
}

void UringLoop::submit_send(UringCorks::Cork& cork, std::uint32_t number) {
  Slot& slot = *slot_of(cork.owner);  // a stream that leaves empties its cork
  auto& stream = *static_cast<Stream*>(slot.object);
  if (!StreamAccess::may_send(stream)) {
    stream.flush();
    slot.cork = 0;
    return;
  }
  slot.cork = 0;
  slot.sending = number;
  io_uring_sqe& entry = ring_.entry();
  io_uring_prep_send(&entry, slot.fd, cork.bytes.data(), cork.bytes.size(),
                     MSG_NOSIGNAL | MSG_DONTWAIT | MSG_WAITALL);
  aim_at(entry, slot, index_of(cork.owner));
  entry.flags |= IOSQE_CQE_SKIP_SUCCESS;
  entry.user_data = cork.owner;
}

void UringLoop::submit_leaving() {
  for (const Leaving& leaving : leaving_) {
    for (const std::uint64_t armed : {leaving.armed, leaving.out_armed, leaving.hangup_armed}) {
      if (armed != 0) {
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

void UringLoop::submit_cancel(std::uint64_t name) {
  io_uring_sqe& entry = ring_.entry();
  io_uring_prep_cancel64(&entry, name, 0);
  entry.flags |= IOSQE_CQE_SKIP_SUCCESS;
  entry.user_data = 0;
}

void UringLoop::submit_wishes() {
  for (const std::uint32_t index : dirty_) {
    slots_[index].is_dirty = false;
    submit_wish(index);
  }
  dirty_.clear();
}

void UringLoop::submit_wish(std::uint32_t index) {
  Slot& slot = slots_[index];
  switch (slot.kind) {
    case Kind::free:
      return;
    case Kind::stream:
      submit_stream_wish(slot, index);
      return;
    case Kind::listener:
      if (!std::exchange(slot.is_armed, true)) {
        io_uring_sqe& entry = ring_.entry();
        io_uring_prep_multishot_accept(&entry,
                                       WatchAccess::fd(*static_cast<Listener*>(slot.object)),
                                       nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        entry.user_data = name_of(Operation::accept, index);
      }
      return;
    case Kind::watch:
      if (!std::exchange(slot.is_armed, true)) {
        const auto& watch = *static_cast<FdWatch*>(slot.object);
        submit_poll(Operation::watch_ready, index, watch.fd(),
                    poll_events(WatchAccess::wanted(watch)));
      }
      return;
  }
}

void UringLoop::submit_stream_wish(Slot& slot, std::uint32_t index) {
  const auto& stream = *static_cast<Stream*>(slot.object);
  const bool wants_bytes = StreamAccess::wants_bytes(stream);
  if (wants_bytes && !slot.is_armed) {
    submit_receive(slot, index);
  } else if (!wants_bytes && slot.is_armed && slot.is_unwanted && !slot.is_cancelling) {
    slot.is_cancelling = true;
    submit_cancel(name_of(Operation::receive, index));
  }
  // Without a receive nobody would hear of a reset.
  const bool is_deaf = !wants_bytes && !slot.is_armed && !StreamAccess::wants_writable(stream);
  if (is_deaf && !slot.is_hangup_armed) {
    submit_hang_up(stream, index);
  } else if (!is_deaf && slot.is_hangup_armed) {
    // What is still to be received comes before the news that no more will.
    submit_cancel(name_of(Operation::stream_hung_up, index));
  }
  slot.is_hangup_armed = is_deaf;
  if (StreamAccess::wants_writable(stream) && !std::exchange(slot.is_out_armed, true)) {
    submit_poll(Operation::stream_writable, index, StreamAccess::fd(stream), POLLOUT);
  }
}

// The kernel adds the peer's FIN to what is polled for, so a single shot would be spent on that.
void UringLoop::submit_hang_up(const Stream& stream, std::uint32_t index) {
  io_uring_sqe& entry = ring_.entry();
  io_uring_prep_poll_multishot(&entry, StreamAccess::fd(stream), 0);
  entry.user_data = name_of(Operation::stream_hung_up, index);
}

// A connection that ends with its first request is spared what pays only for the others: the
// registering of its descriptor, and the cancelling of a lasting receive.
void UringLoop::submit_receive(Slot& slot, std::uint32_t index) {
  if (slot.has_received && !slot.is_fixed && !slot.is_unfixable) {
    submit_fixing(slot, index);
  }
  io_uring_sqe& entry = ring_.entry();
  io_uring_prep_recv(&entry, slot.fd, nullptr, 0, 0);
  aim_at(entry, slot, index);
  if (slot.has_received) {
    entry.ioprio |= IORING_RECV_MULTISHOT;
  }
  entry.flags |= IOSQE_BUFFER_SELECT;
  entry.buf_group = UringBuffers::kGroup;
  entry.user_data = name_of(Operation::receive, index);
  slot.is_armed = true;
  slot.is_unwanted = false;
}

void UringLoop::submit_fixing(Slot& slot, std::uint32_t index) {
  if (index >= ring_.fixed_files_max()) {
    slot.is_unfixable = true;
    return;
  }
  io_uring_sqe& entry = ring_.entry();
  io_uring_prep_files_update(&entry, &slot.fd, 1, static_cast<int>(index));
  entry.flags |= IOSQE_CQE_SKIP_SUCCESS;
  entry.user_data = name_of(Operation::fixed, index);
  slot.is_fixed = true;
}

void UringLoop::aim_at(io_uring_sqe& entry, const Slot& slot, std::uint32_t index) noexcept {
  if (slot.is_fixed) {
    entry.fd = static_cast<int>(index);
    entry.flags |= IOSQE_FIXED_FILE;
  }
}

void UringLoop::submit_poll(Operation operation, std::uint32_t index, int fd, unsigned events) {
  io_uring_sqe& entry = ring_.entry();
  io_uring_prep_poll_add(&entry, fd, events);
  entry.user_data = name_of(operation, index);
}

Result<std::unique_ptr<Loop>> make_uring_loop() {
  Descriptor wake_up(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_up.is_open()) {
    return fail(Error(500, "No event loop: " + std::string(text(net_error(errno))) + "."));
  }
  auto loop = std::make_unique<UringLoop>(std::move(wake_up));
  if (auto opened = loop->open(); !opened) {
    return fail(std::move(opened.error()));
  }
  return loop;
}

}  // namespace eider
