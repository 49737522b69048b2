#include "realtime.h"

#include <eider/eider.h>

#include <string>

namespace {

using namespace eider;

constexpr int kEventsMax = 1'000'000;

struct Wanted {
  Bounded<int, 0, kEventsMax> n;
};

WebSocketHandlers echo() {
  return {
      .message = [](WebSocketRef& socket, const WsMessage& message) { socket.try_send(message); }};
}

/// The room's name is its topic.
WebSocketHandlers in_room(std::string name) {
  return {.opened = [name](WebSocketRef& socket) { socket.subscribe(name); },
          .message = [name](WebSocketRef& socket,
                            const WsMessage& message) { socket.publish(name, message); }};
}

Task<> count(Query<Wanted> wanted, EventStream events) {
  for (int number = 0; number < *wanted->n; ++number) {
    const std::string data = std::to_string(number);
    co_await events.send({.data = data});
  }
}

}  // namespace

void add_realtime(App& app) {
  app.ws("/ws", echo());
  app.ws("/ws/room/{name}", in_room);
  app.get("/events", count);
}
