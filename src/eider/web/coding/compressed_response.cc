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
#include "eider/core/base/buffer.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/accept_encoding.h"
#include "eider/server/content.h"
#include "eider/web/coding/encoded_head.h"

namespace eider {

namespace {

/// The compression settings for a request, stored until the first byte of the body.
struct ChosenCoding {
  /// Nothing: the body is not compressed, even if its type is compressible.
  std::optional<ContentCoding> coding = {};
  CompressionLevels levels = {};
  BreachProtection breach_protection = BreachProtection::cross_site;
  Exposure exposure = {};
};

/// When compressed bytes are sent.
enum class Delivery : std::uint8_t {
  /// When enough bytes have been collected, and when the producer flushes.
  gathered,
  /// After each write.
  live,
};

/// Compresses the bytes that are written to it.
///
/// memory  a Compressor, from the first byte
class CompressingWriter final : public BodyWriter {
 public:
  /// out  must outlive this object
  CompressingWriter(BodyWriter& out, ContentCoding coding, CompressionLevels levels,
                    Delivery delivery);
  /// Reads the response headers at the first byte, because the producer may change them until then.
  CompressingWriter(BodyWriter& out, const ChosenCoding& chosen, Delivery delivery) noexcept;

  /// Writes the end of the stream. Nothing may be written after it.
  void finish();

  [[nodiscard]] Response& head() noexcept override { return out_.head(); }
  void add_trailer(std::string_view name, std::string_view value) override {
    out_.add_trailer(name, value);
  }
  void put(std::string_view bytes) override;
  void flush() override;
  [[nodiscard]] AsyncEvent& room() noexcept override { return out_.room(); }

 private:
  void decide();
  void hand_on();

  BodyWriter& out_;
  std::optional<ChosenCoding> undecided_;
  std::optional<Compressor> compressor_;
  Buffer packed_;
  Delivery delivery_;
};

/// Content of a producer that is compressed while it is sent.
class CompressedContent final : public ProducedContent {
 public:
  /// For a response whose headers already contain the coding.
  CompressedContent(ContentPtr<ProducedContent> inner, ContentCoding coding,
                    CompressionLevels levels) noexcept;
  /// For a response whose headers are checked at the first byte.
  CompressedContent(ContentPtr<ProducedContent> inner, const ChosenCoding& chosen) noexcept;

  [[nodiscard]] Task<> produce(BodyWriter& out) override;
  [[nodiscard]] bool is_live() const noexcept override { return inner_->is_live(); }

 private:
  [[nodiscard]] Delivery delivery() const noexcept;

  ContentPtr<ProducedContent> inner_;
  ChosenCoding chosen_;
  bool is_decided_;
};

/// Compressing a piece takes a few tenths of a millisecond; then other work of the event loop runs.
inline constexpr std::size_t kPieceBytes = 16UL * 1024;

/// The bytes of a Response's body, however they are stored.
class TakenBody {
 public:
  /// Moves what `response` owns or shares. Copies a view, because it may refer to the request,
  /// which may be destroyed before the last bytes are written.
  explicit TakenBody(Response& response);
  [[nodiscard]] std::string_view view() const noexcept;

 private:
  std::shared_ptr<const void> owner_;  // keeps shared_ valid
  std::string_view shared_;
  std::string text_;
  Buffer buffer_;
};

/// A body that is too large to compress at once without delaying the event loop.
class CompressedBody final : public ProducedContent {
 public:
  CompressedBody(TakenBody body, ContentCoding coding, CompressionLevels levels) noexcept
      : body_(std::move(body)), coding_(coding), levels_(levels) {}
  [[nodiscard]] Task<> produce(BodyWriter& out) override;

