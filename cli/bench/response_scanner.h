// Finds the end and the status of each HTTP/1.1 response of a connection, at low cost.
// Layering: skips parsing only for headers that are byte for byte equal to parsed ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/bench/response_check.h"
#include "eider/protocols/http/h1/head_reader.h"
#include "eider/protocols/http/h1/response_body.h"
#include "eider/protocols/http/h1/response_reader.h"
#include "eider/protocols/http/method.h"

namespace eider::bench {

/// The head that answered a request last, and what the strict reader has made of it. Servers send
/// the same head again and again, but for the date, which changes once a second: then the rest is
/// one comparison. Of content framed by its length only.
struct KnownHead {
  std::string bytes;  // empty: none is known
  std::uint64_t content_bytes = 0;
  int status = 0;
  bool keeps_alive = false;
};

enum class ScanStatus : std::uint8_t { need_more, whole, refused };

/// status       whole: the response has ended; refused: the connection is of no further use
/// keeps_alive  whether another response can follow on the connection; only when whole
/// code         of the status line; only when whole
/// used         bytes of the input that belong to the response; all of it at need_more
struct Scan {
  ScanStatus status = ScanStatus::need_more;
  bool keeps_alive = false;
  int code = 0;
  std::size_t used = 0;
};

/// One per connection.
class ResponseScanner {
 public:
  /// reader    of the thread, outlives the scanner
  /// expected  what its check looks for; outlives it too
  ResponseScanner(h1::ResponseReader& reader, const Expected& expected) noexcept
      : reader_(&reader), check_(expected) {}

  /// bytes  what arrived behind the bytes used so far, at least one
  /// asked  the method of the request that this answers
  /// known  of that request; replaced when another head comes
  /// cost   no allocation where the head arrives in one piece
  [[nodiscard]] Scan scan(std::string_view bytes, Method asked, KnownHead& known) {
    if (is_between_ && !known.bytes.empty() && bytes.starts_with(known.bytes)) [[likely]] {
      const std::size_t behind = bytes.size() - known.bytes.size();
      if (behind >= known.content_bytes) [[likely]] {
        check_.begin(known.status);
        check_.take(
            bytes.substr(known.bytes.size(), static_cast<std::size_t>(known.content_bytes)));
        return {ScanStatus::whole, known.keeps_alive, known.status,
                known.bytes.size() + static_cast<std::size_t>(known.content_bytes)};
      }
    }
    return scan_slowly(bytes, asked, known);
  }

  /// The connection has ended: whether the response is whole thereby. `code()` is its status.
  [[nodiscard]] bool may_end() const noexcept { return is_in_content_ && content_.may_end(); }
  [[nodiscard]] int code() const noexcept { return code_; }
  /// Sees all content on its way; the connection tells it when a response is whole.
  [[nodiscard]] ResponseCheck& check() noexcept { return check_; }
  [[nodiscard]] const ResponseCheck& check() const noexcept { return check_; }
  /// Whether a response has begun that has not ended.
  [[nodiscard]] bool is_inside() const noexcept { return !is_between_; }
  /// Why the last scan refused, in a sentence.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }
  /// The next bytes are those of another connection.
  void reset() noexcept;

 private:
  Scan scan_slowly(std::string_view bytes, Method asked, KnownHead& known);
  Scan scan_head(std::string_view bytes, Method asked, KnownHead& known);
  Scan scan_content(std::string_view bytes);
  Scan take_head(KnownHead& known);
  Scan refuse(h1::ResponseFlaw flaw);
  void become_ready() noexcept;

  h1::ResponseReader* reader_;
  std::string kept_;  // an unfinished head
  h1::HeadSearch search_;
  h1::ResponseBodyReader content_;
  ResponseCheck check_;
  std::string why_;
  int code_ = 0;
  bool is_between_ = true;
  bool is_in_content_ = false;
  bool keeps_alive_ = false;
};

}  // namespace eider::bench
