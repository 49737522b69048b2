// The epoll backend: edge-triggered streams, one receive and one send per readiness, big batches.
// Must not use a stream, listener or watch that was detached in an earlier callback of the same
// batch.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>
#include <vector>

#include "eider/io/runtime/backends.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/read_blocks.h"
#include "eider/io/runtime/socket_io.h"
#include "eider/io/runtime/stream_access.h"

namespace eider {

namespace {

/// The type of an event's object, in the two lowest bits of its pointer.
enum class Kind : std::uint64_t { stream = 0, listener = 1, watch = 2, wake_up = 3 };
constexpr std::uint64_t kKindMask = 3;

std::uint64_t tagged(const void* object, Kind kind) noexcept {
  return reinterpret_cast<std::uintptr_t>(object) | static_cast<std::uint64_t>(kind);
}

template <class T>
T& object_of(std::uint64_t tag) noexcept {
  return *reinterpret_cast<T*>(static_cast<std::uintptr_t>(tag & ~kKindMask));
}

std::uint32_t events_of_watch(Readiness what) noexcept {
  return (is_readable(what) ? std::uint32_t{EPOLLIN} : 0U) |
         (is_writable(what) ? std::uint32_t{EPOLLOUT} : 0U);
}

Readiness readiness_of(std::uint32_t events, Readiness wanted) noexcept {
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
    return wanted;
  }
  return static_cast<Readiness>(((events & EPOLLIN) != 0 ? 1U : 0U) |
                                ((events & EPOLLOUT) != 0 ? 2U : 0U));
}

/// Rounds up, so that a wait for a timer does not end before it is due.
int milliseconds(Duration duration) noexcept {
  using std::chrono::milliseconds;
  const auto rounded = std::chrono::ceil<milliseconds>(std::max(duration, Duration::zero()));
  return static_cast<int>(std::min<std::int64_t>(rounded.count(), std::numeric_limits<int>::max()));
}

class EpollLoop final : public Loop {
 public:
  EpollLoop(Descriptor epoll, Descriptor wake_up)
      : Loop(&blocks_), epoll_(std::move(epoll)), wake_up_(std::move(wake_up)) {
    // Edge-triggered: each write wakes once, and the counter need not be read.
    control(EPOLL_CTL_ADD, wake_up_.get(), std::uint32_t{EPOLLIN} | EPOLLET,
            tagged(nullptr, Kind::wake_up));
  }
  ~EpollLoop() override { end_kept(); }

  [[nodiscard]] std::string_view name() const noexcept override { return "epoll"; }
  void release_spare() noexcept override { blocks_.release_spare(); }

 protected:
  void attach(Stream& stream) override;
  void update(Stream& stream) override;
  void detach(Stream& stream) noexcept override;
  Written write(Stream& stream, std::string_view first, std::string_view second) override;
  void end_writing(Stream& stream) noexcept override;

  void attach(Listener& listener) override;
  void detach(Listener& listener) noexcept override;
  bool accept_no_more(Listener& /*listener*/) noexcept override { return true; }
  void attach(FdWatch& watch) override;
  void update(FdWatch& watch) override;
  void detach(FdWatch& watch) noexcept override;

  void wait(Instant until) override;
  void wake() noexcept override;

 private:
  static constexpr std::size_t kBatchEvents = 512;
  static constexpr std::size_t kReadBytes = 64 * 1024;
  static constexpr int kReadsMax = 4;  // of one stream, before the next stream has its turn
  /// The limit of large reads in one turn, which does not grow with the number of uploads.
  static constexpr std::size_t kLargeBytesMax = 8UL * 1024 * 1024;
  static constexpr int kAcceptsMax = 128;
  static constexpr std::uint8_t kReads = 1;
  static constexpr std::uint8_t kWrites = 2;
  static constexpr std::uint8_t kFresh = 4;  // attached, but not yet in the epoll set
  /// Reads whole blocks, several in a row, because its owner borrowed the last full read and
  /// returned it immediately.
  static constexpr std::uint8_t kReadsLarge = 8;

  static std::uint8_t wanted(const Stream& stream) noexcept {
    return static_cast<std::uint8_t>((StreamAccess::wants_bytes(stream) ? kReads : 0) |
                                     (StreamAccess::wants_writable(stream) ? kWrites : 0));
  }

