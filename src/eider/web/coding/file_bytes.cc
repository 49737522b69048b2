#include "eider/web/coding/file_bytes.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>

#include "eider/core/base/failure.h"
#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/sleep.h"
#include "eider/web/coding/compressed_content.h"

namespace eider {

namespace {

/// Of a file that is not in the kernel's cache: a call of the blocking pool is worth some bytes.
constexpr std::size_t kSliceBytes = 128UL * 1024;

using Scratch = std::array<char, kPieceBytes>;

/// One for all that a thread reads: what is in it is handed on before anything waits.
Scratch& scratch() noexcept {
  thread_local Scratch bytes;
  return bytes;
}

/// What the kernel's cache has of the file from `offset` on; nothing when it would have to wait.
std::string_view read_cached(int fd, std::uint64_t offset, std::size_t bytes_max) noexcept {
  Scratch& bytes = scratch();
  iovec into{bytes.data(), std::min(bytes.size(), bytes_max)};
  const ssize_t count = preadv2(fd, &into, 1, static_cast<off_t>(offset), RWF_NOWAIT);
  return {bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
}

/// On a thread of the blocking pool. Throws where there is nothing to be read.
std::string read_slice(int fd, std::uint64_t offset, std::size_t bytes_max) {
  std::string bytes(bytes_max, '\0');
  ssize_t count = -1;
  do {
    count = pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  } while (count < 0 && errno == EINTR);
  if (count <= 0) {
    throw Failure(Error::internal(count == 0 ? "The file became shorter while it was sent."
                                             : "The file cannot be read."));
  }
  bytes.resize(static_cast<std::size_t>(count));
  return bytes;
}

std::size_t at_most(std::uint64_t bytes, std::size_t bytes_max) noexcept {
  return static_cast<std::size_t>(std::min<std::uint64_t>(bytes, bytes_max));
}

}  // namespace

Task<> FileBytes::produce(BodyWriter& out) {
  for (const FileContent::Piece& piece : content_->pieces()) {
    out.put(piece.before);
    co_await copy(out, piece.offset, piece.offset + piece.bytes);
  }
  out.put(content_->tail());
}

Task<> FileBytes::copy(BodyWriter& out, std::uint64_t begin, std::uint64_t end) const {
  const int fd = content_->file()->get();
  while (begin != end) {
    const std::string_view cached = read_cached(fd, begin, at_most(end - begin, kPieceBytes));
    if (!cached.empty()) {
      begin += cached.size();
      auto written = out.write(cached);
      co_await written;
      auto turn = yield_now();
      co_await turn;
      continue;
    }
    // The work may go on when this task is gone: it keeps the file open by itself.
    auto work =
        run_blocking([file = content_->file(), begin, wanted = at_most(end - begin, kSliceBytes)] {
          return read_slice(file->get(), begin, wanted);
        });
    const std::string slice = co_await work;
    begin += slice.size();
    co_await write_in_pieces(out, slice);
  }
}

}  // namespace eider
