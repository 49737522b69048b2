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

/// The last response headers for a request, with the result of the strict parser. Servers send the
/// same headers again and again, except for the date, which changes once per second: then one
/// comparison replaces parsing. Only for bodies with a Content-Length.
struct KnownHead {
  std::string bytes;  // empty: none stored
  std::uint64_t content_bytes = 0;
  int status = 0;
  bool keeps_alive = false;
};

enum class ScanStatus : std::uint8_t { need_more, whole, refused };

/// status       whole: the response has ended; refused: the connection cannot be used any more
/// keeps_alive  another response can follow on the connection; only if whole
/// code         of the status line; only if whole
/// used         bytes of the input that belong to the response; for need_more, all of them
struct Scan {
  ScanStatus status = ScanStatus::need_more;
  bool keeps_alive = false;
  int code = 0;
  std::size_t used = 0;
};

/// Scans the responses of one connection.
class ResponseScanner {
 public:
  /// reader    of the thread; outlives the scanner
  /// expected  properties of each response; outlives the scanner
  ResponseScanner(h1::ResponseReader& reader, const Expected& expected) noexcept
      : reader_(&reader), check_(expected) {}

  /// bytes  received bytes that were not used so far, at least one
  /// asked  method of the request
  /// known  of that request; replaced when other headers arrive
  /// cost   no allocation if the headers arrive in one piece
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

  /// Returns whether the end of the connection completes the response. `code()` is its status.
  [[nodiscard]] bool may_end() const noexcept { return is_in_content_ && content_.may_end(); }
  [[nodiscard]] int code() const noexcept { return code_; }
  /// Receives all body bytes; the connection calls its end() when a response is whole.
  [[nodiscard]] ResponseCheck& check() noexcept { return check_; }
  [[nodiscard]] const ResponseCheck& check() const noexcept { return check_; }
  /// Returns whether a response has begun but not ended.
  [[nodiscard]] bool is_inside() const noexcept { return !is_between_; }
  /// Returns the reason of the last `refused`, in a sentence.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }
  /// Starts anew: the next bytes belong to another connection.
  void reset() noexcept;

 private:
  Scan scan_slowly(std::string_view bytes, Method asked, KnownHead& known);
  Scan scan_head(std::string_view bytes, Method asked, KnownHead& known);
  Scan scan_content(std::string_view bytes);
  Scan take_head(KnownHead& known);
  Scan refuse(h1::ResponseFlaw flaw);
  void become_ready() noexcept;

  h1::ResponseReader* reader_;
  std::string kept_;  // incomplete headers
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
