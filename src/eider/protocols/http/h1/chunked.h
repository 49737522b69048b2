// Decodes the chunked transfer coding (RFC 9112, section 7.1) as a stream.
// Layering: must not collect the content, and must not let a trailer field change the head or the
// framing.
#pragma once

#include <cstdint>
#include <string_view>

#include "eider/protocols/http/h1/refusal.h"

namespace eider::h1 {

/// Limits that no correct client reaches.
inline constexpr std::uint32_t kChunkSizeDigitsMax = 15;
/// For all chunk extensions of one body together, so that one-byte chunks cannot carry kilobytes
/// each.
inline constexpr std::uint32_t kChunkExtensionBytesMax = 4096;
/// For all trailer lines of one body together.
inline constexpr std::uint32_t kTrailerBytesMax = 8192;

enum class ChunkedStatus : std::uint8_t { need_more, data, done, refused };

/// The result of one step.
///
/// consumed  bytes to remove from the start of the input: all of it for need_more
/// data      content, a view of the input; empty unless status == data
struct ChunkedStep {
  ChunkedStatus status;
  std::size_t consumed;
  std::string_view data;
};

///     while ((step = reader.read(in)).status == ChunkedStatus::data) {
///       body.append(step.data); in.remove_prefix(step.consumed);
///     }
class ChunkedReader {
 public:
  /// For requests the grammar is strict, because another reader on the way could disagree about the
  /// end of a request. Some servers pad chunk sizes with blanks, which all clients accept.
  enum class Of : std::uint8_t { request, response };

  ChunkedReader() noexcept = default;
  explicit ChunkedReader(Of of) noexcept : of_(of) {}

  /// Reads until there is content, or until the end of the input or of the chunked body.
  ///
  /// in       the bytes after those consumed so far, any number
  /// returns  data       one piece of content, at most a chunk
  ///          need_more  all of `in` is consumed; continue with more bytes
  ///          done       the last chunk and the trailers are consumed; the next head follows
  ///          refused    see refusal(); each later call returns this, too
  /// cost     one pass, no allocation; trailers are checked and dropped
  /// source   RFC 9112, section 7.1
  [[nodiscard]] ChunkedStep read(std::string_view in) noexcept;

  /// Pre: the last read returned refused.
  [[nodiscard]] Refusal refusal() const noexcept { return refusal_; }

 private:
  enum class State : std::uint8_t {
    size_first,
    size_more,
    // Inside chunk extensions.
    before_semicolon,
    before_name,
    name,
    behind_name,
    before_value,
    token,
    quoted,
    escape,
    behind_value,
    size_line_feed,
    data,
    data_return,
    data_line_feed,
    trailer_start,
    trailer_name,
    trailer_blank,
    trailer_value,
    trailer_line_feed,
    final_line_feed,
    done,
    refused,
  };

  void go(State next) noexcept { state_ = next; }
  void go_if(bool holds, State next) noexcept;
  void refuse(Refusal refusal) noexcept;
  void take(char byte) noexcept;
  void take_line_feed(char byte, State next) noexcept;
  void take_in_size(char byte) noexcept;
  void end_extension(char byte) noexcept;
  void take_in_extension(char byte) noexcept;
  void take_behind_name(char byte) noexcept;
  void take_in_value(char byte) noexcept;
  void take_in_trailer(char byte) noexcept;

  /// The chunk size while it is read, then the bytes of the chunk that are missing.
  std::uint64_t left_ = 0;
  std::uint16_t extension_bytes_ = 0;
  std::uint16_t trailer_bytes_ = 0;
  std::uint8_t size_digits_ = 0;
  Of of_ = Of::request;
  State state_ = State::size_first;
  Refusal refusal_ = Refusal::none;
};

}  // namespace eider::h1
