// Random requests and cancellations over HTTP/2, on a kernel that injects faults. Every exchange is
// given back, every request is reported once, and no body precedes its response headers.
//
// EIDER_SIM_SEED=N runs only seed N; EIDER_SIM_SEEDS=N runs N seeds.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/testkit/sim_random.h"
#include "tests/sim/streaming_service.h"
#include "tests/support/h2_server.h"

namespace eider::detail::http2::test {
namespace {

/// Counts how often each request is planned and observed. Each one has another query.
class CountingService final : public RequestService {
 public:
  RequestPlan plan(Request& request) noexcept override {
    ++planned[std::string(request.query())];
    return of(request).plan(request);
  }
  void respond(const RequestPlan& plan, Request& request, Response& response) noexcept override {
    of(request).respond(plan, request, response);
  }
  Task<> respond_later(const RequestPlan& plan, Request& request, Response& response,
                       const Ongoing& ongoing) override {
    return of(request).respond_later(plan, request, response, ongoing);
  }
  void respond_failed(const Request& request, Response* response,
                      std::exception_ptr thrown) noexcept override {
    streaming_.respond_failed(request, response, thrown);
  }
  void refuse(int status, std::string_view detail, Response& response) noexcept override {
    streaming_.refuse(status, detail, response);
  }
  [[nodiscard]] bool is_observed() const noexcept override { return true; }
  void observe(const ResponseEvent& event) noexcept override {
    ++observed[std::string(event.request.query())];
  }

  std::map<std::string, int> planned;
  std::map<std::string, int> observed;

 private:
  RequestService& of(const Request& request) noexcept {
    for (const std::string_view path : {"/echo", "/big", "/big-view", "/status", "/close", "/block",
                                        "/wait", "/wait-on", "/wait-now", "/wait-throw"}) {
      if (request.path() == path) {
        return scripted_;
      }
    }
    return streaming_;
  }

  StreamingService streaming_;
  ScriptedService scripted_;
};

constexpr std::string_view kTargets[] = {
    "/make?50000",     "/sized?3000",      "/short?500",        "/trailer?2000",
    "/throw-first?1",  "/throw-later?30",  "/ticks?0",          "/throw-later?90000",
    "/late-pieces?0",  "/late-ticks?0",    "/plain-make?70000", "/count?0",
    "/count-slowly?3", "/refuse?0",        "/unread-make?200",  "/unread-shout?0",
    "/make-late?204",  "/make-late?200",   "/shout?0",          "/wait-shout?0",
    "/hints?0",        "/echo?0",          "/big?100000",       "/big-view?300000",
    "/wait?7",         "/wait-on?9",       "/wait-now?0",       "/wait-throw?0",
    "/status?204",     "/unread-make?204", "/plain?0",          "/close?0",
    "/block?0"};

class RandomH2Client {
 public:
  RandomH2Client(H2ServerOf<CountingService>& server, SimRandom& random, std::size_t number)
      : random_(random), name_("&" + std::to_string(number) + "-") {
    client_ = server.connect(random.happens(0.4) ? initial_window(below(3000)) : std::string());
    if (random.happens(0.2)) {
      client_.set_window(1 + random.below(5000));
    }
  }

  void act() {
    std::string bytes;
    for (std::size_t left = 1 + random_.below(5); left != 0; --left) {
      bytes += random_.happens(0.4) ? request() : other_frame();
    }
    client_.send(bytes);
    received_ += client_.take_received();
    if (random_.happens(0.004)) {
      client_.reset();
    } else if (random_.happens(0.004)) {
      client_.half_close();
    }
  }

  void check_order() const {
    std::map<std::uint32_t, bool> has_head;
    for (const Frame& one : frames_of(received_)) {
      has_head[one.stream] |= one.type == Type::headers;
      ASSERT_TRUE(one.type != Type::data || has_head[one.stream]) << one.stream;
    }
  }
  void leave() { client_ = SimClient(); }

 private:
  std::uint32_t below(std::size_t bound) {
    return static_cast<std::uint32_t>(random_.below(bound));
  }

