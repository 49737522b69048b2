#include "eider/io/ws/ws_output.h"

#include "eider/protocols/http/ws/message_writer.h"

namespace eider::ws::detail {

namespace {

/// More than this is sent before the handler continues.
constexpr std::size_t kFramesBytesMax = 64UL * 1024;

/// Returns `shared` if all such connections can use the same output: without context, and with the
/// largest window.
WsForm form_by(const ws::DeflateTerms& terms) noexcept {
  const bool is_alike = terms.server_takeover == ws::Takeover::dropped &&
                        terms.server_window_bits == ws::kWindowBitsMax;
  return is_alike ? WsForm::shared : WsForm::own;
}

}  // namespace

void WsOutput::compress(const ws::DeflateTerms& terms) {
  const WebSocketCompression& compression = options().compression;
  rare().codec = compression.make_codec(shared_.side(), terms);
  rare().form = form_by(terms);
  // One compressor serves all connections without context.
  if (form() == WsForm::shared && shared_.topics() != nullptr) {
    shared_.topics()->provide_codec(compression, terms);
  }
}

WsRare& WsOutput::rare() {
  if (rare_ == nullptr) {
    rare_ = std::make_unique<WsRare>();
  }
  return *rare_;
}

void WsOutput::wake_at(Instant due, Upgraded& session) {
  if (line_ != nullptr && line_->wake_at(due)) {
    return;
  }
  std::optional<WsAlarm>& alarm = rare().alarm;
  if (!alarm) {
    alarm.emplace(session);
  }
  shared_.loop().arm(*alarm, due);
}

std::size_t WsOutput::put(const WsMessage& message) {
  ws::Outgoing outgoing{.type = message.type};
  std::string_view payload = message.bytes;
  if (ws::MessageCodec* const codec = this->codec()) {
    Buffer& smaller = shared_.second_scratch();
    smaller.clear();
    // A message that does not shrink is sent uncompressed.
    if (codec->deflate(message.bytes, smaller) == ws::Deflated::done) {
      outgoing.form = ws::Form::compressed;
      payload = smaller.view();
    }
  }
  shared_.writer().message(line_->output(), outgoing, payload);
  return payload.size();
}

void WsOutput::put_ping(std::string_view payload) {
  shared_.writer().ping(line_->output(), payload.substr(0, ws::kControlBytesMax));
}

bool WsOutput::flush_much() {
  // Small output is sent at the end of the turn.
  return line_->output().size() < kFramesBytesMax || line_->flush();
}

bool WsOutput::is_slow() const {
  return waiting_bytes() + line_->output().size() > options().backpressure_bytes_max;
}

}  // namespace eider::ws::detail
