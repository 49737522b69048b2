// A client and a server on kernels that inject faults. Both send a lot of data at the same time,
// and the connection breaks at any point.
//
// EIDER_SIM_SEED=N runs only seed N.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "eider/app/handlers/producing.h"
#include "eider/testkit/sim_random.h"
#include "tests/sim/sim_app.h"
#include "tests/support/h2_client_line.h"
#include "tests/support/h2_server.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kContentBytesMax = 400'000;

Task<> echo_slowly(BodyStream body, ResponseStream out) {
  while (auto part = co_await body.next()) {
    co_await out.write(*part);
  }
}

void add_echo(App& app) {
  app.post("/echo", echo_slowly).body_bytes_max(2 * kContentBytesMax);
}

using H1Server = SimAppServer<&add_echo>;
using H2Server = detail::http2::test::H2ServerOf<SimApp<&add_echo>>;

enum class Cut : std::uint8_t { nothing, task, client, server };

/// Two simulated kernels, with the test as the network between them.
template <class Server>
class Conversation {
 public:
  Conversation(SimRandom& random, Http2Use http2)
      : random_(random), line_(options_for(random, http2), http2) {
    server_.kernel.set_faults(SimFaults::harmless(0.3));
    line_.kernel.set_faults(SimFaults::harmless(0.3));
    content_.assign(1 + random.below(kContentBytesMax), '\0');
    for (char& byte : content_) {
      byte = static_cast<char>('a' + random.below(26));
    }
  }

  void begin() {
    asked_ = &line_.ask(Method::post, "http://a/echo",
                        [this](ClientRequest& request) { request.body(content_, "text/plain"); });
    if constexpr (requires { server_.connect_only(); }) {
      peer_ = server_.connect_only();  // the client sends the preface
    } else {
      peer_ = server_.connect();
    }
    line_.peers[0].set_window(1 + random_.below(30'000));
    peer_.set_window(1 + random_.below(30'000));
  }
  /// Transfers all pending bytes in both directions.
  void carry() {
    const std::string there = line_.sent();
    peer_.send(there);
    server_.kernel.run_until_idle();
    const std::string back = peer_.take_received();
    line_.say(back);
    if (there.empty() && back.empty()) {
      line_.kernel.advance(1ms);  // runs work that a fault has delayed
      server_.kernel.advance(1ms);
    }
  }
  void cut(Cut what) {
    switch (what) {
      case Cut::nothing:
        return;
      case Cut::task:
        line_.loop.call([this] { asked_->task = Task<>(); });
        return;
      case Cut::client:
        peer_.reset();
        server_.kernel.run_until_idle();
        return;
      case Cut::server:
        line_.peers[0].reset();
        line_.kernel.run_until_idle();
        EXPECT_EQ(asked_->text(), "connection_lost");
        return;
    }
  }
  void expect_echo() {
    ASSERT_TRUE(asked_->is_response()) << asked_->text();
    EXPECT_TRUE(asked_->response().body() == content_);
  }
  [[nodiscard]] bool is_there() const { return asked_->is_there(); }

 private:
  static ClientOptions options_for(SimRandom& random, Http2Use http2) {
    ClientOptions options;
    options.http2 = http2;
    options.expect_continue_from = random.happens(0.5) ? 1 : kContentBytesMax + 1;
    options.retries_max = 0;
    return options;
  }

  SimRandom& random_;
  Server server_;
  SimClient peer_;
  testing::H2Line line_;
  testing::SentRequest* asked_ = nullptr;
  std::string content_;
};

template <class Server>
void try_seed(std::uint64_t seed, Http2Use http2) {
  SCOPED_TRACE(seed);
  SimRandom random(seed);
  Conversation<Server> one(random, http2);
  one.begin();
  const auto how = static_cast<Cut>(random.below(4));
  const std::size_t cut_at = random.below(60);
  for (std::size_t round = 0; round < 100'000 && !one.is_there(); ++round) {
    if (round == cut_at && how != Cut::nothing) {
      return one.cut(how);
    }
    one.carry();
  }
  one.expect_echo();
}

template <class Server>
void try_seeds(Http2Use http2) {
  if (const char* const seed = std::getenv("EIDER_SIM_SEED")) {
    return try_seed<Server>(std::strtoull(seed, nullptr, 10), http2);
  }
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    try_seed<Server>(seed, http2);
  }
}

TEST(BothWaysSeeds, an_echo_comes_back_or_is_cut_off_over_h1) {
  try_seeds<H1Server>(Http2Use::never);
}

TEST(BothWaysSeeds, an_echo_comes_back_or_is_cut_off_over_h2) {
  try_seeds<H2Server>(Http2Use::always);
}

}  // namespace
}  // namespace eider