  // Edge-triggered, because the kernel polls a level-triggered socket a second time after each
  // report. A receive that does not fill the buffer has emptied the socket (epoll(7), Q9). Other
  // data that may be missed is found by `change_interest`, after which the kernel checks again.
  static std::uint32_t events_of(std::uint8_t interest) noexcept {
    return EPOLLET | ((interest & kReads) != 0 ? std::uint32_t{EPOLLIN} | EPOLLRDHUP : 0U) |
           ((interest & kWrites) != 0 ? std::uint32_t{EPOLLOUT} : 0U);
  }
  [[nodiscard]] bool reads_large(Stream& stream) const noexcept {
    return (StreamAccess::interest(stream) & kReadsLarge) != 0 && large_bytes_left_ != 0 &&
           blocks_.has_room();
  }
  static void set_interest(Stream& stream, std::uint8_t interest) noexcept {
    const std::uint8_t reads_large = StreamAccess::interest(stream) & kReadsLarge;
    StreamAccess::interest(stream) = interest | reads_large;
  }
  void control(int operation, int fd, std::uint32_t events, std::uint64_t tag) noexcept {
    epoll_event event{};
    event.events = events;
    event.data.u64 = tag;
    ::epoll_ctl(epoll_.get(), operation, fd, &event);
  }
  void change_interest(Stream& stream, std::uint8_t interest) noexcept;
  void forget(std::uint64_t tag) noexcept;
  void begin(Stream& stream);
  void begin_fresh();

  void handle(const epoll_event& event);
  void handle_stream(Stream& stream, std::uint32_t events);
  /// Receives until the socket is empty, or up to `kReadsMax` times. Both functions return false if
  /// the socket may have more.
  bool read(Stream& stream);
  bool receive(Stream& stream);
  void read_while_unwanted(Stream& stream, std::uint32_t events);
  void accept(Listener& listener);

