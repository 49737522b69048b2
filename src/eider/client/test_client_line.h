// For tests: an HttpClient on a simulated loop; the test controls the server's end of its
// connections.
// Layering: must not be used outside of tests.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/client/client.h"
#include "eider/io/net/dialler.h"
#include "eider/io/runtime/task.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/sim_kernel.h"

namespace eider::testing {

/// Creates connections whose other end is controlled by the test.
class SimDialler final : public net::Dialler {
 public:
  SimDialler(SimKernel& kernel, std::vector<SimClient>& peers, std::vector<std::string>& keys,
             int& refusals)
      : kernel_(kernel), peers_(peers), keys_(keys), refusals_(refusals) {}

  Task<Result<Descriptor, net::ConnectError>> dial(const net::Route& route, Instant) override {
    keys_.push_back(route.key);
    if (refusals_ > 0) {
      --refusals_;
      co_return fail(net::ConnectError{net::ConnectFault::not_connected, "Not connected."});
    }
    SimPair pair = kernel_.connect_pair();
    peers_.push_back(std::move(pair.client));
    co_return std::move(pair.server);
  }

 private:
  SimKernel& kernel_;
  std::vector<SimClient>& peers_;
  std::vector<std::string>& keys_;
  int& refusals_;
};

/// A started request, and its outcome.
struct SentRequest {
  std::optional<ClientRequest::Reply> reply;
  Task<> task;

  [[nodiscard]] bool is_there() const { return reply.has_value(); }
  [[nodiscard]] bool is_response() const { return reply && reply->has_value(); }
  [[nodiscard]] ClientResponse& response() { return reply->value(); }
  /// Returns "200 content", the error text, or "nothing yet".
  [[nodiscard]] std::string text() const {
    if (!reply) {
      return "nothing yet";
    }
    if (!*reply) {
      return std::string(to_text(reply->error().fault));
    }
    return std::to_string((*reply)->status()) + " " + std::string((*reply)->body());
  }
};

class ClientLine {
 public:
  using Prepare = std::function<void(ClientRequest&)>;

  explicit ClientLine(ClientOptions options = {})
      : client(with_seed(std::move(options)),
               std::make_unique<SimDialler>(kernel, peers, keys, refusals)) {}

  /// Starts a request, and runs until it waits.
  SentRequest& ask(Method method, std::string url, const Prepare& prepare = nullptr) {
    SentRequest& asked = *asked_.emplace_back(std::make_unique<SentRequest>());
    loop.call([&] {
      auto request = client.request(method, url);
      if (prepare) {
        prepare(request);
      }
      asked.task = run(std::move(request), asked.reply);
      asked.task.start();
    });
    return asked;
  }
  SentRequest& get(std::string url = "http://a/") { return ask(Method::get, std::move(url)); }

  /// Returns the bytes that the client has sent over line `index` since the last call.
  [[nodiscard]] std::string sent(std::size_t index = 0) { return peers.at(index).take_received(); }
  void say(std::string_view bytes, std::size_t index = 0) {
    peers.at(index).send(bytes);
    kernel.run_until_idle();
  }
  void end(std::size_t index = 0) {
    peers.at(index).half_close();
    kernel.run_until_idle();
  }

  SimKernel kernel;
  SimLoop loop{kernel};
  std::vector<SimClient> peers;
  std::vector<std::string> keys;  // of the dialled connections
  int refusals = 0;               // the number of next dials that fail
  HttpClient client;

 private:
  static ClientOptions with_seed(ClientOptions options) {
    options.seed = 1;
    return options;
  }
  static Task<> run(ClientRequest request, std::optional<ClientRequest::Reply>& reply) {
    reply.emplace(co_await request.send());
  }

  std::vector<std::unique_ptr<SentRequest>> asked_;  // destroyed before the client
};

/// Returns a complete response with Content-Length.
inline std::string response(std::string_view content, std::string_view more = {},
                            std::string_view status = "200 OK") {
  return "HTTP/1.1 " + std::string(status) + "\r\n" + std::string(more) +
         "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + std::string(content);
}

}  // namespace eider::testing
