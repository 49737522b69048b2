// Parses one HTTP/1.x request head (RFC 9112, sections 2 to 7), without ambiguity.
// Layering: must not keep bytes, know sockets, or allocate after construction.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "eider/protocols/http/h1/refusal.h"
#include "eider/protocols/http/head.h"

namespace eider::h1 {

struct HeadLimits {
  /// From the first byte to the end of the empty line; if exceeded: 431.
  std::uint32_t head_bytes_max = 16 * 1024;
  /// A longer request target: 414.
  std::uint32_t target_bytes_max = 8 * 1024;
  /// More field lines: 431.
  std::uint32_t headers_max = 100;
};

/// Empty lines before a request line that are skipped (RFC 9112, section 2.2).
inline constexpr int kLeadingLinesMax = 4;

enum class HeadStatus : std::uint8_t { need_more, complete, refused };

/// There is one per event loop for all its connections. It keeps the fields of the last head.
///
///     for (;;) {                                        // any number of pipelined requests
///       switch (reader.read(in, limits)) {
///         case complete:  use reader.head(); in.remove_prefix(reader.head_bytes()); …
///         case need_more: keep `in` and a HeadSearch with the connection
///         case refused:   respond with reader.refusal(), then close
///
/// A head that arrives in pieces is parsed again only after its end has arrived: see HeadSearch.
class HeadReader {
 public:
  /// Reads into its own head.
  HeadReader() noexcept : HeadReader(own_head_) {}
  /// Reads into `head`, which must outlive the reader. Saves the copy if the head is in a request.
  explicit HeadReader(RequestHead& head) noexcept : head_(head) {}
  HeadReader(const HeadReader&) = delete;
  HeadReader& operator=(const HeadReader&) = delete;

  /// Reads the head at the start of `in`, after at most kLeadingLinesMax empty lines.
  ///
  /// in       unread bytes of the connection, any number; head() points into them
  /// returns  complete   head() and head_bytes() are valid until the next read
  ///          need_more  incomplete but correct so far: call again with the same bytes and more
  ///          refused    see refusal(); with more bytes, the result is the same
  /// cost     one pass, no allocation unless limits.headers_max has grown
  /// source   RFC 9112, sections 2.2, 3, 5, 6, 7 and 9
  [[nodiscard]] HeadStatus read(std::string_view in, const HeadLimits& limits);

  /// Pre: the last read returned complete.
  [[nodiscard]] const RequestHead& head() const noexcept { return head_; }
  /// Returns the size of the head in the input, including skipped empty lines.
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

/// The state of the search for the end of an incomplete head. Four bytes.
///
/// With it, a head that arrives byte by byte costs one pass instead of one per byte: parsing is
/// postponed until the end may have arrived.
class HeadSearch {
 public:
  /// Returns whether `HeadReader::read` of `in` may return something other than need_more.
  ///
  /// in  all bytes of the head so far: those of the last call, and possibly more
  [[nodiscard]] bool is_worth_reading(std::string_view in, const HeadLimits& limits) noexcept;
  /// Resets the search for the next head.
  void reset() noexcept { searched_ = 0; }

 private:
  std::uint32_t searched_ = 0;
};

}  // namespace eider::h1
