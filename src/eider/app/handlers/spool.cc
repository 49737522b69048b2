#include "eider/app/handlers/spool.h"

#include <algorithm>
#include <string_view>

#include "eider/core/base/failure.h"

namespace eider {

namespace {

[[noreturn]] void throw_file_failure(FileError error, std::string_view directory = {}) {
  std::string cause("a temporary file");
  cause.append(directory.empty() ? "" : " in ").append(directory).append(": ");
  throw Failure(Error::internal(std::move(cause.append(text(error)))));
}

[[noreturn]] void throw_too_large() {
  throw Failure(Error(413, "The request body is too large."));
}

/// Writes the bytes that have arrived and the rest of the body to a file.
Task<TempFile> spool_to_file(BodyStream body, std::string come, std::uint64_t bytes_max,
                             std::string directory) {
  TempFileWriter file = co_await TempFileWriter::create(std::move(directory));
  std::uint64_t bytes = come.size();
  // Written in pieces of the writer's size, because each write is a job for the blocking pool.
  bool is_full = file.gather(come);
  come = {};
  while (true) {
    if (is_full) {
      co_await file.write();
    }
    const std::optional<std::string_view> piece = co_await body.next();
    if (!piece.has_value()) {
      break;
    }
    bytes += piece->size();
    if (bytes > bytes_max) {
      throw_too_large();
    }
    is_full = file.gather(*piece);
  }
  co_return co_await file.finish();
}

}  // namespace

Task<TempFileWriter> TempFileWriter::create(std::string directory) {
  auto file = co_await TempFile::create(directory);
  if (!file) {
    throw_file_failure(file.error(), directory);
  }
  co_return TempFileWriter(std::move(*file));
}

Task<> TempFileWriter::write() {
  const auto written = co_await file_.append(gathered_.take());
  if (!written) {
    throw_file_failure(written.error());
  }
}

Task<TempFile> TempFileWriter::finish() {
  co_await write();
  co_return std::move(file_);
}

Task<std::string> SpooledBody::read(std::uint64_t offset, std::size_t bytes_max) const {
  if (is_in_memory()) {
    const auto from = static_cast<std::size_t>(std::min<std::uint64_t>(offset, bytes_.size()));
    co_return bytes_.substr(from, bytes_max);
  }
  auto bytes = co_await file_->read(offset, bytes_max);
  if (!bytes) {
    throw_file_failure(bytes.error());
  }
  co_return std::move(*bytes);
}

Task<SpooledBody> spool(BodyStream body, std::size_t memory_bytes_max, std::uint64_t bytes_max,
                        std::string directory) {
  if (body.length().value_or(0) > bytes_max) {
    throw_too_large();
  }
  std::string memory;
  while (memory.size() <= memory_bytes_max) {
    const std::optional<std::string_view> piece = co_await body.next();
    if (!piece.has_value()) {
      co_return SpooledBody(std::move(memory));
    }
    if (piece->size() > bytes_max - memory.size()) {
      throw_too_large();
    }
    memory.append(*piece);
  }
  TempFile file = co_await spool_to_file(body, std::move(memory), bytes_max, std::move(directory));
  co_return SpooledBody(std::move(file));
}

}  // namespace eider
