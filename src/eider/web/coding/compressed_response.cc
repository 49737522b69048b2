#include "eider/web/coding/compressed_response.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/assert.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/accept_encoding.h"
#include "eider/server/content.h"
#include "eider/web/coding/compressed_content.h"
#include "eider/web/coding/encoded_head.h"

namespace eider {
namespace {

/// Reads the bytes of a file in slices, for bodies that the program must process.
///
/// cost    one copy from the page cache of the kernel; other bytes are read on the blocking pool
/// errors  the body fails if the file cannot be read, or is shorter than the length of the body
class FileBytes final : public ProducedContent {
 public:
  explicit FileBytes(ContentPtr<FileContent> content) noexcept : content_(std::move(content)) {}

  [[nodiscard]] Task<> produce(BodyWriter& out) override;
  [[nodiscard]] std::optional<std::uint64_t> length() const noexcept override {
    return content_->bytes();
  }

 private:
  [[nodiscard]] Task<> copy(BodyWriter& out, std::uint64_t begin, std::uint64_t end) const;

  ContentPtr<FileContent> content_;
};

/// For bytes that are not in the page cache: large, because each slice is a job for the blocking
/// pool.
constexpr std::size_t kSliceBytes = 128UL * 1024;

using Scratch = std::array<char, kPieceBytes>;

/// One buffer per thread: its bytes are written before the event loop runs other work.
Scratch& scratch() noexcept {
  thread_local Scratch bytes;
  return bytes;
}

/// Returns the bytes of the file from `offset` that are in the page cache; nothing if reading would
/// wait.
std::string_view read_cached(int fd, std::uint64_t offset, std::size_t bytes_max) noexcept {
  Scratch& bytes = scratch();
  iovec into{bytes.data(), std::min(bytes.size(), bytes_max)};
  const ssize_t count = preadv2(fd, &into, 1, static_cast<off_t>(offset), RWF_NOWAIT);
  return {bytes.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
}

/// Runs on a thread of the blocking pool. Throws if no bytes can be read.
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
      co_await out.write(cached);
      co_await yield_now();
      continue;
    }
    // The job may continue after this task was destroyed, so it owns a reference to the file.
    const std::string slice = co_await run_blocking(
        [file = content_->file(), begin, wanted = at_most(end - begin, kSliceBytes)] {
          return read_slice(file->get(), begin, wanted);
        });
    begin += slice.size();
    co_await write_in_pieces(out, slice);
  }
}

/// A larger scratch buffer is freed.
constexpr std::size_t kKeptBytesMax = 256UL * 1024;
constexpr std::size_t kGzipFirstBytesMax = 12UL * 1024;
constexpr int kNotModified = 304;

/// The server's codings, best first.
class Offer {
 public:
  explicit Offer(std::vector<ContentCoding> codings) : codings_(std::move(codings)) {
    for (const ContentCoding coding : codings_) {
      ensure(coding != ContentCoding::deflate, "deflate is only decompressed, never compressed");
      names_.push_back(to_text(coding));
    }
  }

  [[nodiscard]] std::optional<ContentCoding> accepted_by(const Request& request) const {
    const auto index = AcceptEncoding(request.headers()).choose(names_);
    return index ? std::optional(codings_[*index]) : std::nullopt;
  }

 private:
  std::vector<ContentCoding> codings_;
  std::vector<std::string_view> names_;
};

class Compression {
 public:
  explicit Compression(CompressionOptions options)
      : options_(std::move(options)),
        for_small_(offer_of({ContentCoding::zstd, ContentCoding::gzip, ContentCoding::brotli})),
        for_large_(offer_of({ContentCoding::zstd, ContentCoding::brotli, ContentCoding::gzip})) {}

