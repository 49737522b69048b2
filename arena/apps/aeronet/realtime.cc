// aeronet can send to a WebSocket only from its own callbacks, so it has no rooms.
#include <aeronet/aeronet-server.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "parts.h"

namespace {

using namespace aeronet;

std::unique_ptr<websocket::WebSocketHandler> make_echo(const HttpRequestView&) {
  auto socket = std::make_unique<websocket::WebSocketHandler>();
  websocket::WebSocketCallbacks callbacks;
  callbacks.onMessage = [socket = socket.get()](std::span<const std::byte> message,
                                                bool is_binary) {
    if (is_binary) {
      socket->sendBinary(message);
    } else {
      socket->sendText({reinterpret_cast<const char*>(message.data()), message.size()});
    }
  };
  socket->setCallbacks(std::move(callbacks));
  return socket;
}

void send_events(const HttpRequestView& request, HttpResponseWriter& response) {
  const int count = request.queryParamInt("n").value_or(0);
  response.contentType("text/event-stream");
  for (int i = 0; i < count && response.writeBody("data: " + std::to_string(i) + "\n\n"); ++i) {
  }
  response.end();
}

}  // namespace

void arena::add_realtime(Router& router) {
  router.setWebSocket("/ws", WebSocketEndpoint::WithFactory(make_echo));
  router.setPath(http::Method::GET, "/events", StreamingHandler(send_events));
}
