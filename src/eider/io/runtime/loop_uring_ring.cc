#include "eider/io/runtime/loop_uring_ring.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "eider/core/base/assert.h"

namespace eider {

namespace {

constexpr unsigned kSubmissions = 1024;
constexpr unsigned kCompletions = 8192;
constexpr std::uint32_t kFixedFiles = 16384;

// Created disabled, so that the thread that runs the loop becomes the ring's only submitter.
constexpr unsigned kSetup = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                            IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG |
                            IORING_SETUP_R_DISABLED | IORING_SETUP_SUBMIT_ALL |
                            IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;

bool is_disabled_by_sysctl() {
  std::ifstream file("/proc/sys/kernel/io_uring_disabled");
  int value = 0;
  return static_cast<bool>(file >> value) && value != 0;
}

std::string reason(int error) {
  switch (error) {
    case ENOSYS:
      return "this kernel has no io_uring, or a sandbox hides io_uring; use the epoll backend.";
    case EPERM:
      return is_disabled_by_sysctl() ? "the sysctl kernel.io_uring_disabled forbids io_uring; set "
                                       "the sysctl to 0, or use the epoll backend."
                                     : "a seccomp filter forbids io_uring (as container runtimes "
                                       "do by default); allow io_uring_setup, io_uring_enter and "
                                       "io_uring_register, or use the epoll backend.";
    case EINVAL:
      return "this kernel is too old; use Linux 6.1 or later, or use the epoll backend.";
    case ENOMEM:
      return "the limit of locked memory is too low; raise RLIMIT_MEMLOCK, or use the epoll "
             "backend.";
    default:
      return std::string(std::strerror(error)) + "; use the epoll backend.";
  }
}

}  // namespace

UringRing::~UringRing() {
  if (is_open_) {
    io_uring_queue_exit(&ring_);
  }
}

Result<void> UringRing::open() {
  io_uring_params parameters{};
  parameters.flags = kSetup;
  parameters.cq_entries = kCompletions;
  const int error = -io_uring_queue_init_params(kSubmissions, &ring_, &parameters);
  if (error != 0) {
    return fail(Error(500, "io_uring cannot be used: " + reason(error)));
  }
  is_open_ = true;
  // Also works without, at a few per cent more per request.
  if (io_uring_register_files_sparse(&ring_, kFixedFiles) == 0) {
    fixed_files_max_ = kFixedFiles;
  }
  return {};
}

void UringRing::enable() noexcept {
  // liburing 2.3 declares io_uring_enable_rings, but does not export it.
  const int error = io_uring_register(static_cast<unsigned>(ring_.ring_fd),
                                      IORING_REGISTER_ENABLE_RINGS, nullptr, 0);
  ensure(error == 0, "a disabled ring can be enabled");
  // Saves a look-up of the ring's own descriptor per call; also works without.
  io_uring_register_ring_fd(&ring_);
  is_enabled_ = true;
}

io_uring_sqe& UringRing::entry() noexcept {
  io_uring_sqe* entry = io_uring_get_sqe(&ring_);
  if (entry == nullptr) {
    // The kernel accepts all entries in this call, so there is room without waiting.
    submit();
    is_early_ = true;
    entry = io_uring_get_sqe(&ring_);
    ensure(entry != nullptr, "submitting makes room");
  }
  return *entry;
}

void UringRing::submit() noexcept {
  io_uring_submit(&ring_);
}

// Since Linux 6.13 a waiting call returns twenty completions, or twice as many, and leaves the
// other finished ones to the next call.
bool UringRing::keeps_back() const noexcept {
  return (IO_URING_READ_ONCE(*ring_.sq.kflags) & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW)) != 0;
}

void UringRing::submit_and_wait(Duration patience) noexcept {
  io_uring_cqe* first = nullptr;
  if (patience == Duration::max()) {
    io_uring_submit_and_wait_timeout(&ring_, &first, 1, nullptr, nullptr);
    return;
  }
  const std::int64_t nanoseconds = std::max<std::int64_t>(patience.count(), 0);
  __kernel_timespec limit{.tv_sec = nanoseconds / 1'000'000'000,
                          .tv_nsec = nanoseconds % 1'000'000'000};
  io_uring_submit_and_wait_timeout(&ring_, &first, 1, &limit, nullptr);
}

}  // namespace eider
