#include "eider/runtime/loop_uring.h"

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

}  // namespace

UringLoop::UringLoop(Descriptor wake_up) : wake_up_(std::move(wake_up)) {}

UringLoop::~UringLoop() {
  end_kept();
  for (const Leaving& leaving : leaving_) {
    if (leaving.fd >= 0) {
      ::close(leaving.fd);
    }
  }
}

Result<void> UringLoop::open(BufferFilling filling) {
  if (auto opened = ring_.open(); !opened) {
    return opened;
  }
  return buffers_.open(filling);
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

namespace {

Result<std::unique_ptr<Loop>> make_loop(BufferFilling filling) {
  Descriptor wake_up(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_up.is_open()) {
    return fail(Error(500, "No event loop: " + std::string(text(net_error(errno))) + "."));
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
