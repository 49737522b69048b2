// A server whose memory clients can fill, for tests/integration/waiting_output_test.py.
#include <eider/compress.h>
#include <eider/eider.h>
#include <eider/http2.h>

#include <string>
#include <thread>

using namespace eider;

namespace {

constexpr std::size_t kMadeBytes = 1024UL * 1024;

/// Returns handlers of a chat room; the name of the room is its topic.
WebSocketHandlers in_room(std::string name) {
  return {.opened = [name](WebSocketRef& socket) { socket.subscribe(name); },
          .message = [name](WebSocketRef& socket,
                            const WsMessage& message) { socket.publish(name, message); }};
}

Task<std::string> hold(Request& request) {
  co_await sleep_for(std::chrono::seconds(10));
  co_return std::to_string(request.body().size());
}

}  // namespace

int main(int argc, char** argv) {
  App app;
  add_http2(app);
  app.use(decompression());
  app.get("/made", [] { return std::string(kMadeBytes, 'm'); });
  app.get("/made/{bytes}", [](Bounded<int, 0, 1 << 20> bytes) {
    return std::string(static_cast<std::size_t>(*bytes), 'm');
  });
  app.post("/held", hold);
  app.ws("/room/{name}", in_room);
  app.get("/events/{topic}", [](std::string topic, EventStream events, State<Topics> topics) {
    return events.subscribe(*topics, topic);
  });
  app.post("/publish/{topic}", [](std::string_view topic, Body text, State<Topics> topics) {
    topics->publish(topic, text.view());
    return topics->subscribers(topic);
  });
  // Blocks its event loop on purpose.
  app.get("/blocks/{ms}", [](Bounded<int, 0, 10'000> ms) {
    std::this_thread::sleep_for(std::chrono::milliseconds(*ms));
    return "done";
  });
  return app.run(argc, argv);
}
