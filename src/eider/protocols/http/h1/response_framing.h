// Body length and connection options of a response (RFC 9112, sections 6 and 9).
// Layering: must not look at a field's bytes for more than its meaning: the reader has checked
// them.
#pragma once

#include <string_view>

#include "eider/protocols/http/h1/response_flaw.h"
#include "eider/protocols/http/h1/response_reader.h"
#include "eider/protocols/http/method.h"

namespace eider::h1::detail {

/// Takes the fields of one head in their order and fills in what they mean.
class ResponseFraming {
 public:
  /// Pre: head.status and minor_version are set before the first field.
  /// A proxy removes them, and clients accept them (RFC 9112, section 5.1).
  static constexpr bool kTakesBlankBeforeColon = true;

  ResponseFraming(ReplyHead& head, Method asked) noexcept : head_(head), asked_(asked) {}

  /// Pre: the name is a token.
  [[nodiscard]] ResponseFlaw take(const Field& field) noexcept;
  /// Behind the last field.
  void finish() noexcept;

 private:
  [[nodiscard]] ResponseFlaw take_content_length(std::string_view value) noexcept;
  [[nodiscard]] ResponseFlaw take_one_length(std::string_view value) noexcept;
  [[nodiscard]] ResponseFlaw take_transfer_encoding(std::string_view value) noexcept;
  [[nodiscard]] ResponseFlaw take_connection(std::string_view value) noexcept;
  [[nodiscard]] bool is_tunnel() const noexcept;
  [[nodiscard]] bool has_no_content() const noexcept;
  [[nodiscard]] ReplyBody body() const noexcept;

  ReplyHead& head_;
  Method asked_;
  bool has_length_ = false;
  bool is_chunked_ = false;
  bool names_close_ = false;
  bool names_keep_alive_ = false;
};

}  // namespace eider::h1::detail
