// For tests: a controllable provider that a real HttpClient requests on the simulated event loop.
// Layering: must not be used outside of tests.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/client/client.h"
#include "eider/core/json/json.h"
#include "eider/io/net/dialler.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/sim_kernel.h"

namespace eider::testing {

/// A request as the provider gets it, whole.
struct ProviderRequest {
  std::string path;  // with its query
  std::string bytes;

  [[nodiscard]] bool has(std::string_view text) const { return bytes.contains(text); }
};

inline std::string http_response(std::string_view content, std::string_view status = "200 OK",
                                 std::string_view more = {}) {
  return "HTTP/1.1 " + std::string(status) + "\r\nContent-Type: application/json\r\n" +
         std::string(more) + "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" +
         std::string(content);
}

/// Outlives the loops on which it is asked.
class ScriptedProvider {
 public:
  using Answer = std::function<std::string(const ProviderRequest&)>;

  /// What it answers for a path; an empty text: it hangs.
  std::map<std::string, Answer, std::less<>> responses;
  std::vector<ProviderRequest> asked;
  bool is_down = false;
  std::size_t dialled = 0;  // connections

  void says(std::string path, std::string bytes) {
    responses[std::move(path)] = [bytes = std::move(bytes)](const ProviderRequest&) {
      return bytes;
    };
  }
  [[nodiscard]] std::size_t count(std::string_view path) const {
    std::size_t found = 0;
    for (const ProviderRequest& request : asked) {
      found += request.path == path ? 1 : 0;
    }
    return found;
  }
  /// The last one for that path.
  [[nodiscard]] std::string last(std::string_view path) const {
    std::string found;
    for (const ProviderRequest& request : asked) {
      found = request.path == path ? request.bytes : found;
    }
    return found;
  }
  [[nodiscard]] std::unique_ptr<HttpClient> make_client(const ClientOptions& options) {
    return std::make_unique<HttpClient>(options, std::make_unique<Dialler>(*this));
  }

 private:
  class Dialler final : public net::Dialler {
   public:
    explicit Dialler(ScriptedProvider& provider) noexcept : provider_(provider) {}

    Task<Result<Descriptor, net::ConnectError>> dial(const net::Route&, Instant) override {
      if (provider_.is_down) {
        co_return fail(net::ConnectError{net::ConnectFault::not_connected, "Not connected."});
      }
      ++provider_.dialled;
      SimPair pair = static_cast<SimLoop&>(Loop::current()).kernel().connect_pair();
      serving_.start(provider_.serve(std::move(pair.client)));
      co_return std::move(pair.server);
    }

   private:
    ScriptedProvider& provider_;
    Scope serving_;
  };

  static std::optional<ProviderRequest> take(std::string& bytes) {
    const std::size_t head = bytes.find("\r\n\r\n");
    if (head == std::string::npos) {
      return std::nullopt;
    }
    const std::size_t field = bytes.find("Content-Length: ");
    const std::size_t length = field < head ? std::stoul(bytes.substr(field + 16)) : 0;
    const std::size_t whole = head + 4 + length;
    if (bytes.size() < whole) {
      return std::nullopt;
    }
    const std::size_t begin = bytes.find(' ') + 1;
    ProviderRequest request{.path = bytes.substr(begin, bytes.find(' ', begin) - begin),
                            .bytes = bytes.substr(0, whole)};
    bytes.erase(0, whole);
    return request;
  }
  Task<> serve(SimClient line) {
    std::string received;
    while (!line.is_closed()) {
      co_await sleep_for(std::chrono::milliseconds(1));
      received += line.take_received();
      if (const auto request = take(received)) {
        asked.push_back(*request);
        const auto found = responses.find(request->path);
        line.send(found == responses.end() ? http_response("{}", "404 Not Found")
                                           : found->second(*request));
      }
    }
  }
};

}  // namespace eider::testing
