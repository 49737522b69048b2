#include "eider/coding/compressed_content.h"

#include <utility>

#include "eider/coding/encoded_head.h"
#include "eider/runtime/sleep.h"

namespace eider {

namespace {

/// Less is kept together: gzip's head alone would be a chunk of ten bytes.
constexpr std::size_t kHandOnBytesMin = 1024;

}  // namespace

CompressingWriter::CompressingWriter(BodyWriter& out, ContentCoding coding,
                                     CompressionLevels levels, Pace pace)
    : out_(out), compressor_(std::in_place, coding, levels), pace_(pace) {}

CompressingWriter::CompressingWriter(BodyWriter& out, const ChosenCoding& chosen,
                                     Pace pace) noexcept
    : out_(out), undecided_(chosen), pace_(pace) {}

void CompressingWriter::decide() {
  const ChosenCoding chosen = *std::exchange(undecided_, std::nullopt);
  Response& its_head = head();
  if (!may_be_encoded(its_head)) {
    return;
  }
  vary_by_encoding(its_head);
  if (chosen.coding &&
      !must_stay_plain(chosen.on_secrets, chosen.exposure, its_head.field_lines())) {
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
  if (pace_ == Pace::live) {
    compressor_->flush(packed_);
    hand_on();
  } else if (packed_.size() >= kHandOnBytesMin) {
    hand_on();
  }
}

void CompressingWriter::flush() {
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

CompressedContent::CompressedContent(std::unique_ptr<ProducedContent> inner, ContentCoding coding,
                                     CompressionLevels levels) noexcept
    : inner_(std::move(inner)), chosen_{.coding = coding, .levels = levels}, is_decided_(true) {}

CompressedContent::CompressedContent(std::unique_ptr<ProducedContent> inner,
                                     const ChosenCoding& chosen) noexcept
    : inner_(std::move(inner)), chosen_(chosen), is_decided_(false) {}

Pace CompressedContent::pace() const noexcept {
  return inner_->is_live() ? Pace::live : Pace::gathered;
}

Task<> CompressedContent::produce(BodyWriter& out) {
  std::optional<CompressingWriter> writer;
  if (is_decided_) {
    writer.emplace(out, *chosen_.coding, chosen_.levels, pace());
  } else {
    writer.emplace(out, chosen_, pace());
  }
  auto task = inner_->produce(*writer);
  co_await std::move(task);
  writer->finish();
}

TakenBody::TakenBody(Response& response) : viewed_(response.body()) {
  if (std::string* text = response.owned_body()) {
    text_ = std::move(*text);
    viewed_ = {};
    return;
  }
  // Emptying a buffer leaves its bytes where they are, so they can be counted in again.
  const std::size_t bytes = viewed_.size();
  Buffer& buffer = response.body_buffer();
  if (bytes != 0 && buffer.data() == viewed_.data()) {
    buffer.commit(bytes);
    buffer_.swap(buffer);
    viewed_ = {};
  }
}

std::string_view TakenBody::view() const noexcept {
  if (!text_.empty()) {
    return text_;
  }
  return buffer_.empty() ? viewed_ : buffer_.view();
}

Task<> write_in_pieces(BodyWriter& out, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPieceBytes);
    bytes.remove_prefix(piece.size());
    auto written = out.write(piece);
    co_await written;
    auto turn = yield_now();
    co_await turn;
  }
}

Task<> CompressedBody::produce(BodyWriter& out) {
  CompressingWriter writer(out, coding_, levels_, Pace::gathered);
  auto writing = write_in_pieces(writer, body_.view());
  co_await std::move(writing);
  writer.finish();
}

}  // namespace eider
