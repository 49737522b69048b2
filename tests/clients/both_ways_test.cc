// A client and servers that send 32 MiB to each other at the same time, over each protocol.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/producing.h"
#include "eider/client/client.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/tls/test_pki.h"
#include "eider/io/tls/tls.h"
#include "eider/server/connection_protocol.h"
#include "eider/server/http2/loop_h2.h"
#include "eider/server/server.h"
#include "eider/web/coding/compressed_response.h"
#include "eider/web/proxy/proxy.h"
#include "tests/support/test_loop.h"

namespace eider {
namespace {

constexpr std::size_t kContentBytes = std::size_t{32} << 20U;

/// The protocol that add_http2 adds, for a server that runs without `App::run`.
class SpeaksH2 final : public ConnectionProtocol {
 public:
  [[nodiscard]] std::string_view alpn() const noexcept override { return "h2"; }
  [[nodiscard]] std::unique_ptr<ProtocolFactory> on_loop(
      detail::server::LoopContext& context) const override {
    return std::make_unique<detail::http2::LoopH2>(context, Http2Options{});
  }
};

enum class Over : std::uint8_t { tcp, tls, proxy };

struct Way {
  const char* name;
  Over over;
  Http2Use http2;
  Backend backend = Backend::epoll;
};

constexpr Way kWays[] = {
    {"h1", Over::tcp, Http2Use::never},
    {"h1_tls", Over::tls, Http2Use::never},
    {"h2", Over::tcp, Http2Use::always},
    {"h2_tls", Over::tls, Http2Use::negotiated},
    {"h1_proxy", Over::proxy, Http2Use::never},
    {"h2_proxy", Over::proxy, Http2Use::always},
    {"h1_io_uring", Over::tcp, Http2Use::never, Backend::io_uring},
    {"h1_tls_io_uring", Over::tls, Http2Use::never, Backend::io_uring},
    {"h1_proxy_io_uring", Over::proxy, Http2Use::never, Backend::io_uring},
};

/// Writes each part before it reads the next.
Task<> echo_content(BodyStream body, ResponseStream out) {
  while (auto part = co_await body.next()) {
    co_await out.write(*part);
  }
}

class Serving {
 public:
  Serving(App& app, Backend backend, const std::shared_ptr<SealMaker>& seals)
      : service_(app.make_service().value()) {
    ServerOptions options{.port = 0, .threads = 1};
    options.backend = backend;
    options.is_secure = seals != nullptr;
    options.seals = seals;
    options.protocol = std::make_shared<SpeaksH2>();
    server_ = std::make_unique<Server>(*service_, options);
    EXPECT_TRUE(server_->start());
  }
  ~Serving() {
    server_->stop_now();
    server_->wait();
  }
  [[nodiscard]] std::string url(bool is_secure) const {
    return (is_secure ? "https://127.0.0.1:" : "http://127.0.0.1:") +
           std::to_string(server_->port());
  }

 private:
  std::unique_ptr<RequestService> service_;
  std::unique_ptr<Server> server_;
};

class BothWays : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    const Way& way = GetParam();
    if (!Loop::create(way.backend)) {
      GTEST_SKIP() << "this kernel lacks the back end";
    }
    app_.post("/echo", echo_content).body_bytes_max(2 * kContentBytes);
    app_.post("/refuse",
              [](BodyStream body) -> Task<Response> {
                static_cast<void>(co_await body.next());
                co_return Response::text("too much").set_status(413);
              })
        .body_bytes_max(2 * kContentBytes);
    if (way.over == Over::tls) {
      TlsOptions options;
      options.certificate = files_.write(
          "a", detail::tls::make_test_certificate({.name = "test", .names = "IP:127.0.0.1"}));
      options.protocols = {"h2", "http/1.1"};
      seals_ = make_server_tls(options, nullptr).value();
    }
    server_ = std::make_unique<Serving>(app_, way.backend, seals_);
    if (way.over == Over::proxy) {
      ProxyOptions options;
      options.client.http2 = way.http2;
      proxy_to(front_, "/", {server_->url(false)}, options);
      proxy_ = std::make_unique<Serving>(front_, way.backend, nullptr);
    }
    options_.http2 = way.http2;
    options_.tls.verify = TlsVerify::nothing;
    options_.body_bytes_max = 2 * kContentBytes;
  }
  [[nodiscard]] std::string url(std::string_view path) const {
    return (proxy_ == nullptr ? *server_ : *proxy_).url(seals_ != nullptr).append(path);
  }

  App app_;
  App front_;
  detail::tls::TestFiles files_;
  std::shared_ptr<SealMaker> seals_;
  std::unique_ptr<Serving> server_;
  std::unique_ptr<Serving> proxy_;
  ClientOptions options_;
};

INSTANTIATE_TEST_SUITE_P(Ways, BothWays, ::testing::ValuesIn(kWays),
                         [](const auto& tried) { return std::string(tried.param.name); });

Task<std::string> post(HttpClient& client, std::string url, std::string content) {
  auto request = client.request(Method::post, url);
  request.body(std::move(content), "text/plain");
  const auto reply = co_await request.send();
  co_return reply ? std::to_string(reply->status()).append(" ").append(reply->body())
                  : reply.error().text;
}

/// Returns bytes without a period, so that parts at the wrong place are detected.
std::string content() {
  std::string bytes(kContentBytes, '\0');
  std::uint32_t word = 1;
  for (char& byte : bytes) {
    word = word * 1664525 + 1013904223;
    byte = static_cast<char>(word >> 24U);
  }
  return bytes;
}

