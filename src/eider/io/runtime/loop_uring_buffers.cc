#include "eider/io/runtime/loop_uring_buffers.h"

#include <sys/mman.h>
#include <sys/utsname.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "eider/core/base/assert.h"
#include "eider/core/base/poison.h"

namespace eider {

namespace {

// Newer than liburing 2.3: IOU_PBUF_RING_INC and IORING_CQE_F_BUF_MORE.
constexpr std::uint16_t kIncremental = 2;
constexpr std::uint32_t kBufferGoesOn = 1U << 4;

/// io_uring_buf_reg as current kernels read it; `flags` used to be padding.
struct Enrolment {
  std::uint64_t ring_address;
  std::uint32_t ring_entries;
  std::uint16_t group;
  std::uint16_t flags;
  std::uint64_t reserved[3];
};
static_assert(sizeof(Enrolment) == sizeof(io_uring_buf_reg));

Error without_buffers(int error) {
  return {500, "io_uring cannot be used: the kernel cannot create a buffer ring (" +
                   std::string(std::strerror(error)) +
                   "); use Linux 6.1 or later, or use the epoll backend."};
}

unsigned id_of(const io_uring_cqe& receive) noexcept {
  return receive.flags >> IORING_CQE_BUFFER_SHIFT;
}

struct KernelVersion {
  int major = 0;
  int minor = 0;
};

KernelVersion kernel_version() noexcept {
  utsname names{};
  KernelVersion version;
  if (::uname(&names) == 0) {
    const char* end = names.release + std::strlen(names.release);
    const auto major = std::from_chars(names.release, end, version.major);
    if (major.ec == std::errc{} && major.ptr != end) {
      std::from_chars(major.ptr + 1, end, version.minor);
    }
  }
  return version;
}

}  // namespace

BufferFilling best_filling() noexcept {
  const KernelVersion kernel = kernel_version();
  const bool keeps_order = kernel.major > 6 || (kernel.major == 6 && kernel.minor >= 15);
  return keeps_order ? BufferFilling::bit_by_bit : BufferFilling::once_each;
}

UringBuffers::~UringBuffers() {
  if (buffers_ != nullptr) {
    ::munmap(buffers_, kEntries * sizeof(io_uring_buf));
  }
}

Result<void> UringBuffers::open(BufferFilling filling) {
  void* memory = ::mmap(nullptr, kEntries * sizeof(io_uring_buf), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return fail(without_buffers(ENOMEM));
  }
  buffers_ = static_cast<io_uring_buf_ring*>(memory);
  fills_bit_by_bit_ = filling == BufferFilling::bit_by_bit && enroll(kIncremental) == 0;
  if (fills_bit_by_bit_) {
    shape_ = kLarge;
  } else if (const int error = enroll(0); error != 0) {
    return fail(without_buffers(error));
  }
  io_uring_buf_ring_init(buffers_);
  grow();
  publish();
  return {};
}

int UringBuffers::enroll(std::uint16_t flags) noexcept {
  Enrolment enrolment{};
  enrolment.ring_address = reinterpret_cast<std::uintptr_t>(buffers_);
  enrolment.ring_entries = kEntries;
  enrolment.group = kGroup;
  enrolment.flags = flags;
  return -io_uring_register(static_cast<unsigned>(ring_.raw().ring_fd), IORING_REGISTER_PBUF_RING,
                            &enrolment, 1);
}

std::string_view UringBuffers::take(const io_uring_cqe& receive) noexcept {
  if (receive.res <= 0 || (receive.flags & IORING_CQE_F_BUFFER) == 0) {
    return {};
  }
  const unsigned id = id_of(receive);
  const auto bytes = static_cast<std::size_t>(receive.res);
  const std::size_t before = filled_[id];
  // Counted for each completed receive, even if its stream was detached; otherwise the next one
  // would be cut wrongly.
  filled_[id] += fills_bit_by_bit_ ? bytes : 0;
  // If the count were wrong, a client could get the bytes of another.
  ensure(before + bytes <= shape_.buffer_bytes, "the kernel fills only its buffer");
  detail::base::unpoison(data(id) + before, bytes);
  taken_ = {data(id) + before, bytes};
  taken_id_ = id;
  return taken_;
}

void UringBuffers::release(const io_uring_cqe& receive) noexcept {
  if ((receive.flags & IORING_CQE_F_BUFFER) == 0) {
    return;
  }
  taken_ = {};
  if (loans_[id_of(receive)].open == 0) {
    poison_told(receive);
  }
  // The kernel keeps a buffer that it fills bit by bit until it is full; then all its bytes have
  // been reported. A receive without bytes has not started one, although kernels up to 6.19 report
  // at the end of a file that the buffer is finished.
  if (fills_bit_by_bit_ && (receive.res <= 0 || (receive.flags & kBufferGoesOn) != 0)) {
    return;
  }
  if (Loans& loans = loans_[id_of(receive)]; loans.open != 0) {
    loans.is_done = true;
    return;
  }
  provide_again(id_of(receive));
}

bool UringBuffers::lend(std::string_view bytes, ReadLoan& loan) noexcept {
  const std::less_equal<const char*> is_before;
  const bool is_within = is_before(taken_.data(), bytes.data()) &&
                         is_before(bytes.data() + bytes.size(), taken_.data() + taken_.size());
  // Half of the buffers stay for streams that copy, so that slow handlers cannot stop all receives.
  const bool has_many = lent_ >= shape_.buffers_max / 2;
  if (bytes.size() < ReadBlocks::kLentBytesMin || !is_within || has_many) {
    return false;
  }
  lent_ += loans_[taken_id_].open++ == 0 ? 1 : 0;
  loan.begin(*this, bytes, taken_id_);
  return true;
}

void UringBuffers::end(ReadLoan& loan) noexcept {
  Loans& loans = loans_[loan.id()];
  detail::base::poison(loan.view().data(), loan.view().size());
  if (--loans.open != 0) {
    return;
  }
  --lent_;
  if (std::exchange(loans.is_done, false)) {
    provide_again(loan.id());
    publish();  // the current turn, which would do it, may be over
  }
}

void UringBuffers::provide_again(unsigned id) noexcept {
  detail::base::poison(data(id), shape_.buffer_bytes);
  filled_[id] = 0;
  provide(id);
}

/// Poisons the bytes of this receive, and earlier ones in the buffer: no stream may use them.
void UringBuffers::poison_told(const io_uring_cqe& receive) const noexcept {
  const unsigned id = id_of(receive);
  const std::size_t bytes = fills_bit_by_bit_ ? filled_[id] : shape_.buffer_bytes;
  detail::base::poison(data(id), bytes);
}

void UringBuffers::provide(unsigned id) noexcept {
  io_uring_buf_ring_add(buffers_, data(id), static_cast<unsigned>(shape_.buffer_bytes),
                        static_cast<unsigned short>(id), io_uring_buf_ring_mask(kEntries),
                        unpublished_++);
}

void UringBuffers::publish() noexcept {
  if (unpublished_ != 0) {
    io_uring_buf_ring_advance(buffers_, unpublished_);
    // The kernel sees new buffers when the tail moves, so it moves once per turn.
    unpublished_ = 0;
  }
}

void UringBuffers::grow() {
  const auto first = static_cast<unsigned>(blocks_.size()) * shape_.per_block;
  if (first == shape_.buffers_max) {
    return;
  }
  // Blocks never move: the kernel has their addresses until the ring ends.
  blocks_.push_back(std::unique_ptr<char[]>(new char[shape_.per_block * shape_.buffer_bytes]));
  filled_.resize(first + shape_.per_block);
  loans_.resize(first + shape_.per_block);
  for (unsigned id = first; id < first + shape_.per_block; ++id) {
    provide(id);
  }
}

}  // namespace eider
