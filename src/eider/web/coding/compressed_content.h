// Compresses content while it is generated: streamed responses and large bodies.
// Layering: must not decide whether to compress; compressed_response.h does, or the headers at the
// first byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/core/compress/compressor.h"
#include "eider/server/content.h"
#include "eider/web/coding/secrets.h"

namespace eider {

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

/// bytes  must stay valid until the task ends
[[nodiscard]] Task<> write_in_pieces(BodyWriter& out, std::string_view bytes);

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

}  // namespace eider
