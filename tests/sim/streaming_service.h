// A service for tests of streamed content: the path determines how content is read or produced.
// Layering: must not be used in tests of the real application.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "eider/core/base/failure.h"
#include "eider/io/runtime/sleep.h"
#include "eider/server/body_stream.h"
#include "eider/server/content.h"
#include "eider/server/service.h"
#include "eider/server/upgrade.h"

namespace eider {

/// Content that a producer writes in one of several ways.
struct MadeContent final : ProducedContent {
  enum class Way {
    whole,
    sized,
    short_of_it,
    throws_first,
    throws_later,
    ticks,
    slow_pieces,
    with_trailer,
    sets_status
  };

  MadeContent(Way its_way, std::size_t its_bytes, int& its_ends)
      : way(its_way), bytes(its_bytes), ends(its_ends) {}
  ~MadeContent() override { ++ends; }

  Task<> produce(BodyWriter& out) override {
    const std::string piece(1000, 'p');
    if (way == Way::throws_first) {
      throw Failure(Error::not_found("not even begun"));
    }
    if (way == Way::sets_status) {
      out.head().set_status(static_cast<int>(bytes));
      bytes = 1000;
    }
    if (way == Way::ticks) {
      while (true) {
        co_await out.write("tick\n");
        co_await sleep_for(std::chrono::milliseconds(10));
      }
    }
    for (int left = way == Way::slow_pieces ? 3 : 0; left != 0; --left) {
      co_await out.write("piece\n");
      co_await sleep_for(std::chrono::seconds(10));
    }
    for (std::size_t left = bytes; left != 0;) {
      const std::string_view next = std::string_view(piece).substr(0, left);
      co_await out.write(next);
      left -= next.size();
    }
    if (way == Way::throws_later) {
      throw std::runtime_error("in the middle");
    }
    if (way == Way::with_trailer) {
      out.add_trailer("Checksum", "42");
    }
  }
  std::optional<std::uint64_t> length() const noexcept override {
    switch (way) {
      case Way::sized:
        return bytes;
      case Way::short_of_it:
        return bytes + 1;
      default:
        return std::nullopt;
    }
  }
  bool is_live() const noexcept override { return way == Way::ticks; }

  Way way;
  std::size_t bytes;
  int& ends;
};

/// Echoes received bytes in capital letters, and writes " LATER" five seconds after the last; "bye"
/// ends it.
struct Shouting final : Upgraded {
  explicit Shouting(UpgradedLine& its_line) : line(its_line) {}
  void on_bytes(std::string_view bytes) override {
    for (const char byte : bytes) {
      line.output().append(static_cast<char>(byte >= 'a' ? byte - 32 : byte));
    }
    line.wake_at(line.loop().now() + std::chrono::seconds(5));
    if (bytes == "bye") {
      line.flush();
      line.close();
    }
  }
  void on_time() override { line.output().append(" LATER"); }
  void on_end() override { line.close(); }
  void on_drained() override {}
  void on_broken() override {}
  void on_stopping() override {
    line.output().append("STOPPING");
    line.flush();
    line.close();
  }
  UpgradedLine& line;
};

struct ShoutingUpgrade final : Upgrade {
  UpgradedPtr take_over(UpgradedLine& line) override { return std::make_unique<Shouting>(line); }
};

/// /make?N  /sized?N  /short?N  /trailer?N   N bytes, in pieces of 1,000
/// /throw-first  /throw-later?N              a producer that throws
/// /ticks                                    "tick" every 10 ms, without an end
/// /late-pieces                              waits 100 ms; then three pieces, 10 s apart
/// /late-ticks                               waits 100 ms, then as /ticks
/// /plain-make?N                             as /make, from a handler that is not a task
/// /count                                    the number of received bytes of content
/// /count-slowly?MS                          the same, waiting MS ms before each part is read
/// /refuse                                   403, without reading the content
/// /unread-make?STATUS                       1,000 bytes, without reading the content
/// /unread-shout                             Shouting, without reading the content
/// /make-late?STATUS                         1,000 bytes, with a status that the producer sets
/// /shout  /wait-shout                       another protocol (Shouting)
/// /hints                                    103, then the response
class StreamingService final : public RequestService {
 public:
  static constexpr std::size_t kBodyBytesMax = 10'000'000;

