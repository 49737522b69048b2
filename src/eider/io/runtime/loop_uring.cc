#include "eider/io/runtime/loop_uring.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "eider/io/runtime/backends.h"
#include "eider/io/runtime/socket_io.h"
#include "eider/io/runtime/stream_access.h"

namespace eider {

std::uint32_t UringSlots::take(UringSlot::Kind kind, void* object) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  UringSlot& slot = slots_[index];
  // The slot may already be marked: a second mark would submit it twice.
  slot = UringSlot{
      .object = object, .generation = slot.generation, .kind = kind, .is_dirty = slot.is_dirty};
  mark(index);
  return index;
}

void UringSlots::give_back(std::uint32_t index) noexcept {
  UringSlot& slot = slots_[index];
  slot.kind = UringSlot::Kind::free;
  slot.object = nullptr;
  // Later completions for the previous owner find no slot.
  slot.generation = (slot.generation + 1) & kGenerationMask;
  free_.push_back(index);
}

UringLoop::UringLoop(Descriptor wake_up) : Loop(&buffers_), wake_up_(std::move(wake_up)) {}

UringLoop::~UringLoop() {
  end_kept();
}

Result<void> UringLoop::open(BufferFilling filling) {
  if (auto opened = ring_.open(); !opened) {
    return opened;
  }
  return buffers_.open(filling);
}

void UringLoop::attach(Stream& stream) {
  // Only takes a slot: the receive is submitted with the turn.
  const std::uint32_t index = slots_.take(UringSlot::Kind::stream, &stream);
  slots_.at(index).fd = StreamAccess::fd(stream);
  StreamAccess::slot(stream) = index;
}

void UringLoop::update(Stream& stream) {
  slots_.mark(StreamAccess::slot(stream));
}

void UringLoop::detach(Stream& stream) noexcept {
  const std::uint32_t index = StreamAccess::slot(stream);
  // Corked output is not sent, because the socket is closed in the same submission.
  if (Buffer* bytes = corked(stream)) {
    bytes->clear();
  }
  if (cork_owner_ == &stream) {
    cork_owner_ = nullptr;
  }
  turn_.leave(index, UringOperation::receive, StreamAccess::fd(stream));
}

Loop::Written UringLoop::write(Stream& stream, std::string_view first, std::string_view second) {
  return write_socket(StreamAccess::fd(stream), first, second);
}

void UringLoop::end_writing(Stream& stream) noexcept {
  ::shutdown(StreamAccess::fd(stream), SHUT_WR);
}

void UringLoop::attach(Listener& listener) {
  WatchAccess::slot(listener) = slots_.take(UringSlot::Kind::listener, &listener);
}

void UringLoop::detach(Listener& listener) noexcept {
  turn_.leave(WatchAccess::slot(listener), UringOperation::accept, -1);
}

// An armed accept may have taken a connection that was not reported yet, so the listener stays
// until the accept has completed.
bool UringLoop::accept_no_more(Listener& listener) noexcept {
  const std::uint32_t index = WatchAccess::slot(listener);
  UringSlot& slot = slots_.at(index);
  slot.is_unwanted = true;
  if (slot.is_armed && !slot.is_cancelling) {
    slots_.mark(index);
  }
  return !slot.is_armed;
}

void UringLoop::attach(FdWatch& watch) {
  WatchAccess::slot(watch) = slots_.take(UringSlot::Kind::watch, &watch);
}

void UringLoop::update(FdWatch& watch) {
  // A poll cannot be changed while the kernel has it: use another slot instead.
  detach(watch);
  attach(watch);
}

void UringLoop::detach(FdWatch& watch) noexcept {
  turn_.leave(WatchAccess::slot(watch), UringOperation::watch_ready, -1);
}

// If a turn has collected much output, streams send theirs when others begin to write. Otherwise a
// message to thousands of streams would need memory for each of them.
void UringLoop::lend_cork(Stream& stream) {
  constexpr std::size_t kGatheredBytesMax = 4UL * 1024 * 1024;
  constexpr std::size_t kSmallBytesMax = 16UL * 1024;
  if (cork_owner_ != nullptr && cork_owner_ != &stream && cork_->capacity() > kSmallBytesMax) {
    Buffer& before = *cork_;
    gathered_bytes_ += before.capacity();
    if (gathered_bytes_ > kGatheredBytesMax) {
      cork_owner_->flush();
      before.reset(kSmallBytesMax);
    }
  }
  cork_ = &turn_.cork(StreamAccess::slot(stream));
  cork_owner_ = &stream;
}

Buffer* UringLoop::corked(const Stream& stream) noexcept {
  return turn_.corked(StreamAccess::slot(stream));
}

void UringLoop::wake() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_up_.get(), &one, sizeof(one));
}

void UringLoop::wait(Instant until) {
  if (reap_settled()) {
    until = wake_at();
  }
  submit_turn();
  // Only one system call: it submits, runs completions and waits.
  ring_.submit_and_wait(until == Instant::max() ? Duration::max() : until - now());
  read_clocks();
  has_all_ = !ring_.keeps_back();
  reap();
}

void UringLoop::submit_turn() {
  // The thread that runs the loop becomes the ring's submitter, so not before it runs.
  if (!ring_.is_enabled()) {
    ring_.enable();
  }
  cork_owner_ = nullptr;  // its cork is submitted
  gathered_bytes_ = 0;
  turn_.submit();
}

/// Handles the submission at the end of the last run; the next submission expects empty corks.
bool UringLoop::reap_settled() {
  if (!std::exchange(is_settled_, false)) {
    return false;
  }
  read_clocks();
  reap();
  return true;
}

void UringLoop::settle() {
  (void)reap_settled();
  submit_turn();
  // The call also runs the deferred work of cancelled operations: they keep references to their
  // sockets, and a closed one would send no FIN until then.
  ring_.submit_and_wait(Duration::zero());
  is_settled_ = true;
}

namespace {

Result<std::unique_ptr<Loop>> make_loop(BufferFilling filling) {
  Descriptor wake_up(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_up.is_open()) {
    return fail(
        Error(500, "Cannot create an event loop: " + std::string(text(net_error(errno))) + "."));
  }
  auto loop = std::make_unique<UringLoop>(std::move(wake_up));
  if (auto opened = loop->open(filling); !opened) {
    return fail(std::move(opened.error()));
  }
  return loop;
}

}  // namespace

Result<std::unique_ptr<Loop>> make_uring_loop() {
  return make_loop(best_filling());
}

Result<std::unique_ptr<Loop>> make_old_uring_loop() {
  return make_loop(BufferFilling::once_each);
}

}  // namespace eider