  Descriptor epoll_;
  Descriptor wake_up_;
  std::uint64_t current_ = 0;  // the object being handled; 0 after it was detached
  std::size_t next_ = 0;       // the index of the event after the current one
  std::size_t count_ = 0;
  int accepts_ = 1;
  std::vector<Stream*> fresh_;  // null for those that were detached
  std::array<epoll_event, kBatchEvents> events_;
  ReadBlocks blocks_;
  std::size_t large_bytes_left_ = kLargeBytesMax;
};

void EpollLoop::attach(Stream& stream) {
  StreamAccess::interest(stream) = kFresh;
  fresh_.push_back(&stream);
}

void EpollLoop::begin_fresh() {
  // Streams that are opened meanwhile wait for the next round, so that the turn always ends.
  const std::size_t round = fresh_.size();
  // Callbacks may open streams and so move this vector: it is accessed by index, and each entry is
  // removed first.
  for (std::size_t index = 0; index < round; ++index) {
    if (fresh_[index] != nullptr) {
      begin(*std::exchange(fresh_[index], nullptr));
      flush_cork();
    }
  }
  fresh_.erase(fresh_.begin(), fresh_.begin() + static_cast<std::ptrdiff_t>(round));
}

// A connection usually arrives with its first request, and many end with its response. Those never
// enter the epoll set, which saves a seventh of their cost.
void EpollLoop::begin(Stream& stream) {
  current_ = tagged(&stream, Kind::stream);
  if (StreamAccess::wants_bytes(stream)) {
    read(stream);
  }
  // Adding a socket to the set reports remaining data, so one read is enough here.
  if (current_ != 0) {
    const std::uint8_t interest = wanted(stream);
    set_interest(stream, interest);
    control(EPOLL_CTL_ADD, StreamAccess::fd(stream), events_of(interest), current_);
  }
}

void EpollLoop::update(Stream& stream) {
  const std::uint8_t now = StreamAccess::interest(stream) & (kReads | kWrites | kFresh);
  if (now == kFresh) {
    return;  // `begin` sets the interest
  }
  const std::uint8_t wish = wanted(stream);
  // No system call is made when bytes are no longer wanted, unless some arrive.
  const bool can_wait = (wish & ~now) == 0 && (now & kWrites) == 0;
  if (wish != now && !can_wait) {
    change_interest(stream, wish);
  }
}

void EpollLoop::change_interest(Stream& stream, std::uint8_t interest) noexcept {
  set_interest(stream, interest);
  control(EPOLL_CTL_MOD, StreamAccess::fd(stream), events_of(interest),
          tagged(&stream, Kind::stream));
}

void EpollLoop::detach(Stream& stream) noexcept {
  if (cork_owner_ == &stream) {
    drop_cork();
  }
  if ((StreamAccess::interest(stream) & kFresh) != 0) {
    std::ranges::replace(fresh_, &stream, nullptr);
  } else {
    // Closing would do that only for the last descriptor of the socket (epoll(7), Q6). While
    // another thread starts a process, the child has a copy until it executes another program, and
    // events of the socket would be reported for a stream that was destroyed.
    control(EPOLL_CTL_DEL, StreamAccess::fd(stream), 0, 0);
  }
  forget(tagged(&stream, Kind::stream));
  ::close(StreamAccess::fd(stream));
}

Loop::Written EpollLoop::write(Stream& stream, std::string_view first, std::string_view second) {
  return write_socket(StreamAccess::fd(stream), first, second);
}

void EpollLoop::end_writing(Stream& stream) noexcept {
  ::shutdown(StreamAccess::fd(stream), SHUT_WR);
}

void EpollLoop::attach(Listener& listener) {
  // If several processes share the socket, only one of them is woken for each connection.
  control(EPOLL_CTL_ADD, WatchAccess::fd(listener), EPOLLIN | EPOLLEXCLUSIVE,
          tagged(&listener, Kind::listener));
}

void EpollLoop::detach(Listener& listener) noexcept {
  // A later event of this batch must not find a listener that was destroyed.
  forget(tagged(&listener, Kind::listener));
  control(EPOLL_CTL_DEL, WatchAccess::fd(listener), 0, 0);
}

void EpollLoop::attach(FdWatch& watch) {
  control(EPOLL_CTL_ADD, watch.fd(), events_of_watch(WatchAccess::wanted(watch)),
          tagged(&watch, Kind::watch));
}

void EpollLoop::update(FdWatch& watch) {
  control(EPOLL_CTL_MOD, watch.fd(), events_of_watch(WatchAccess::wanted(watch)),
          tagged(&watch, Kind::watch));
}

void EpollLoop::detach(FdWatch& watch) noexcept {
  forget(tagged(&watch, Kind::watch));
  control(EPOLL_CTL_DEL, watch.fd(), 0, 0);
}

void EpollLoop::forget(std::uint64_t tag) noexcept {
  if (current_ == tag) {
    current_ = 0;  // each object has at most one event in a batch
    return;
  }
  for (std::size_t index = next_; index < count_; ++index) {
    if (events_[index].data.u64 == tag) {
      events_[index].data.u64 = 0;
    }
  }
}

void EpollLoop::wake() noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_up_.get(), &one, sizeof(one));
}

void EpollLoop::wait(Instant until) {
  const bool has_fresh = !fresh_.empty();  // from posted work, or from before the loop ran
  begin_fresh();
  const int timeout = has_fresh ? 0 : until == Instant::max() ? -1 : milliseconds(until - now());
  const int count =
      ::epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), timeout);
  read_clocks();
  count_ = count > 0 ? static_cast<std::size_t>(count) : 0;
  large_bytes_left_ = kLargeBytesMax;
  has_all_ = count_ < events_.size();
  for (next_ = 0; next_ < count_;) {
    // Copy the event and count it as handled first, because a callback may remove it from the
    // batch.
    const epoll_event event = events_[next_++];
    handle(event);
    // Send each callback's output before the next stream may use the only cork.
    flush_cork();
    if (!fresh_.empty()) {
      begin_fresh();
    }
  }
  // Nothing is being handled between turns, so that `forget` searches only the batch.
  current_ = 0;
}

void EpollLoop::handle(const epoll_event& event) {
  const std::uint64_t tag = event.data.u64;
  current_ = tag;
  switch (static_cast<Kind>(tag & kKindMask)) {
    case Kind::stream:
      if (tag != 0) {
        handle_stream(object_of<Stream>(tag), event.events);
      }
      return;
    case Kind::listener:
      accept(object_of<Listener>(tag));
      return;
    case Kind::watch: {
      auto& watch = object_of<FdWatch>(tag);
      // The watch may be destroyed when this returns.
      watch.on_ready(readiness_of(event.events, WatchAccess::wanted(watch)));
      return;
    }
    case Kind::wake_up:
      return;
  }
}

