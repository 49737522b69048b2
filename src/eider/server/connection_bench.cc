// The server's cost per request: parsing, planning, handling and writing, without a kernel and a
// router. It is compared with a bare loop that only counts empty lines.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/stream_access.h"
#include "eider/server/connections.h"
#include "eider/server/service.h"

namespace eider {
namespace {

// Passes bytes to the single stream that was opened, and discards its output.
class NullLoop final : public Loop {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "null"; }
  void tell(std::string_view bytes) {
    StreamAccess::tell_bytes(*stream_, bytes);
    flush_cork();
  }
  std::size_t sent = 0;

 protected:
  void attach(Stream& stream) override { stream_ = &stream; }
  void update(Stream& /*stream*/) override {}
  void detach(Stream& stream) noexcept override {
    if (cork_owner_ == &stream) {
      drop_cork();
    }
  }
  Written write(Stream& /*stream*/, std::string_view first, std::string_view second) override {
    benchmark::DoNotOptimize(first.data());
    sent += first.size() + second.size();
    return {first.size() + second.size(), 0};
  }
  void end_writing(Stream& /*stream*/) noexcept override {}
  void attach(Listener& /*listener*/) override {}
  void detach(Listener& /*listener*/) noexcept override {}
  bool accept_no_more(Listener& /*listener*/) noexcept override { return true; }
  void attach(FdWatch& /*watch*/) override {}
  void update(FdWatch& /*watch*/) override {}
  void detach(FdWatch& /*watch*/) noexcept override {}
  void wait(Instant /*until*/) override {}
  void wake() noexcept override {}

 private:
  Stream* stream_ = nullptr;
};

class ConstantService final : public RequestService {
 public:
  RequestPlan plan(Request& request) noexcept override {
    return {.endpoint = this,
            .body_bytes_max = 1024,
            .waits = request.path() == "/later",
            .keeps_request = request.path() == "/copied"};
  }
  void respond(const RequestPlan& /*plan*/, Request& /*request*/,
               Response& response) noexcept override {
    response.set_static_type(kTextPlain).set_static_body("Hello, World!");
  }
  Task<> respond_later(const RequestPlan& /*plan*/, Request& /*request*/, Response& response,
                       const Ongoing& /*ongoing*/) override {
    response.set_static_type(kTextPlain).set_static_body("Hello, World!");
    co_return;
  }
  void respond_failed(const Request& /*request*/, Response* /*response*/,
                      std::exception_ptr /*thrown*/) noexcept override {}
  void refuse(int status, std::string_view detail, Response& response) noexcept override {
    response.set_status(status).set_static_body(detail);
  }
};

class NoCounter final : public detail::server::ConnectionCounter {
 public:
  void on_connection_ended() noexcept override {}
};

std::string pipelined(std::string_view request, std::int64_t depth) {
  std::string all;
  for (std::int64_t index = 0; index < depth; ++index) {
    all.append(request);
  }
  return all;
}

constexpr std::string_view kBare = "GET /plaintext HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";
constexpr std::string_view kLater = "GET /later HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";
constexpr std::string_view kCopied = "GET /copied HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";
constexpr std::string_view kPost =
    "POST /plaintext HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Length: 2\r\n\r\n{}";
constexpr std::string_view kBrowser =
    "GET /plaintext HTTP/1.1\r\nHost: server\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) "
    "Gecko/20130501 Firefox/30.0 AppleWebKit/600.00 Chrome/30.0.0000.0 Trident/10.0 "
    "Safari/600.00\r\nCookie: uid=12345678901234567890; __utma=1.1234567890.1234567890.123456789"
    "0.1234567890.12; wd=2560x1600\r\nAccept: text/html,application/xhtml+xml,application/xml;"
    "q=0.9,*/*;q=0.8\r\nAccept-Language: en-US,en;q=0.5\r\nConnection: keep-alive\r\n\r\n";

void respond(benchmark::State& state, std::string_view request) {
  NullLoop loop;
  ConstantService service;
  NoCounter counter;
  const Limits limits;
  detail::server::LoopContext context(loop, service, limits);
  detail::server::Connections connections(context, counter);
  // Not a real descriptor; only the loop's `detach` would close it.
  connections.open(Descriptor(1 << 30));
  const std::string bytes = pipelined(request, state.range(0));
  for (auto _ : state) {
    loop.tell(bytes);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// The minimum: counts empty lines, and copies a constant response for each.
void count_empty_lines(benchmark::State& state) {
  static constexpr std::string_view kResponse =
      "HTTP/1.1 200 OK\r\nServer: floor\r\nDate: Sat, 01 Jan 2000 00:00:00 GMT\r\n"
      "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 13\r\n\r\nHello, World!";
  Buffer out;
  const std::string bytes = pipelined(kBare, state.range(0));
  for (auto _ : state) {
    for (std::size_t at = 0; (at = bytes.find("\r\n\r\n", at)) != std::string::npos; at += 4) {
      out.append(kResponse);
    }
    benchmark::DoNotOptimize(out.data());
    out.clear();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(count_empty_lines)->Arg(1)->Arg(16);
BENCHMARK_CAPTURE(respond, bare, kBare)->Arg(1)->Arg(16);
BENCHMARK_CAPTURE(respond, browser, kBrowser)->Arg(1)->Arg(16);
BENCHMARK_CAPTURE(respond, with_body, kPost)->Arg(1)->Arg(16);
BENCHMARK_CAPTURE(respond, copied, kCopied)->Arg(1)->Arg(16);
BENCHMARK_CAPTURE(respond, later, kLater)->Arg(1)->Arg(16);

}  // namespace
}  // namespace eider
