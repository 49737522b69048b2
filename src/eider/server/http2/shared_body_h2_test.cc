// Bodies that many responses share, over HTTP/2.
#include <gtest/gtest.h>

#include <string>

#include "tests/sim/shared_service.h"
#include "tests/support/h2_server.h"

namespace eider::detail::http2::test {
namespace {

using SharingServer = H2ServerOf<SharedService>;

std::string wide_windows() {
  return initial_window(1U << 30) + window_update(0, 1U << 30);
}

TEST(H2SharedBody, is_sent_whole) {
  for (const std::string_view path : {"/now", "/wait"}) {
    SharingServer server;
    SimClient client = server.connect(wide_windows() + get(1, path) + get(3, path));
    client.set_window(10'000);
    std::string received;
    for (int piece = 0; piece < 1000; ++piece) {
      server.kernel.run_until_idle();
      received += client.take_received();
    }
    EXPECT_EQ(received_on(received, 1).content, *server.service.text) << path;
    EXPECT_EQ(received_on(received, 3).content, *server.service.text) << path;
  }
}

TEST(H2SharedBody, is_kept_for_the_streams_that_send_it_and_costs_them_nothing) {
  for (const std::string_view path : {"/now", "/wait"}) {
    SharingServer server({}, {.held_bytes_max = 1'500'000});
    {
      std::string requests;
      for (std::uint32_t stream = 1; stream < 100; stream += 2) {
        requests += get(stream, path);
      }
      const SimClient client = server.connect(requests);
      EXPECT_GE(server.service.text.use_count(), 51) << "each sends from where it lies";
    }
    server.kernel.run_until_idle();
    EXPECT_LE(server.service.text.use_count(), 2);
  }
}

}  // namespace
}  // namespace eider::detail::http2::test