  std::string request() {
    const std::uint32_t stream = std::exchange(next_, next_ + 2);
    const std::string path =
        std::string(kTargets[below(std::size(kTargets))]) + name_ + std::to_string(stream);
    const std::size_t kind = path.contains("shout") ? 0 : random_.below(10);
    if (kind < 4) {
      open_.push_back(stream);
    }
    if (kind == 0) {
      return frame(Type::headers, kEndHeaders, stream,
                   head("CONNECT", path) + literal(":protocol", "websocket"));
    }
    if (kind < 4) {
      return post(stream, path);
    }
    return frame(Type::headers, kEndHeaders | kEndStream, stream,
                 head(kind == 4 ? "HEAD" : "GET", path));
  }

  std::string other_frame() {
    const std::uint32_t stream = next_ == 1 ? 0 : 1 + 2 * below(next_ / 2);
    const std::size_t kind = random_.below(10);
    if (kind < 4 && !open_.empty()) {
      const auto at = open_.begin() + static_cast<std::ptrdiff_t>(random_.below(open_.size()));
      const std::uint32_t sending = *at;
      const bool ends = random_.happens(0.4);
      if (ends) {
        open_.erase(at);
      }
      return frame(Type::data, ends ? kEndStream : 0, sending, std::string(below(1500), 'a'));
    }
    if (kind == 4 && stream != 0) {
      std::erase(open_, stream);
      return frame(Type::rst_stream, 0, stream, word(8));
    }
    return window_update(kind < 7 ? stream : 0, 1 + below(30'000));
  }

  SimRandom& random_;
  SimClient client_;
  const std::string name_;
  std::string received_;
  std::uint32_t next_ = 1;
  std::vector<std::uint32_t> open_;
};

void run_h2_seed(std::uint64_t seed) {
  SCOPED_TRACE("EIDER_SIM_SEED=" + std::to_string(seed));
  SimRandom random(seed);
  Limits limits;
  limits.in_flight_max = random.happens(0.3) ? 1 + random.below(6) : limits.in_flight_max;
  H2ServerOf<CountingService> server(limits);
  SimFaults faults = SimFaults::harmless(random.happens(0.4) ? 0 : 0.4);
  faults.reset = random.happens(0.3) ? 0.005 : 0;
  server.kernel.set_faults(faults);
  std::vector<RandomH2Client> clients;
  const std::size_t count = 1 + random.below(3);
  for (std::size_t number = 0; number < count; ++number) {
    clients.emplace_back(server, random, number);
  }
  const std::size_t turns = 5 + random.below(60);
  const std::size_t drains_at = random.happens(0.3) ? turns / 2 : turns;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (RandomH2Client& client : clients) {
      client.act();
    }
    const std::size_t pause = random.below(random.happens(0.1) ? 9000 : 20);
    server.kernel.advance(std::chrono::milliseconds(pause));
    if (turn == drains_at) {
      server.drain(std::chrono::seconds(random.below(10)));
    }
  }
  for (RandomH2Client& client : clients) {
    client.check_order();
    client.leave();
  }
  server.kernel.advance(std::chrono::minutes(10));
  EXPECT_EQ(server.kernel.open_connections(), 0U);
  EXPECT_EQ(server.worker().in_flight(), 0U);
  EXPECT_EQ(server.held(), 0U);
  EXPECT_EQ(server.service.observed, server.service.planned);
  for (const auto& [query, times] : server.service.planned) {
    EXPECT_EQ(times, 1) << query;
  }
}

TEST(H2Seeds, give_every_exchange_back_and_report_every_request_once) {
  if (const char* const one = std::getenv("EIDER_SIM_SEED"); one != nullptr) {
    run_h2_seed(std::strtoull(one, nullptr, 10));
    return;
  }
  const char* const text = std::getenv("EIDER_SIM_SEEDS");
  const std::uint64_t seeds = text == nullptr ? 100 : std::strtoull(text, nullptr, 10);
  for (std::uint64_t seed = 1; seed <= seeds && !HasFailure(); ++seed) {
    run_h2_seed(seed);
  }
}

}  // namespace
}  // namespace eider::detail::http2::test
