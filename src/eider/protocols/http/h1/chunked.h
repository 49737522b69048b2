// Decodes the chunked transfer coding (RFC 9112, section 7.1) as a stream.
// Layering: must not gather the content, and lets no trailer field reach the head or the framing.
#pragma once

#include <cstdint>
#include <string_view>

#include "eider/protocols/http/h1/refusal.h"

namespace eider::h1 {

/// Bounds that no correct client comes near.
inline constexpr std::uint32_t kChunkSizeDigitsMax = 15;
/// Of all chunk extensions of one body, so that one-byte chunks cannot carry kilobytes each.
inline constexpr std::uint32_t kChunkExtensionBytesMax = 4096;
/// Of all trailer lines of one body.
inline constexpr std::uint32_t kTrailerBytesMax = 8192;

enum class ChunkedStatus : std::uint8_t { need_more, data, done, refused };

/// What one step found.
///
/// consumed  bytes to drop from the front of the input: all of it at need_more
/// data      content, a view into the input; empty unless status == data
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
  /// Of requests the grammar is kept to the byte: another reader on the way could disagree about
  /// where one ends. Some servers pad chunk sizes with blanks, which all clients accept.
  enum class Of : std::uint8_t { request, response };

  ChunkedReader() noexcept = default;
  explicit ChunkedReader(Of of) noexcept : of_(of) {}

  /// Reads until there is content to hand out, or the input ends, or the coding does.
  ///
  /// in       the bytes behind those consumed so far, any length
  /// returns  data       one piece of content, at most a chunk
  ///          need_more  all of `in` is consumed; go on with what comes next
  ///          done       the last chunk and the trailers are consumed; what follows is the next
  ///          head refused    refusal() says why; so does every later call
  /// cost     one pass, no allocation; trailers are checked and dropped
  /// source   RFC 9112, section 7.1
  [[nodiscard]] ChunkedStep read(std::string_view in) noexcept;

  /// Pre: the last read returned refused.
  [[nodiscard]] Refusal refusal() const noexcept { return refusal_; }

 private:
  enum class State : std::uint8_t {
    size_first,
    size_more,
    // Of chunk extensions.
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

  /// Of the chunk: as announced, then what of it is still to come.
  std::uint64_t left_ = 0;
  std::uint16_t extension_bytes_ = 0;
  std::uint16_t trailer_bytes_ = 0;
  std::uint8_t size_digits_ = 0;
  Of of_ = Of::request;
  State state_ = State::size_first;
  Refusal refusal_ = Refusal::none;
};

}  // namespace eider::h1
