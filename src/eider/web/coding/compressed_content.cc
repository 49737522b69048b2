#include "eider/web/coding/compressed_content.h"

#include <utility>

#include "eider/io/runtime/sleep.h"
#include "eider/web/coding/encoded_head.h"

namespace eider {

namespace {

/// Smaller pieces are collected: even the gzip header would be a chunk of ten bytes.
constexpr std::size_t kHandOnBytesMin = 1024;

}  // namespace

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

}  // namespace eider
