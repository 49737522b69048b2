#include "catalogue/live.h"

namespace bookstore {

using namespace eider;

namespace {

constexpr std::string_view kTopic = "stock";
constexpr std::size_t kMessageBytesMax = 125;

}  // namespace

TellStock tell_followers(Topics& topics) {
  return [&topics](StockChange change) { topics.publish(kTopic, json::to_text(change)); };
}

void add_live_stock(Routes& app) {
  app.ws("/live/stock",
         WebSocketHandlers{.opened = [](WebSocketRef& socket) { socket.subscribe(kTopic); }},
         {.message_bytes_max = kMessageBytesMax});
}

}  // namespace bookstore
