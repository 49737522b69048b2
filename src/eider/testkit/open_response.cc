#include "eider/testkit/open_response.h"

#include <chrono>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/protocols/http/h1/response_reader.h"
#include "eider/protocols/http/ws/message_writer.h"

namespace eider {

namespace {

constexpr Duration kTick = std::chrono::milliseconds(1);
constexpr ws::MessageLimits kLimits{.message_bytes_max = std::uint64_t{1} << 30};

/// Keys of tests can be predictable.
class TestMask final : public ws::MaskSource {
 public:
  ws::MaskKey next() override { return {0x37, 0xFA, 0x21, 0x3D}; }
};

[[noreturn]] void refuse(const std::string& what) {
  throw Failure(Error::internal(what));
}

}  // namespace

namespace detail::testkit {

OpenResponse::OpenResponse(SimKernel& kernel, SimClient client, std::string_view request,
                           int wanted)
    : kernel_(kernel), client_(std::move(client)) {
  send(request);
  const Instant end = now() + kTestPatience;
  while (!take_head()) {
    if (!receive(end)) {
      refuse("the response did not arrive within a minute: " + received_);
    }
  }
  if (head_.status != wanted) {
    refuse(std::string(request.substr(0, request.find('\r'))) + " returned status " +
           std::to_string(head_.status) + ": " + take(now() + kTick));
  }
}

void OpenResponse::send(std::string_view bytes) {
  client_.send(bytes);
  kernel_.run_until_idle();
}

/// returns  whether bytes have arrived
bool OpenResponse::receive(Instant end) {
  for (kernel_.run_until_idle();; kernel_.advance(kTick)) {
    const std::string more = client_.take_received();
    received_ += more;
    if (!more.empty()) {
      return true;
    }
    if (client_.is_closed() || kernel_.now() >= end) {
      has_ended_ |= client_.is_closed();
      return false;
    }
  }
}

bool OpenResponse::take_head() {
  h1::ResponseReader reader;
  const h1::HeadStatus status = reader.read(received_, Method::get, {});
  if (status == h1::HeadStatus::refused) {
    refuse("the received bytes are not an HTTP response: " + received_);
  }
  if (status == h1::HeadStatus::need_more) {
    return false;
  }
  const h1::ReplyHead& head = reader.head();
  const bool is_interim = head.is_interim();
  if (!is_interim) {
    head_.status = head.status;
    for (const Field& field : head.fields) {
      head_.headers.emplace_back(field.name, field.value);
    }
    content_ = h1::ResponseBodyReader(head);
  }
  received_.erase(0, reader.head_bytes());
  return !is_interim || take_head();
}

std::string OpenResponse::take(Instant end) {
  std::string taken = take_content();
  while (taken.empty() && !has_ended_ && receive(end)) {
    taken = take_content();
  }
  return taken;
}

std::string OpenResponse::take_content() {
  if (head_.status == 101) {
    return std::exchange(received_, {});
  }
  std::string taken;
  std::string_view in = received_;
  for (h1::ReplyStep step = content_.read(in); step.status != h1::ChunkedStatus::need_more;
       step = content_.read(in)) {
    if (step.status == h1::ChunkedStatus::refused) {
      refuse("the chunks of the response body are invalid: " + received_);
    }
    in.remove_prefix(step.consumed);
    taken.append(step.data);
    if (step.status == h1::ChunkedStatus::done) {
      has_ended_ = true;
      break;
    }
  }
  received_.clear();
  return taken;
}

}  // namespace detail::testkit

TestEvents::TestEvents(SimKernel& kernel, SimClient client, std::string_view request, Hold hold)
    : response_(kernel, std::move(client), request, 200), hold_(std::move(hold)) {
  const std::string type(response_.head().header("Content-Type").value_or(""));
  if (!type.starts_with(kTextEventStream)) {
    refuse("the response is not an event stream: " + type);
  }
  if (hold_) {
    hold_(response_.head());
  }
}

/// Checks the event that was just read, as if it was the complete response.
void TestEvents::hold() const {
  if (!hold_) {
    return;
  }
  Buffer alone;
  const SseEvent event{
      .event = parser_.event(), .data = parser_.data(), .id = parser_.last_event_id()};
  if (const auto written = write_event(alone, event); !written) {
    refuse(std::string(text(written.error())));
  }
  TestResponse reply = response_.head();
  reply.body = alone.view();
  hold_(reply);
}

std::optional<TestEvent> TestEvents::next(Duration within) {
  const Instant end = response_.now() + within;
  while (true) {
    const SseStep step = parser_.read(unread_);
    unread_.erase(0, step.consumed);
    if (step.status == SseStatus::refused) {
      refuse("the event stream has a line or an event that is too long");
    }
    if (step.status == SseStatus::event) {
      hold();
      return TestEvent{.event = std::string(parser_.event()),
                       .data = std::string(parser_.data()),
                       .id = std::string(parser_.last_event_id())};
    }
    unread_ = response_.take(end);
    if (unread_.empty()) {
      return std::nullopt;
    }
  }
}

TestWebSocket::TestWebSocket(SimKernel& kernel, SimClient client, std::string_view request)
    : response_(kernel, std::move(client), request, 101), reader_(ws::Side::client, kLimits) {}

void TestWebSocket::send(std::string_view text) {
  send(ws::MessageType::text, text);
}

void TestWebSocket::send_binary(std::string_view bytes) {
  send(ws::MessageType::binary, bytes);
}

void TestWebSocket::send(ws::MessageType type, std::string_view payload) {
  TestMask masks;
  Buffer out;
  ws::MessageWriter(masks).message(out, {.type = type}, payload);
  response_.send(out.view());
}

void TestWebSocket::close(ws::CloseCode code, std::string_view reason) {
  TestMask masks;
  Buffer out;
  ws::MessageWriter(masks).close(out, code, reason);
  has_closed_ = true;
  response_.send(out.view());
}

std::optional<ws::CloseCode> TestWebSocket::close_code() const noexcept {
  return !close_code_ && response_.has_ended() ? ws::CloseCode::abnormal : close_code_;
}

void TestWebSocket::take_close(const ws::Event& event) {
  close_code_ = event.code;
  close_reason_ = event.data;
  if (!has_closed_) {
    close(event.code);
  }
}

std::optional<TestMessage> TestWebSocket::receive(Duration within) {
  const Instant end = response_.now() + within;
  while (true) {
    const ws::Event event = reader_.read(unread_, scratch_);
    std::optional<TestMessage> message;
    if (event.kind == ws::EventKind::message) {
      message = {std::string(event.data), event.type == ws::MessageType::text};
    } else if (event.kind == ws::EventKind::ping) {
      TestMask masks;
      Buffer out;
      ws::MessageWriter(masks).pong(out, event.data);
      response_.send(out.view());
    } else if (event.kind == ws::EventKind::close) {
      take_close(event);
    } else if (event.kind == ws::EventKind::refused) {
      refuse("the server violated the WebSocket protocol: " + std::string(event.data));
    }
    unread_.erase(0, event.consumed);
    if (message) {
      return message;
    }
    if (event.kind == ws::EventKind::need_more) {
      unread_ = response_.take(end);
      if (unread_.empty()) {
        return std::nullopt;
      }
    }
  }
}

}  // namespace eider
