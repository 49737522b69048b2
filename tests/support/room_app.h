// Rooms with event streams to which posts are published, and an event stream of a handler.
// Layering: must not store messages; new subscribers get only later ones.
#pragma once

#include <string>

#include "eider/app/app.h"
#include "eider/app/handlers/event_stream.h"
#include "eider/io/runtime/sleep.h"
#include "eider/server/topics.h"

namespace eider {

inline constexpr std::size_t kRoomBytesMax = 64UL * 1024;

inline void set_up_rooms(App& app) {
  app.get("/rooms/{room}", [](std::string room, EventStream events, State<Topics> topics) {
    return events.subscribe(*topics, std::move(room), {.backpressure_bytes_max = kRoomBytesMax});
  });
  app.post("/rooms/{room}", [](std::string_view room, Body text, State<Topics> topics) {
    topics->publish(room, text.view(), {.name = "said", .id = "7"});
    return topics->subscribers(room);
  });
  app.get("/own", [](EventStream events) -> Task<> {
    co_await events.send({.data = "of the handler's own"});
    co_await sleep_for(std::chrono::hours(1));
  });
}

}  // namespace eider
