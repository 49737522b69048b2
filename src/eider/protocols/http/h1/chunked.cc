#include "eider/protocols/http/h1/chunked.h"

#include <algorithm>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"

namespace eider::h1 {

ChunkedStep ChunkedReader::read(std::string_view in) noexcept {
  std::size_t at = 0;
  while (state_ != State::done && state_ != State::refused) {
    if (at == in.size()) {
      return {ChunkedStatus::need_more, at, {}};
    }
    if (state_ == State::data) {
      // The chunk may extend beyond this input, so its bytes are returned as they arrive.
      const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(left_, in.size() - at));
      left_ -= bytes;
      state_ = left_ == 0 ? State::data_return : State::data;
      return {ChunkedStatus::data, at + bytes, in.substr(at, bytes)};
    }
    take(in[at]);
    ++at;
  }
  return {state_ == State::done ? ChunkedStatus::done : ChunkedStatus::refused, at, {}};
}

void ChunkedReader::refuse(Refusal refusal) noexcept {
  refusal_ = refusal;
  state_ = State::refused;
}

void ChunkedReader::go_if(bool holds, State next) noexcept {
  return holds ? go(next) : refuse(Refusal::bad_chunk_extension);
}

void ChunkedReader::take(char byte) noexcept {
  switch (state_) {
    case State::size_first:
    case State::size_more:
      return take_in_size(byte);
    case State::before_semicolon:
    case State::before_name:
    case State::name:
    case State::behind_name:
    case State::before_value:
    case State::token:
    case State::quoted:
    case State::escape:
    case State::behind_value:
      return take_in_extension(byte);
    case State::size_line_feed:
      // The size is zero only for the last chunk; the trailers follow it.
      return take_line_feed(byte, left_ == 0 ? State::trailer_start : State::data);
    case State::data_return:
      return byte == '\r' ? go(State::data_line_feed) : refuse(Refusal::bad_chunk_end);
    case State::data_line_feed:
      return take_line_feed(byte, State::size_first);
    case State::trailer_start:
    case State::trailer_name:
    case State::trailer_blank:
    case State::trailer_value:
      return take_in_trailer(byte);
    case State::trailer_line_feed:
      return take_line_feed(byte, State::trailer_start);
    case State::final_line_feed:
      return take_line_feed(byte, State::done);
    case State::data:
    case State::done:
    case State::refused:
      return;
  }
}

/// Reads the LF after a CR.
void ChunkedReader::take_line_feed(char byte, State next) noexcept {
  if (byte != '\n') {
    return refuse(Refusal::bare_cr);
  }
  // The count of digits restarts with each chunk. The size is already zero.
  size_digits_ = 0;
  go(next);
}

/// chunk-size = 1*HEXDIG, then a chunk extension or CRLF
void ChunkedReader::take_in_size(char byte) noexcept {
  const int digit = hex_value(byte);
  if (digit >= 0) {
    // The number of digits is limited, so that the size cannot overflow.
    if (size_digits_ == kChunkSizeDigitsMax) {
      return refuse(Refusal::chunk_too_large);
    }
    ++size_digits_;
    left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
    return go(State::size_more);
  }
  const bool may_end = byte == '\r' || byte == '\n' || byte == ';' || is_blank(byte);
  if (state_ == State::size_first || !may_end) {
    return refuse(Refusal::bad_chunk_size);
  }
  end_extension(byte);
}

/// Reads the byte after a size, or after an extension's name or value: the end of the line or
/// another extension, with optional blanks before it (BWS, RFC 9112, section 7.1.1).
void ChunkedReader::end_extension(char byte) noexcept {
  switch (byte) {
    case '\r':
      return go(State::size_line_feed);
    case '\n':
      return refuse(Refusal::bare_lf);
    case ';':
      return go(State::before_name);
    case ' ':
    case '\t':
      return go(State::before_semicolon);
    default:
      return refuse(Refusal::bad_chunk_extension);
  }
}

/// chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )
void ChunkedReader::take_in_extension(char byte) noexcept {
  // The limit is for all extensions of the body; otherwise each small chunk could have its own.
  if (++extension_bytes_ > kChunkExtensionBytesMax) {
    return refuse(Refusal::chunk_extension_too_large);
  }
  const bool is_gap = state_ == State::before_semicolon || state_ == State::before_name ||
                      state_ == State::behind_name || state_ == State::before_value;
  if (is_gap && is_blank(byte)) {
    return;
  }
  if (state_ == State::before_semicolon && byte == '\r' && of_ == Of::response) {
    return go(State::size_line_feed);
  }
  if (state_ == State::before_semicolon) {
    return go_if(byte == ';', State::before_name);
  }
  if (state_ == State::before_name) {
    return go_if(is_token_byte(byte), State::name);
  }
  if (state_ == State::name || state_ == State::behind_name) {
    return take_behind_name(byte);
  }
  return state_ == State::behind_value ? end_extension(byte) : take_in_value(byte);
}

/// Reads more of the name, or the byte after it.
void ChunkedReader::take_behind_name(char byte) noexcept {
  if (byte == '=') {
    return go(State::before_value);
  }
  if (state_ == State::behind_name) {
    return go_if(byte == ';', State::before_name);
  }
  if (is_blank(byte)) {
    return go(State::behind_name);
  }
  if (!is_token_byte(byte)) {
    end_extension(byte);
  }
}

/// chunk-ext-val = token / quoted-string
void ChunkedReader::take_in_value(char byte) noexcept {
  if (state_ == State::before_value) {
    return byte == '"' ? go(State::quoted) : go_if(is_token_byte(byte), State::token);
  }
  if (state_ == State::token) {
    return is_token_byte(byte) ? go(State::token) : end_extension(byte);
  }
  if (state_ == State::quoted && byte == '"') {
    return go(State::behind_value);
  }
  const bool begins_escape = state_ == State::quoted && byte == '\\';
  return begins_escape ? go(State::escape) : go_if(is_value_byte(byte), State::quoted);
}

/// trailer-section = *( field-line CRLF ), with the same rules as the field lines of a head.
void ChunkedReader::take_in_trailer(char byte) noexcept {
  // As for extensions, the limit is for all trailers together.
  if (++trailer_bytes_ > kTrailerBytesMax) {
    return refuse(Refusal::trailers_too_large);
  }
  if (byte == '\n') {
    return refuse(Refusal::bare_lf);
  }
  if (state_ == State::trailer_value) {
    if (byte != '\r' && !is_value_byte(byte)) {
      return refuse(Refusal::bad_trailer);
    }
    return go(byte == '\r' ? State::trailer_line_feed : State::trailer_value);
  }
  if (is_token_byte(byte) && state_ != State::trailer_blank) {
    return go(State::trailer_name);
  }
  if (state_ == State::trailer_name || state_ == State::trailer_blank) {
    // Only in responses, as in the head (RFC 9112, section 5.1).
    if (is_blank(byte) && of_ == Of::response) {
      return go(State::trailer_blank);
    }
    return byte == ':' ? go(State::trailer_value) : refuse(Refusal::bad_trailer);
  }
  return byte == '\r' ? go(State::final_line_feed) : refuse(Refusal::bad_trailer);
}

}  // namespace eider::h1
