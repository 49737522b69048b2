// WebSockets in both styles: an echo, and rooms whose clients get all messages, also from POST.
//   python3 -m websockets ws://localhost:8080/rooms/tea
//   curl localhost:8080/rooms/tea -d 'The kettle is on.'
#include <eider/eider.h>

#include <string>
#include <string_view>

using namespace eider;

namespace {

std::string said(std::string_view who, std::string_view text) {
  return std::string(who).append(": ").append(text);
}

/// Announces a visitor, and sends their messages to the room until they leave.
Task<> visit(WebSocket ws, std::string room) {
  const std::string name = ws.subprotocol().empty() ? "somebody" : std::string(ws.subprotocol());
  ws.subscribe(room);
  ws.publish_to_others(room, {ws::MessageType::text, said(name, "came in")});
  while (auto message = co_await ws.receive()) {
    ws.publish(room, said(name, message->bytes));
  }
}

/// Thousands of idle connections cost little, because none of them needs a coroutine.
WebSocketHandlers echo() {
  return {
      .opened = {},
      .message = [](WebSocketRef& socket, const WsMessage& message) { socket.try_send(message); },
      .closed = {}};
}

/// Sends until the client disconnects, and never reads its messages.
Task<> tick(WebSocket ws) {
  for (int tick = 1; ws.is_open(); ++tick) {
    if (!co_await ws.send("tick " + std::to_string(tick))) {
      break;
    }
    co_await sleep_for(std::chrono::milliseconds(100));
  }
}

/// Short time limits, so that each can be tried out.
WebSocketOptions impatient() {
  return {.message_bytes_max = 64UL * 1024,
          .fragments_max = 100,
          .message_within = std::chrono::seconds(2),
          .backpressure_bytes_max = 256UL * 1024,
          .write = std::chrono::seconds(2),
          .ping_after = std::chrono::seconds(1),
          .pong_within = std::chrono::seconds(1),
          .close_within = std::chrono::seconds(1),
          .control_frames_per_second_max = 50};
}

}  // namespace

App make_app() {
  App app;
  app.ws("/echo", echo());
  app.ws("/rooms/{room}", visit, {.subprotocols = {"ada", "ben"}});
  app.ws("/ticks", tick);
  app.ws("/strict/{room}", visit, impatient());
  app.post("/rooms/{room}", [](std::string_view room, Body text, State<Topics> topics) {
    topics->publish(room, text.view());
    return topics->subscribers(room);
  });
  return app;
}

int main(int argc, char** argv) {
  return run_app("rooms", argc, argv, make_app);
}
