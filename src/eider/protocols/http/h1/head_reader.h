// Parses one HTTP/1.x request head (RFC 9112, sections 2 to 7), without ambiguity.
// Layering: must not keep bytes, know sockets, or allocate once it is made.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "eider/protocols/http/h1/refusal.h"
#include "eider/protocols/http/head.h"

namespace eider::h1 {

struct HeadLimits {
  /// From the first byte to the end of the empty line; more is 431.
  std::uint32_t head_bytes_max = 16 * 1024;
  /// A longer request target is 414.
  std::uint32_t target_bytes_max = 8 * 1024;
  /// More field lines are 431.
  std::uint32_t headers_max = 100;
};

/// Empty lines before a request line that are skipped (RFC 9112, section 2.2).
inline constexpr int kLeadingLinesMax = 4;

enum class HeadStatus : std::uint8_t { need_more, complete, refused };

/// One per loop, used for all its connections: it holds the fields of the head read last.
///
///     for (;;) {                                        // a loop, however deep the pipeline
///       switch (reader.read(in, limits)) {
///         case complete:  use reader.head(); in.remove_prefix(reader.head_bytes()); …
///         case need_more: keep `in` with the connection, and a HeadSearch beside it
///         case refused:   write_refusal(out, reader.refusal(), date); close
///
/// A head that comes in pieces is read again only when its end has come: see HeadSearch.
class HeadReader {
 public:
  /// Reads into a head of its own.
  HeadReader() noexcept : HeadReader(own_head_) {}
  /// Reads into `head`, which outlives the reader: it saves the copy where a request holds one.
  explicit HeadReader(RequestHead& head) noexcept : head_(head) {}
  HeadReader(const HeadReader&) = delete;
  HeadReader& operator=(const HeadReader&) = delete;

  /// Reads the head at the front of `in`, after at most kLeadingLinesMax empty lines.
  ///
  /// in       unread connection bytes, any length; head() points into them
  /// returns  complete   head() and head_bytes() are valid until the next read
  ///          need_more  a correct start: call again with the same bytes and more
  ///          refused    refusal() says why; every longer input is refused for the same reason
  /// cost     one pass, no allocation unless limits.headers_max has grown
  /// source   RFC 9112, sections 2.2, 3, 5, 6, 7 and 9
  [[nodiscard]] HeadStatus read(std::string_view in, const HeadLimits& limits);

  /// Pre: the last read returned complete.
  [[nodiscard]] const RequestHead& head() const noexcept { return head_; }
  /// Bytes of the input that the head took, skipped empty lines included.
  [[nodiscard]] std::size_t head_bytes() const noexcept { return head_bytes_; }
  /// Pre: the last read returned refused.
  [[nodiscard]] Refusal refusal() const noexcept { return refusal_; }

 private:
  std::vector<Field> fields_;
  RequestHead own_head_;
  RequestHead& head_;
  std::size_t head_bytes_ = 0;
  Refusal refusal_ = Refusal::none;
};

/// Where a connection's search for the end of an incomplete head stands. Four bytes.
///
/// Makes a head that arrives byte by byte cost one pass instead of one per byte: reading again is
/// put off until its end may have come.
class HeadSearch {
 public:
  /// True when `HeadReader::read` on `in` may return something other than need_more.
  ///
  /// in  all bytes of the head so far: at each call those of the last one, and more behind them
  [[nodiscard]] bool is_worth_reading(std::string_view in, const HeadLimits& limits) noexcept;
  /// For the next head.
  void reset() noexcept { searched_ = 0; }

 private:
  std::uint32_t searched_ = 0;
};

}  // namespace eider::h1
