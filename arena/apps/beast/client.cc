// Asks one URL on so many kept connections by Boost.Beast: callbacks on one io_context, requests
// made once, buffers and parsers' memory reused.
//
//   beast_client URL CONNECTIONS SECONDS BODY_BYTES
#include <array>
#include <boost/beast/http.hpp>
#include <boost/beast/version.hpp>
#include <memory>
#include <memory_resource>
#include <optional>
#include <vector>

#include "../asking/asking.h"
#include "aliases.h"

namespace {

namespace beast = arena::beast;
namespace http = beast::http;
namespace net = arena::net;

using arena::Asking;
using arena::AskingClock;
using arena::Tally;
using Allocator = std::pmr::polymorphic_allocator<char>;
using Parser = http::response_parser<http::string_body, Allocator>;
using Request = http::request<http::string_body>;

Request make_request(const Asking& asking) {
  const bool is_post = !asking.body.empty();
  Request request(is_post ? http::verb::post : http::verb::get, asking.path, 11);
  request.set(http::field::host, asking.host + ":" + std::to_string(asking.port));
  request.set(http::field::user_agent, BOOST_BEAST_VERSION_STRING);
  if (is_post) {
    request.set(http::field::content_type, "application/json");
    request.body() = asking.body;
    request.prepare_payload();
  }
  return request;
}

/// One kept connection: asks, reads the whole answer, asks again.
class Asker {
 public:
  Asker(net::io_context& loop, const Asking& asking, AskingClock::time_point last, Tally& tally)
      : socket_(loop), request_(make_request(asking)), last_(last), tally_(tally) {}

  void start(const net::ip::tcp::endpoint& server) {
    server_ = server;
    connect();
  }

 private:
  void connect() {
    socket_.async_connect(server_, [this](const auto& error) {
      if (error) {
        on_failed();
        return;
      }
      socket_.set_option(net::ip::tcp::no_delay(true));
      ask();
    });
  }

  void ask() {
    http::async_write(socket_, request_, [this](const auto& error, std::size_t) {
      if (error) {
        on_failed();
        return;
      }
      read();
    });
  }

  void read() {
    parser_.reset();
    memory_.release();
    parser_.emplace(std::piecewise_construct, std::make_tuple(),
                    std::make_tuple(Allocator(&memory_)));
    http::async_read(socket_, in_, *parser_, [this](const auto& error, std::size_t) {
      if (error) {
        on_failed();
        return;
      }
      on_answer();
    });
  }

  void on_answer() {
    tally_.judge(parser_->get().result_int(), parser_->get().body());
    if (AskingClock::now() >= last_) {
      return;
    }
    if (parser_->keep_alive()) {
      ask();
    } else {
      connect_again();
    }
  }

  void on_failed() {
    tally_.fail();
    if (AskingClock::now() < last_) {
      connect_again();
    }
  }

  void connect_again() {
    boost::system::error_code ignored;
    socket_.close(ignored);
    in_.clear();
    connect();
  }

  arena::Socket socket_;
  net::ip::tcp::endpoint server_;
  Request request_;
  AskingClock::time_point last_;
  Tally& tally_;
  beast::flat_buffer in_;
  std::array<std::byte, 1024> memory_start_;
  std::pmr::monotonic_buffer_resource memory_{memory_start_.data(), memory_start_.size()};
  std::optional<Parser> parser_;
};

}  // namespace

int main(int argc, char** argv) {
  const Asking asking = arena::read_asking(argc, argv);
  net::io_context loop(1);  // one thread runs it
  const net::ip::tcp::endpoint server(net::ip::make_address(asking.host),
                                      static_cast<unsigned short>(asking.port));
  Tally tally;
  const auto last = arena::last_begin(asking);
  std::vector<std::unique_ptr<Asker>> askers;
  for (int i = 0; i < asking.connections; ++i) {
    askers.push_back(std::make_unique<Asker>(loop, asking, last, tally));
    askers.back()->start(server);
  }
  loop.run();
  tally.print();
}