void EpollLoop::handle_stream(Stream& stream, std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) [[unlikely]] {
    StreamAccess::tell_writable(stream);
    if (current_ == 0) {
      return;
    }
  }
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) == 0) {
    return;
  }
  if (StreamAccess::wants_bytes(stream)) [[likely]] {
    const bool is_empty = read(stream);
    // After the peer's end there is one more thing to receive, which no edge will report.
    if (current_ != 0 && (!is_empty || (events & EPOLLRDHUP) != 0)) [[unlikely]] {
      change_interest(stream, wanted(stream));
    }
  } else {
    read_while_unwanted(stream, events);
  }
}

bool EpollLoop::read(Stream& stream) {
  for (int reads = 0; reads < kReadsMax; ++reads) {
    if (receive(stream)) [[likely]] {
      return true;
    }
    // Send its output first: if that fails, the stream may want no more bytes.
    flush_cork();
    if (current_ == 0 || !reads_large(stream) || !StreamAccess::wants_bytes(stream)) {
      break;
    }
  }
  return false;
}

bool EpollLoop::receive(Stream& stream) {
  const bool is_large = reads_large(stream);
  const std::size_t bytes_max = is_large ? ReadBlocks::kBytes : kReadBytes;
  // The bytes belong to the owner until it returns, unless it borrows them: the next stream uses
  // the same memory.
  char* const room = blocks_.open();
  const ssize_t count = ::recv(StreamAccess::fd(stream), room, bytes_max, 0);
  if (count > 0) [[likely]] {
    StreamAccess::tell_bytes(stream, {room, static_cast<std::size_t>(count)});
  } else if (count == 0) {
    StreamAccess::tell_end(stream);
  } else if (!is_try_again(errno)) {
    StreamAccess::tell_broken(stream, net_error(errno));
  }
  blocks_.close();
  run_after_event();
  const bool is_full = count == static_cast<ssize_t>(bytes_max);
  if ((is_full || is_large) && current_ != 0) [[unlikely]] {
    // After a read that is not full, the next one is small: it may be another request, whose bytes
    // are copied if no handler reads them.
    const bool is_taken =
        is_full && !blocks_.is_lent() && blocks_.lent_bytes() >= bytes_max / 4 * 3;
    std::uint8_t& interest = StreamAccess::interest(stream);
    interest =
        static_cast<std::uint8_t>(is_taken ? interest | kReadsLarge : interest & ~kReadsLarge);
  }
  if (is_large) {
    large_bytes_left_ -= std::min(large_bytes_left_, bytes_max);
  }
  return !is_full;
}

void EpollLoop::read_while_unwanted(Stream& stream, std::uint32_t events) {
  if ((events & (EPOLLHUP | EPOLLERR)) != 0 && !StreamAccess::reads_on(stream)) {
    const int error = pending_error(StreamAccess::fd(stream));
    StreamAccess::tell_broken(stream, error == 0 ? NetError::closed : net_error(error));
    return;
  }
  // When bytes are wanted again, `update` makes the kernel report these.
  StreamAccess::interest(stream) &= static_cast<std::uint8_t>(~kReads);
}

void EpollLoop::accept(Listener& listener) {
  // The quota follows the number of arrivals, so that in steady state no call of accept fails.
  for (int done = 0; done < accepts_; ++done) {
    Descriptor fd(
        ::accept4(WatchAccess::fd(listener), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (fd.is_open()) {
      WatchAccess::tell_accepted(listener, std::move(fd));
      flush_cork();
    } else if (is_try_again(errno)) {
      accepts_ = std::max(done, 1);
      return;
    } else if (!is_of_one_connection(errno)) {
      const NetError error = net_error(errno);
      // Level-triggered, it would report the same shortage again, so it is detached until the
      // listener attaches again.
      detach(listener);
      WatchAccess::tell_failed(listener, error);
      return;
    }
    if (current_ == 0) {
      return;
    }
  }
  accepts_ = std::min(accepts_ * 2, kAcceptsMax);
}

}  // namespace

Result<std::unique_ptr<Loop>> make_epoll_loop() {
  Descriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
  Descriptor wake_up(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll.is_open() || !wake_up.is_open()) {
    return fail(
        Error(500, "Cannot create an event loop: " + std::string(text(net_error(errno))) + "."));
  }
  return std::make_unique<EpollLoop>(std::move(epoll), std::move(wake_up));
}

}  // namespace eider