  RequestPlan plan(Request& request) noexcept override {
    const std::string_view path = request.path();
    const bool streams =
        path.starts_with("/count") || path.starts_with("/unread") || path == "/refuse";
    return {.endpoint = this,
            .body_bytes_max = kBodyBytesMax,
            .waits = path != "/plain-make" && path != "/shout" && path != "/plain",
            .streams_body = streams};
  }

  void respond(const RequestPlan& /*plan*/, Request& request,
               Response& response) noexcept override {
    respond_at_once(request, response);
  }

  Task<> respond_later(const RequestPlan& /*plan*/, Request& request, Response& response,
                       const Ongoing& ongoing) override {
    const std::string_view path = request.path();
    if (path.starts_with("/count")) {
      auto counting = count(request, BodyStream(*ongoing.content));
      std::size_t bytes = 0;
      try {
        bytes = co_await std::move(counting);
      } catch (const Failure& failure) {
        response.set_status(failure.error().status()).set_body(failure.error().detail());
        co_return;
      }
      response.set_body(std::to_string(bytes));
    } else if (path == "/refuse") {
      response.set_status(403).set_static_body("no");
    } else {
      if (path == "/hints") {
        request.peer()->inform(103, "Link: </a.css>; rel=preload\r\n");
      }
      if (path.starts_with("/late-")) {
        co_await sleep_for(std::chrono::milliseconds(100));
      }
      respond_at_once(request, response);
    }
  }

  void respond_failed(const Request& /*request*/, Response* response,
                      std::exception_ptr thrown) noexcept override {
    ++failed;
    try {
      std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      if (response != nullptr) {
        response->set_status(failure.error().status()).set_body(failure.error().detail());
      }
    } catch (const std::exception&) {
      if (response != nullptr) {
        response->set_status(500);
      }
    }
  }
  void refuse(int status, std::string_view detail, Response& response) noexcept override {
    response.set_status(status).set_static_type(kTextPlain).set_static_body(detail);
  }

  int failed = 0;
  int contents_ended = 0;
  int parts = 0;
  std::size_t largest_part = 0;
  std::string trailers;  // of requests

 private:
  using Way = MadeContent::Way;

  static std::size_t number(const Request& request) noexcept {
    std::size_t value = 0;
    const std::string_view text = request.query();
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }

  static std::optional<Way> way_of(std::string_view path) noexcept {
    if (path == "/make" || path == "/plain-make") return Way::whole;
    if (path == "/sized") return Way::sized;
    if (path == "/short") return Way::short_of_it;
    if (path == "/trailer") return Way::with_trailer;
    if (path == "/throw-first") return Way::throws_first;
    if (path == "/throw-later") return Way::throws_later;
    if (path == "/ticks" || path == "/late-ticks") return Way::ticks;
    if (path == "/late-pieces") return Way::slow_pieces;
    if (path == "/make-late") return Way::sets_status;
    return std::nullopt;
  }

  void respond_at_once(const Request& request, Response& response) {
    response.set_static_type(kTextPlain);
    if (request.path() == "/unread-make") {
      response.set_status(static_cast<int>(number(request)));
      response.set_content(std::make_unique<MadeContent>(Way::whole, 1000, contents_ended));
    } else if (const auto way = way_of(request.path())) {
      response.set_content(std::make_unique<MadeContent>(*way, number(request), contents_ended));
    } else if (request.path().ends_with("shout")) {
      response.set_status(101).add_header("Upgrade", "shout");
      response.set_content(std::make_unique<ShoutingUpgrade>());
    } else {
      response.set_static_body("plain");
    }
  }

  Task<std::size_t> count(Request& request, BodyStream body) {
    std::size_t bytes = 0;
    while (true) {
      if (request.path() == "/count-slowly") {
        co_await sleep_for(std::chrono::milliseconds(number(request)));
      }
      const auto part = co_await body.next();
      if (!part) {
        for (const Field& field : body.trailers()) {
          trailers.append(field.name).append("=").append(field.value).append("|");
        }
        co_return bytes;
      }
      ++parts;
      largest_part = std::max(largest_part, part->size());
      bytes += part->size();
    }
  }
};

/// Returns a GET request without content.
inline std::string get_content(std::string_view target, std::string_view version = "1.1") {
  std::string request("GET ");
  request.append(target).append(" HTTP/").append(version).append("\r\nHost: a\r\n\r\n");
  return request;
}

}  // namespace eider
