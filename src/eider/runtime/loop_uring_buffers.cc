#include "eider/runtime/loop_uring_buffers.h"

#include <sys/mman.h>

#include <cstring>
#include <string>

namespace eider {

namespace {

Error without_buffers(int error) {
  return {500, "io_uring cannot be used: no ring of buffers (" + std::string(std::strerror(error)) +
                   "); it takes Linux 6.1, or use the epoll backend."};
}

}  // namespace

UringBuffers::~UringBuffers() {
  if (buffers_ != nullptr) {
    ::munmap(buffers_, kBuffersMax * sizeof(io_uring_buf));
  }
}

Result<void> UringBuffers::open() {
  void* memory = ::mmap(nullptr, kBuffersMax * sizeof(io_uring_buf), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return fail(without_buffers(ENOMEM));
  }
  buffers_ = static_cast<io_uring_buf_ring*>(memory);
  io_uring_buf_reg registration{};
  registration.ring_addr = reinterpret_cast<std::uintptr_t>(memory);
  registration.ring_entries = kBuffersMax;
  registration.bgid = kGroup;
  const int error = -io_uring_register_buf_ring(&ring_.raw(), &registration, 0);
  if (error != 0) {
    return fail(without_buffers(error));
  }
  io_uring_buf_ring_init(buffers_);
  grow();
  publish();
  return {};
}

void UringBuffers::give_back(unsigned id) noexcept {
  io_uring_buf_ring_add(buffers_, data(id), kBufferBytes, static_cast<unsigned short>(id),
                        io_uring_buf_ring_mask(kBuffersMax), unpublished_++);
}

void UringBuffers::publish() noexcept {
  if (unpublished_ != 0) {
    io_uring_buf_ring_advance(buffers_, unpublished_);
    unpublished_ = 0;
  }
}

void UringBuffers::grow() {
  const auto first = static_cast<unsigned>(blocks_.size()) * kPerBlock;
  if (first == kBuffersMax) {
    return;
  }
  blocks_.push_back(std::unique_ptr<char[]>(new char[std::size_t{kPerBlock} * kBufferBytes]));
  for (unsigned id = first; id < first + kPerBlock; ++id) {
    give_back(id);
  }
}

}  // namespace eider
