// The topics of one of several processes with a relay between them, for tests of all relays.
// Layering: must not know the transport of the relay.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/server/topics.h"
#include "eider/web/backplane/topic_backplane.h"

namespace eider {

/// The events of one topic, as they are written.
class TopicEvents final : public TopicListener {
 public:
  TopicEvents(Topics& topics, std::string_view topic) : TopicListener(topics) { listen(topic); }
  std::vector<std::string> events;

 private:
  void on_published(std::string_view event) override { events.emplace_back(event); }
  void on_over() override {}
};

/// missed  how often its relay reported possibly lost events
struct RelayedProcess {
  explicit RelayedProcess(MakeTopicAdapter make, TopicBackplaneOptions options = {})
      : relay(topics, std::move(make), counted(std::move(options))), listener(topics, "room") {
    scope.start(relay.run());
  }
  TopicBackplaneOptions counted(TopicBackplaneOptions options) {
    options.on_missed = [this](Topics& /*its*/) { ++missed; };
    return options;
  }

  int missed = 0;
  Topics topics;
  TopicBackplane relay;
  TopicEvents listener;
  Scope scope;
};

/// Waits for the condition on a real loop, for up to 20 s.
inline Task<> until(std::function<bool()> is_so) {
  for (int i = 0; i < 4000 && !is_so(); ++i) {
    co_await sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_TRUE(is_so());
}

}  // namespace eider
