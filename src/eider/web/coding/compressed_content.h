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

/// What the request has led to, kept until the content's first byte.
struct ChosenCoding {
  /// Nothing: the content stays as it is, whatever it turns out to be.
  std::optional<ContentCoding> coding = {};
  CompressionLevels levels = {};
  BreachProtection breach_protection = BreachProtection::cross_site;
  Exposure exposure = {};
};

/// When compressed bytes leave.
enum class Delivery : std::uint8_t {
  /// When enough have come together, and when the producer flushes.
  gathered,
  /// Behind each write.
  live,
};

/// Compresses what is written through it.
///
/// memory  a Compressor, from the first byte on
class CompressingWriter final : public BodyWriter {
 public:
  /// out  outlives this
  CompressingWriter(BodyWriter& out, ContentCoding coding, CompressionLevels levels,
                    Delivery delivery);
  /// Looks at the head when the first byte comes: the producer may have changed it until then.
  CompressingWriter(BodyWriter& out, const ChosenCoding& chosen, Delivery delivery) noexcept;

  /// Writes the stream's end. Nothing may be put behind it.
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

/// A producer's content, compressed on its way.
class CompressedContent final : public ProducedContent {
 public:
  /// The head says already that it has this coding.
  CompressedContent(ContentPtr<ProducedContent> inner, ContentCoding coding,
                    CompressionLevels levels) noexcept;
  /// The head is asked at the first byte.
  CompressedContent(ContentPtr<ProducedContent> inner, const ChosenCoding& chosen) noexcept;

  [[nodiscard]] Task<> produce(BodyWriter& out) override;
  [[nodiscard]] bool is_live() const noexcept override { return inner_->is_live(); }

 private:
  [[nodiscard]] Delivery delivery() const noexcept;

  ContentPtr<ProducedContent> inner_;
  ChosenCoding chosen_;
  bool is_decided_;
};

/// Compressed in a few tenths of a millisecond; then others have their turn.
inline constexpr std::size_t kPieceBytes = 16UL * 1024;

/// bytes  stay valid until the end
[[nodiscard]] Task<> write_in_pieces(BodyWriter& out, std::string_view bytes);

/// The bytes of a Response's body, wherever they are.
class TakenBody {
 public:
  /// Takes what `response` owns or shares, and copies what it only views: that may be the request,
  /// whose bytes are not there any more when the last of them are written.
  explicit TakenBody(Response& response);
  [[nodiscard]] std::string_view view() const noexcept;

 private:
  std::shared_ptr<const void> owner_;  // of shared_
  std::string_view shared_;
  std::string text_;
  Buffer buffer_;
};

/// A body that is too large to be compressed at once without keeping others waiting.
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
