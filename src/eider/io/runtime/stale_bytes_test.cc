// Received bytes may be read only during the callback that reports them: afterwards, the memory is
// reused for the bytes of another client.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/base/poison.h"
#include "eider/io/runtime/test_seal.h"
#include "eider/io/runtime/test_streams.h"
#include "eider/testkit/loop_sim.h"

namespace eider {
namespace {

using testing::Peer;
using testing::sealed;
using testing::TestConnection;
using testing::TestSeal;
using testing::TestServer;

/// Whether the middle of the reported bytes is accessible during the callback, and not afterwards.
/// Both ends may share eight bytes with other receives.
struct Looked {
  void look(std::string_view bytes) {
    middle = bytes.data() + bytes.size() / 2;
    is_open = !detail::base::is_poisoned(middle);
  }
  [[nodiscard]] bool is_stale() const { return is_open && detail::base::is_poisoned(middle); }

  const char* middle = nullptr;
  bool is_open = false;
};

class StaleBytesTest : public testing::StreamTestBase {
 protected:
  void SetUp() override {
    StreamTestBase::SetUp();
    if (!detail::base::kSeesPoison) {
      GTEST_SKIP() << "AddressSanitizer alone sees it";
    }
  }
  /// Bytes are reported on the loop's thread, and checked there in a later turn.
  void expect_stale(const Peer& peer, const std::string& sent, const std::string& response) {
    for (int round = 0; round < 10; ++round) {
      ASSERT_TRUE(peer.send(sent));
      ASSERT_EQ(peer.receive(response.size()), response);
      on_loop([this](TestServer&) { EXPECT_TRUE(looked_.is_stale()); });
    }
  }
  void look_at_all() {
    on_loop([this](TestServer& server) {
      server.bytes = [this](TestConnection& connection, std::string_view bytes) {
        looked_.look(bytes);
        connection.stream.output().append("!");
      };
    });
  }

 private:
  Looked looked_;
};
INSTANTIATE_TEST_SUITE_P(Backends, StaleBytesTest, testing::all_backends(), testing::backend_name);

TEST_P(StaleBytesTest, are_closed_behind_the_call_that_tells_them) {
  look_at_all();
  expect_stale(connect(), std::string(64, 'x'), "!");
}

TEST_P(StaleBytesTest, are_closed_behind_it_when_they_were_decrypted) {
  on_loop([](TestServer& server) {
    server.accepted = [](TestConnection& connection) {
      connection.stream.secure(std::make_unique<TestSeal>());
    };
  });
  look_at_all();
  const Peer peer = connect();
  ASSERT_TRUE(peer.send("H"));
  ASSERT_EQ(peer.receive(1), "h");
  expect_stale(peer, sealed(std::string(64, 'x')), sealed("!"));
}

/// An owner that checks the bytes.
class Looker final : public StreamOwner {
 public:
  explicit Looker(Loop& loop) noexcept : stream(loop, *this) {}
  Stream stream;
  Looked looked;

 private:
  void on_bytes(std::string_view bytes) override { looked.look(bytes); }
  void on_end() override {}
  void on_drained() override {}
  void on_broken(NetError) override {}
};

TEST(StaleBytes, are_closed_on_simulated_loops_too) {
  if (!detail::base::kSeesPoison) {
    GTEST_SKIP() << "AddressSanitizer alone sees it";
  }
  SimKernel kernel;
  SimLoop loop(kernel);
  Looker looker(loop);
  SimPair pair = kernel.connect_pair();
  loop.call([&] { looker.stream.open(std::move(pair.server)); });
  pair.client.send(std::string(64, 'x'));
  kernel.run_until_idle();
  EXPECT_TRUE(looker.looked.is_stale());
  loop.call([&] { looker.stream.close(); });
}

}  // namespace
}  // namespace eider