  void apply(const Request& request, Response& response) const {
    if (response.status() == kNotModified) {
      mark_not_modified(request, response);
      return;
    }
    std::visit(ContentCases{[&](const BytesContent&) { apply_to_body(request, response); },
                            [&](const ContentPtr<FileContent>& file) {
                              if (file->bytes() <= options_.file_bytes_max) {
                                apply_now(request, response, file->bytes());
                              }
                            },
                            [&](const ContentPtr<ProducedContent>& produced) {
                              apply_to_produced(request, response, *produced);
                            },
                            [](const ContentPtr<Upgrade>&) {}},
               response.content());
  }

 private:
  [[nodiscard]] Offer offer_of(const std::vector<ContentCoding>& usual) const {
    return Offer(options_.codings.empty() ? usual : options_.codings);
  }

  [[nodiscard]] std::optional<ContentCoding> coding_for(const Request& request,
                                                        const Response& response,
                                                        const Offer& offer) const {
    const bool is_left =
        must_stay_plain(options_.breach_protection, exposure_of(request), response.field_lines());
    return is_left ? std::nullopt : offer.accepted_by(request);
  }

  void apply_to_body(const Request& request, Response& response) const {
    if (response.body().size() < options_.bytes_min || !may_be_encoded(response)) {
      return;
    }
    vary_by_encoding(response);
    const bool is_small = response.body().size() <= kGzipFirstBytesMax;
    const Offer& offer = is_small ? for_small_ : for_large_;
    if (const auto coding = coding_for(request, response, offer)) {
      encode_body(response, *coding);
    }
  }

  void encode_body(Response& response, ContentCoding coding) const {
    if (response.body().size() > options_.bytes_at_once_max) {
      TakenBody body(response);
      response.set_content(
          std::make_unique<CompressedBody>(std::move(body), coding, options_.levels));
      mark_encoded(response, coding);
      return;
    }
    thread_local Buffer packed;  // swapped with that of the response, to keep the memory of both
    packed.clear();
    compress(coding, response.body(), packed, options_.levels);
    if (packed.size() < response.body().size()) {
      response.body_buffer().swap(packed);
      mark_encoded(response, coding);
    }
    if (packed.capacity() > kKeptBytesMax) {
      packed.release();
    }
  }

  void apply_to_produced(const Request& request, Response& response,
                         const ProducedContent& content) const {
    if (content.is_live() && options_.streams == StreamCompression::off) {
      return;
    }
    // The producer may still change the headers, so the decision is made at the first byte. Without
    // a first byte (for HEAD), or with a known length, it is made now.
    if (content.length().has_value() || request.method() == Method::head) {
      apply_now(request, response, content.length());
    } else {
      const ChosenCoding chosen{.coding = for_large_.accepted_by(request),
                                .levels = options_.levels,
                                .breach_protection = options_.breach_protection,
                                .exposure = exposure_of(request)};
      response.set_content(std::make_unique<CompressedContent>(take_produced(response), chosen));
    }
  }

  void apply_now(const Request& request, Response& response,
                 std::optional<std::uint64_t> length) const {
    const bool is_small = length && *length < options_.bytes_min;
    if (is_small || !may_be_encoded(response)) {
      return;
    }
    vary_by_encoding(response);
    if (const auto coding = coding_for(request, response, for_large_)) {
      response.set_content(
          std::make_unique<CompressedContent>(take_produced(response), *coding, options_.levels));
      mark_encoded(response, *coding);
    }
  }

  /// Pre: the body is produced or a file.
  static ContentPtr<ProducedContent> take_produced(Response& response) {
    Content content = response.take_content();
    if (auto* const file = std::get_if<ContentPtr<FileContent>>(&content)) {
      return std::make_unique<FileBytes>(std::move(*file));
    }
    return std::get<ContentPtr<ProducedContent>>(std::move(content));
  }

  CompressionOptions options_;
  Offer for_small_;
  Offer for_large_;
};

}  // namespace

Hook compression(CompressionOptions options) {
  auto shared = std::make_shared<const Compression>(std::move(options));
  return Hook{.on_request = {},
              .on_response = [shared = std::move(shared)](
                                 const Request& request,
                                 Response& response) { shared->apply(request, response); },
              .name = "compression"};
}

}  // namespace eider