 private:
  TakenBody body_;
  ContentCoding coding_;
  CompressionLevels levels_;
};

/// Smaller pieces are collected: even the gzip header would be a chunk of ten bytes.
constexpr std::size_t kHandOnBytesMin = 1024;

CompressingWriter::CompressingWriter(BodyWriter& out, ContentCoding coding,
                                     CompressionLevels levels, Delivery delivery)
    : out_(out), compressor_(std::in_place, coding, levels), delivery_(delivery) {}

CompressingWriter::CompressingWriter(BodyWriter& out, const ChosenCoding& chosen,
                                     Delivery delivery) noexcept
    : out_(out), undecided_(chosen), delivery_(delivery) {}

void CompressingWriter::decide() {
  const ChosenCoding chosen = *std::exchange(undecided_, std::nullopt);
  Response& its_head = head();
  if (!may_be_encoded(its_head)) {
    return;
  }
  vary_by_encoding(its_head);
  if (chosen.coding &&
      !must_stay_plain(chosen.breach_protection, chosen.exposure, its_head.field_lines())) {
    compressor_.emplace(*chosen.coding, chosen.levels);
    mark_encoded(its_head, *chosen.coding);
  }
}

void CompressingWriter::put(std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  if (undecided_) {
    decide();
  }
  if (!compressor_) {
    out_.put(bytes);
    return;
  }
  compressor_->write(bytes, packed_);
  if (delivery_ == Delivery::live) {
    compressor_->flush(packed_);
    hand_on();
  } else if (packed_.size() >= kHandOnBytesMin) {
    hand_on();
  }
}

void CompressingWriter::flush() {
  if (undecided_) {  // before the response headers, which contain the result
    decide();
  }
  if (compressor_) {
    compressor_->flush(packed_);
    hand_on();
  }
  out_.flush();
}

void CompressingWriter::finish() {
  if (compressor_) {
    compressor_->finish(packed_);
    hand_on();
  }
}

void CompressingWriter::hand_on() {
  if (!packed_.empty()) {
    out_.put(packed_.view());
    packed_.clear();
  }
}

CompressedContent::CompressedContent(ContentPtr<ProducedContent> inner, ContentCoding coding,
                                     CompressionLevels levels) noexcept
    : inner_(std::move(inner)), chosen_{.coding = coding, .levels = levels}, is_decided_(true) {}

CompressedContent::CompressedContent(ContentPtr<ProducedContent> inner,
                                     const ChosenCoding& chosen) noexcept
    : inner_(std::move(inner)), chosen_(chosen), is_decided_(false) {}

Delivery CompressedContent::delivery() const noexcept {
  return inner_->is_live() ? Delivery::live : Delivery::gathered;
}

Task<> CompressedContent::produce(BodyWriter& out) {
  std::optional<CompressingWriter> writer;
  if (is_decided_) {
    writer.emplace(out, *chosen_.coding, chosen_.levels, delivery());
  } else {
    writer.emplace(out, chosen_, delivery());
  }
  co_await inner_->produce(*writer);
  writer->finish();
}

TakenBody::TakenBody(Response& response) : owner_(response.body_owner()) {
  if (owner_ != nullptr) {
    shared_ = response.body();
    return;
  }
  if (std::string* text = response.owned_body()) {
    text_ = std::move(*text);
    return;
  }
  // Clearing a buffer does not overwrite its bytes, so they can be committed again.
  const std::string_view body = response.body();
  Buffer& buffer = response.body_buffer();
  if (buffer.data() == body.data()) {
    buffer.commit(body.size());
    buffer_.swap(buffer);
  } else {
    text_ = body;
  }
}

std::string_view TakenBody::view() const noexcept {
  if (owner_ != nullptr) {
    return shared_;
  }
  return text_.empty() ? buffer_.view() : text_;
}

/// bytes  must stay valid until the task ends
Task<> write_in_pieces(BodyWriter& out, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPieceBytes);
    bytes.remove_prefix(piece.size());
    co_await out.write(piece);
    co_await yield_now();
  }
}

Task<> CompressedBody::produce(BodyWriter& out) {
  CompressingWriter writer(out, coding_, levels_, Delivery::gathered);
  co_await write_in_pieces(writer, body_.view());
  writer.finish();
}

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
