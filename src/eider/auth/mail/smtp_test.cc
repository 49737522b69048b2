// Sending over SMTP to a server of the test, on one real event loop.
#include "eider/auth/mail/smtp.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/test_peer.h"
#include "eider/io/runtime/test_server.h"
#include "tests/support/test_loop.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using testing::TestConnection;
using testing::TestServer;

/// Waits until `check` is true, for at most a minute.
Task<> eventually(std::function<bool()> check) {
  for (int tries = 0; tries < 12'000 && !check(); ++tries) {
    co_await sleep_for(5ms);
  }
  EXPECT_TRUE(check());
}

Task<> send(std::shared_ptr<MailTransport> transport, DeliveryResult* result) {
  auto message = std::make_shared<const MailMessage>("1@shop.example", "shop@shop.example",
                                                     std::vector<std::string>{"ann@example.org"},
                                                     "Subject: Hello\r\n\r\nHello!\r\n");
  *result = co_await transport->send(std::move(message));
}

bool has_message(const TestConnection& connection) {
  return connection.received.ends_with("\r\n.\r\n");
}

void accept_mail(TestConnection& connection) {
  const std::string_view received = connection.received;
  if (received.ends_with("DATA\r\n")) {
    connection.stream.output().append("354 go on\r\n");
  } else if (has_message(connection) || !received.contains("DATA\r\n")) {
    connection.stream.output().append("250 ok\r\n");
  }
}

/// On its first connection, the server does not reply to the message.
Task<> cancel_and_send_again(Loop* loop) {
  TestServer server(*loop);
  int closed = 0;
  server.accepted = [](TestConnection& connection) {
    connection.stream.output().append("220 test\r\n");
  };
  server.ended = [&closed](TestConnection&) { ++closed; };
  server.bytes = [&server](TestConnection& connection, std::string_view) {
    if (&connection != server.connections.front().get() || !has_message(connection)) {
      accept_mail(connection);
    }
  };
  EXPECT_TRUE(server.listener.open(testing::local()));
  const auto transport = smtp(
      {.url = "smtp://127.0.0.1:" + std::to_string(server.listener.port()), .reply_within = 2min});
  DeliveryResult result{DeliveryStatus::retry_later, "not sent"};
  {
    Scope cancelled;
    cancelled.start(send(transport, &result));
    co_await eventually([&server] {
      return !server.connections.empty() && has_message(*server.connections.front());
    });
  }
  co_await eventually([&closed] { return closed == 1; });
  co_await send(transport, &result);
  EXPECT_EQ(result.status, DeliveryStatus::sent) << result.reason;
  EXPECT_EQ(server.connections.size(), 2U);
}

TEST(Smtp, ACancelledMailClosesItsConnectionAndTheNextOneIsSent) {
  TestLoop loop;
  loop.run(cancel_and_send_again(&loop.loop()));
}

}  // namespace
}  // namespace eider
