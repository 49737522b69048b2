// One connection: reads, answers every whole request that came, and sends the answers in one write.
// Must not be used by two threads: each io_context of the adapter runs on one thread.
#pragma once

#include <array>
#include <boost/beast/http.hpp>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "../common/adapter.h"
#include "aliases.h"
#include "answers.h"
#include "websocket.h"

namespace arena {

namespace http = beast::http;

using Timer = net::basic_waitable_timer<std::chrono::steady_clock,
                                        net::wait_traits<std::chrono::steady_clock>, Executor>;
using Allocator = std::pmr::polymorphic_allocator<char>;
using Fields = http::basic_fields<Allocator>;
using Body = http::span_body<const char>;
using Parser = http::request_parser<http::string_body, Allocator>;
using Request = Parser::value_type;
using Response = http::response<Body, Fields>;

/// What the sessions share: the options, the pool for handlers that block, the rooms.
struct Context {
  Options options;
  std::optional<net::thread_pool> blocking;
  Rooms rooms = {};
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Socket socket, Context& context)
      : socket_(std::move(socket)), timer_(socket_.get_executor()), context_(context) {}

  void start() {
    boost::system::error_code ignored;
    socket_.set_option(net::ip::tcp::no_delay(true), ignored);
    prepare_parser();
    read();
  }

 private:
  static constexpr std::size_t kReadBytes = 8192;
  static constexpr std::size_t kBatchBytesMax = 65536;
  /// Bodies over this are sent from where they lie, not copied behind the head.
  static constexpr std::size_t kCopiedBytesMax = 16384;

  void prepare_parser() {
    parser_.reset();
    memory_.release();
    parser_.emplace(std::piecewise_construct, std::make_tuple(),
                    std::make_tuple(Allocator(&memory_)));
    parser_->eager(true);
  }

  void read() {
    socket_.async_read_some(in_.prepare(kReadBytes),
                            [self = shared_from_this()](const auto& error, std::size_t bytes) {
                              if (!error) {
                                self->in_.commit(bytes);
                                self->answer_all();
                              }
                            });
  }

  /// Answers in order until input runs out, an answer has to wait, or enough is to be sent.
  void answer_all() {
    while (tail_.empty() && is_open_ && out_.size() < kBatchBytesMax) {
      if (!parse()) {
        break;
      }
      if (!answer(parser_->get())) {
        return;  // goes on in answer_later()
      }
    }
    if (out_.size() != 0) {
      write();
    } else if (is_open_) {
      read();
    }
  }

  /// Whether a whole request is there; a malformed one ends the session.
  bool parse() {
    while (in_.size() != 0 && !parser_->is_done()) {
      boost::system::error_code error;
      const std::size_t used = parser_->put(in_.data(), error);
      in_.consume(used);
      if (error == http::error::need_more || (!error && used == 0)) {
        break;
      }
      if (error) {
        is_open_ = false;
        return false;
      }
    }
    return parser_->is_done();
  }

  /// False when the answer has to wait.
  bool answer(const Request& request) {
    const std::string_view target(request.target().data(), request.target().size());
    if (websocket::is_upgrade(request)) {
      return !become_websocket(request, target);
    }
    if (request.method() == http::verb::post && target == "/test") {
      return answer_after_delay();
    }
    if (request.method() == http::verb::post && target == "/test/blocking") {
      answer_from_pool();
      return false;
    }
    respond(answer_get(target, text_));
    return true;
  }

  /// True when the connection is another session's now.
  bool become_websocket(const Request& request, std::string_view target) {
    WsTarget asked = ws_target(target);
    if (!asked.is_known) {
      respond(not_found());
      return false;
    }
    std::make_shared<WsSession>(std::move(socket_), context_.rooms, std::move(asked.room))
        ->start(request);
    return true;
  }

  bool answer_after_delay() {
    if (context_.options.delay.count() == 0) {
      respond(answer_post(parser_->get().body(), text_));
      return true;
    }
    timer_.expires_after(context_.options.delay);
    timer_.async_wait([self = shared_from_this()](const auto& error) {
      if (!error) {
        self->answer_later(answer_post(self->parser_->get().body(), self->text_));
      }
    });
    return false;
  }

  void answer_from_pool() {
    net::post(*context_.blocking, [self = shared_from_this()] {
      std::this_thread::sleep_for(self->context_.options.delay);
      const Answer answer = answer_post(self->parser_->get().body(), self->text_);
      net::post(self->socket_.get_executor(), [self, answer] { self->answer_later(answer); });
    });
  }

  void answer_later(const Answer& answer) {
    respond(answer);
    answer_all();
  }

  /// Appends one answer to what is to be sent and makes room for the next request.
  void respond(const Answer& answer) {
    append(answer);
    prepare_parser();
  }

  void append(const Answer& answer) {
    const Request& request = parser_->get();
    Response response(std::piecewise_construct, std::make_tuple(),
                      std::make_tuple(http::int_to_status(answer.status), request.version(),
                                      Allocator(&memory_)));
    response.set(http::field::content_type, beast::string_view(answer.type));
    response.keep_alive(request.keep_alive());
    response.body() = Body::value_type(answer.body.data(), answer.body.size());
    response.content_length(answer.body.size());
    is_open_ = request.keep_alive();
    serialize(response);
  }

  void serialize(Response& response) {
    http::response_serializer<Body, Fields> serializer(response);
    const bool is_copied = response.body().size() <= kCopiedBytesMax;
    serializer.split(!is_copied);
    const auto copy = [&](auto& /*error*/, const auto& buffers) {
      const std::size_t bytes = beast::buffer_bytes(buffers);
      out_.commit(net::buffer_copy(out_.prepare(bytes), buffers));
      serializer.consume(bytes);
    };
    boost::system::error_code error;
    do {
      serializer.next(error, copy);
    } while (!error && (is_copied ? !serializer.is_done() : !serializer.is_header_done()));
    if (!is_copied) {
      tail_ = {response.body().data(), response.body().size()};
    }
  }

  void write() {
    const std::array<net::const_buffer, 2> buffers{out_.data(), net::buffer(tail_)};
    net::async_write(socket_, buffers, [self = shared_from_this()](const auto& error, std::size_t) {
      if (!error) {
        self->on_written();
      }
    });
  }

  void on_written() {
    out_.clear();
    tail_ = {};
    if (is_open_) {
      answer_all();
      return;
    }
    boost::system::error_code ignored;
    socket_.shutdown(net::ip::tcp::socket::shutdown_send, ignored);
  }

  Socket socket_;
  Timer timer_;
  Context& context_;
  beast::flat_buffer in_;
  beast::flat_buffer out_;
  std::string_view tail_;  // a large body, sent after out_
  std::string text_;       // the text of an answer made for this request
  std::array<std::byte, 1024> memory_start_;
  std::pmr::monotonic_buffer_resource memory_{memory_start_.data(), memory_start_.size()};
  std::optional<Parser> parser_;
  bool is_open_ = true;
};

}  // namespace arena
