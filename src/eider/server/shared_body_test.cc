// Bodies that many responses share, over HTTP/1.1.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/sim/shared_service.h"
#include "tests/sim/sim_server.h"

namespace eider {
namespace {

using SharingServer = SimServerOf<SharedService>;

std::string shared_request(std::string_view method, std::string_view path) {
  return std::string(method).append(" ").append(path).append(" HTTP/1.1\r\nHost: a\r\n\r\n");
}

TEST(SharedBody, is_sent_whole_however_slowly_it_is_read) {
  for (const std::string_view path : {"/now", "/wait"}) {
    SharingServer server;
    server.kernel.set_faults(SimFaults::harmless(0.1));
    SimClient client = server.connect();
    client.set_window(10'000);
    client.send(shared_request("GET", path) + shared_request("GET", path));
    std::string received;
    for (int piece = 0; piece < 1000; ++piece) {
      server.kernel.run_until_idle();
      received += client.take_received();
    }
    const auto responses = read_responses(received);
    ASSERT_EQ(responses.size(), 2U) << path;
    EXPECT_EQ(responses[0].body, *server.service.text);
    EXPECT_EQ(responses[1].body, *server.service.text);
  }
}

TEST(SharedBody, is_kept_for_those_who_read_it_and_no_longer) {
  for (const std::string_view path : {"/now", "/wait"}) {
    SharingServer server;
    {
      std::vector<SimClient> clients;
      for (int count = 0; count < 50; ++count) {
        clients.push_back(server.connect());
        clients.back().set_window(1000);
        clients.back().send(shared_request("GET", path));
      }
      server.kernel.run_until_idle();
      EXPECT_GE(server.service.text.use_count(), 51) << "each sends from where it lies";
    }
    server.kernel.run_until_idle();
    EXPECT_LE(server.service.text.use_count(), 2) << "the last response may be kept for reuse";
  }
}

TEST(SharedBody, is_not_sent_where_the_head_is_asked_for) {
  SharingServer server;
  const auto responses = read_responses(server.exchange(shared_request("HEAD", "/now")), true);
  ASSERT_EQ(responses.size(), 1U);
  EXPECT_TRUE(responses[0].head.contains("Content-Length: 1000000\r\n"));
}

}  // namespace
}  // namespace eider