TEST_P(BothWays, an_echo_of_32_MiB_comes_back) {
  TestLoop loop(GetParam().backend);
  HttpClient client(options_);
  const std::string sent = content();
  const std::string heard = loop.run(post(client, url("/echo"), sent));
  EXPECT_TRUE(heard == "200 " + sent) << heard.substr(0, 200) << " " << heard.size();
  EXPECT_EQ(loop.run(post(client, url("/echo"), "again")), "200 again");
}

TEST_P(BothWays, a_refusal_is_heard_ahead_of_the_contents_end) {
  TestLoop loop(GetParam().backend);
  HttpClient client(options_);
  EXPECT_EQ(loop.run(post(client, url("/refuse"), content())), "413 too much");
  EXPECT_EQ(loop.run(post(client, url("/echo"), "again")), "200 again");
}

/// A server that responds after the start of a request and closes without reading the rest, which
/// resets the connection. It accepts one connection.
class HastyServer {
 public:
  HastyServer() {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof(at);
    ::bind(fd_.get(), reinterpret_cast<sockaddr*>(&at), bytes);
    ::listen(fd_.get(), 1);
    ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&at), &bytes);
    port_ = ntohs(at.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~HastyServer() { thread_.join(); }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  void serve() const {
    const Descriptor line(::accept(fd_.get(), nullptr, nullptr));
    constexpr std::string_view kResponse =
        "HTTP/1.1 413 -\r\nConnection: close\r\nContent-Length: 8\r\n\r\ntoo much";
    std::array<char, 16384> begin;
    std::size_t heard = 0;
    while (heard < begin.size()) {  // larger than the head, so the client is sending content
      const ssize_t got = ::recv(line.get(), begin.data(), begin.size(), 0);
      if (got <= 0) {
        return;
      }
      heard += static_cast<std::size_t>(got);
    }
    pollfd more{line.get(), POLLIN, 0};
    ::poll(&more, 1, 10'000);
    static_cast<void>(::send(line.get(), kResponse.data(), kResponse.size(), MSG_NOSIGNAL));
  }

  Descriptor fd_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::uint16_t port_ = 0;
  std::thread thread_;
};

class BothWaysReset : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    if (!Loop::create(GetParam())) {
      GTEST_SKIP() << "this kernel lacks the back end";
    }
    options_.expect_continue_from = 2 * kContentBytes;
  }
  std::string heard_from(const std::string& url) {
    TestLoop loop(GetParam());
    HttpClient client(options_);
    return loop.run(post(client, url, content()));
  }
  ClientOptions options_;
};

INSTANTIATE_TEST_SUITE_P(Backends, BothWaysReset,
                         ::testing::Values(Backend::epoll, Backend::io_uring),
                         [](const auto& tried) {
                           return tried.param == Backend::epoll ? "epoll" : "io_uring";
                         });

TEST_P(BothWaysReset, a_refusal_is_heard_though_its_server_is_gone) {
  const HastyServer server;
  EXPECT_EQ(heard_from(server.url()), "413 too much");
}

TEST_P(BothWaysReset, a_refusal_is_heard_through_a_proxy_though_its_server_is_gone) {
  const HastyServer server;
  App front;
  ProxyOptions options;
  options.client = options_;
  proxy_to(front, "/", {server.url()}, options);
  const Serving proxy(front, GetParam(), nullptr);
  EXPECT_EQ(heard_from(proxy.url(false)), "413 too much");
}

Task<std::string> first_piece(HttpClient& client, std::string url) {
  auto reply = co_await client.request(Method::get, url).send_streamed();
  if (!reply) {
    co_return reply.error().text;
  }
  const auto piece = co_await reply->next();
  co_return piece ? std::string(*piece) : piece.error().text;
}

TEST(Proxy, sends_lines_at_once_although_they_are_compressed) {
  App upstream;
  upstream.get("/lines", [](ResponseStream out) -> Task<> {
    out.head().set_static_type("application/x-ndjson");
    co_await out.write("{}\n");
    co_await sleep_for(std::chrono::minutes(1));
  });
  const Serving server(upstream, Backend::epoll, nullptr);
  App front;
  front.use(compression());
  proxy_to(front, "/", {server.url(false)});
  const Serving proxy(front, Backend::epoll, nullptr);
  TestLoop loop(Backend::epoll);
  HttpClient client({.between_bytes = std::chrono::seconds(2)});
  EXPECT_EQ(loop.run(first_piece(client, proxy.url(false) + "/lines")), "{}\n");
}

Task<std::string> path_seen(HttpClient& client, std::string url) {
  const auto reply = co_await client.get(url);
  co_return reply ? std::string(reply->body()) : reply.error().text;
}

TEST(ProxyPrefix, includes_the_prefixes_of_groups_and_mounts) {
  App upstream;
  upstream.get("/{path...}", [](const std::string&, const Request& request) {
    return std::string(request.target());
  });
  const Serving server(upstream, Backend::epoll, nullptr);
  App mounted;
  proxy_to(mounted, "/up", {server.url(false)});
  Routes inner = mounted.group("/inner");
  proxy_to(inner, "/a/b", {server.url(false) + "/base"});
  App front;
  Routes group = front.group("/group");
  proxy_to(group, "/up", {server.url(false)});
  Routes all = front.group("/all");
  proxy_to(all, "/", {server.url(false)});
  front.mount("/mount", std::move(mounted));
  const Serving proxy(front, Backend::epoll, nullptr);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"/group/up/x?y", "/x?y"}, {"/group/up", "/"},
      {"/mount/up/x", "/x"},     {"/mount/inner/a/b/x%20y", "/base/x%20y"},
      {"/all/x", "/all/x"},
  };
  TestLoop loop(Backend::epoll);
  HttpClient client;
  for (const auto& [path, seen] : cases) {
    EXPECT_EQ(loop.run(path_seen(client, proxy.url(false) + path)), seen) << path;
  }
}

}  // namespace
}  // namespace eider
