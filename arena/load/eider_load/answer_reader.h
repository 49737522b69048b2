// Reads one HTTP/1.1 answer after the other out of the bytes of a connection and checks each.
// Must not trust the server: every length is bounded and every deviation has a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "failures.h"

namespace load {

/// What every answer must be. Without body and length, any body will do.
struct Expected {
  int status = 200;
  std::optional<std::string> body;
  std::optional<std::uint64_t> body_bytes;
};

/// What became of the bytes that were given to `AnswerReader::read`.
///
/// used     how many of them belong to the answer
/// is_whole the answer has ended: all behind `used` belongs to the next
/// failure  why it counts as wrong; after `malformed` the connection is of no further use
struct ReadStep {
  std::size_t used = 0;
  bool is_whole = false;
  std::optional<Failure> failure;
};

class AnswerReader {
 public:
  /// expected  must outlive the reader
  explicit AnswerReader(const Expected& expected) noexcept : expected_(&expected) {}

  /// Reads on. A body may be framed by its length, in chunks, or by the connection's end.
  ///
  /// cost  no allocation when the head arrives in one piece
  ReadStep read(std::string_view bytes);

  /// The connection has ended: whole when the body was framed by that, else `closed`.
  ReadStep end();

  /// Forgets an unfinished answer: the next bytes are those of another connection.
  void reset() noexcept;

  /// Whether the last answer says that the connection will be closed.
  [[nodiscard]] bool closes() const noexcept { return closes_; }
  /// Whether an answer has begun that has not ended.
  [[nodiscard]] bool is_inside() const noexcept { return part_ != Part::head || !head_.empty(); }
  /// How many bytes of the unfinished answer's body have come that are as expected; 0 when one of
  /// them is not, or the status.
  [[nodiscard]] std::uint64_t right_body_bytes() const noexcept {
    return is_same_ && status_ == expected_->status ? seen_ : 0;
  }
  /// False when the unfinished answer's body differs already from the expected one.
  [[nodiscard]] bool is_right_so_far() const noexcept { return is_same_; }
  /// What was wrong, for people: "status 500 instead of 200", "body "…" instead of "…"".
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

 private:
  enum class Part : std::uint8_t { head, body, until_end, chunk_line, chunk, chunk_end, trailer };

  ReadStep read_head(std::string_view bytes);
  bool read_fields(std::string_view head);
  bool read_field(std::string_view line);
  ReadStep read_part(std::string_view bytes);
  ReadStep read_body(std::string_view bytes);
  ReadStep read_line(std::string_view bytes);
  ReadStep on_line(std::size_t used);
  ReadStep whole(std::size_t used);
  ReadStep malformed(std::string why);
  void check_body(std::string_view bytes);

  const Expected* expected_;
  Part part_ = Part::head;
  std::string head_;        // of an unfinished head, or line of a chunked body
  std::uint64_t left_ = 0;  // bytes of the body or chunk that have not come
  std::uint64_t seen_ = 0;  // bytes of the body that have come
  std::string begin_;       // of a body that is wrong, for people
  int status_ = 0;
  bool is_same_ = true;  // the body so far is the expected one
  bool closes_ = false;
  std::string why_;
};

}  // namespace load
