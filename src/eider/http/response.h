// One response as a handler makes it: status, fields and content, not yet bytes on the wire.
// Must not write framing (Content-Length, Transfer-Encoding, Connection, Date): the server does.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/base/buffer.h"

namespace eider {

/// Media types that the library itself answers with.
inline constexpr std::string_view kTextPlain = "text/plain; charset=utf-8";
inline constexpr std::string_view kTextHtml = "text/html; charset=utf-8";
inline constexpr std::string_view kApplicationJson = "application/json";
inline constexpr std::string_view kApplicationProblem = "application/problem+json";

/// Content that is not bytes in memory. What there is, server/content.h and server/upgrade.h say.
class Content {
 public:
  Content() = default;
  Content(const Content&) = delete;
  Content& operator=(const Content&) = delete;
  virtual ~Content() = default;
};

class Response {
 public:
  Response() = default;
  explicit Response(int status) : status_(status) {}

  [[nodiscard]] static Response text(std::string body, int status = 200);
  [[nodiscard]] static Response html(std::string body, int status = 200);

  [[nodiscard]] int status() const noexcept { return status_; }
  [[nodiscard]] std::string_view content_type() const noexcept { return content_type_; }
  [[nodiscard]] std::string_view body() const noexcept;
  /// Field lines as they will stand on the wire, each "Name: value\r\n".
  [[nodiscard]] std::string_view field_lines() const noexcept { return field_lines_; }
  [[nodiscard]] bool closes_connection() const noexcept { return closes_connection_; }

  /// status  200 <= status <= 599
  Response& set_status(int status) & noexcept {
    status_ = status;
    return *this;
  }
  /// type  must stay valid until the response has been written, e.g. a constant above; not copied
  Response& set_static_type(std::string_view type) & noexcept {
    content_type_ = type;
    return *this;
  }
  /// Sets Content-Type to a copy. Throws std::invalid_argument on control bytes.
  Response& set_type(std::string type) &;
  /// Adds a field line. Throws std::invalid_argument when the name is no token, when the value has
  /// a control byte or a blank at an end (RFC 9110, section 5.5), or when the field is framing.
  Response& add_header(std::string_view name, std::string_view value) &;
  /// Takes all fields of that name out and adds one.
  Response& replace_header(std::string_view name, std::string_view value) &;
  /// Takes all fields of that name out.
  Response& remove_header(std::string_view name) &;
  /// The first field of that name, compared without case; valid until a field is added.
  [[nodiscard]] std::optional<std::string_view> find_header(std::string_view name) const noexcept;
  // The same on a response just made: `return Response::text("no", 418).add_header("A", "b");`
  Response&& set_status(int status) && noexcept { return std::move(set_status(status)); }
  Response&& set_type(std::string type) && { return std::move(set_type(std::move(type))); }
  Response&& add_header(std::string_view name, std::string_view value) && {
    return std::move(add_header(name, value));
  }
  Response&& set_static_type(std::string_view type) && noexcept {
    return std::move(set_static_type(type));
  }
  Response&& set_static_body(std::string_view body) && noexcept {
    return std::move(set_static_body(body));
  }
  Response&& set_body(std::string body) && noexcept { return std::move(set_body(std::move(body))); }
  /// Puts field lines in front of those there are. Pre: they are `field_lines()` of a Response.
  void prepend_field_lines(std::string_view lines) { field_lines_.insert(0, lines); }
  /// The connection ends behind this response.
  Response& close_connection() noexcept {
    closes_connection_ = true;
    return *this;
  }

  /// body  must stay valid until the response has been written, e.g. a literal; not copied
  Response& set_static_body(std::string_view body) & noexcept {
    body_kind_ = BodyKind::view;
    view_ = body;
    return *this;
  }
  Response& set_body(std::string body) & noexcept {
    body_kind_ = BodyKind::text;
    text_ = std::move(body);
    return *this;
  }
  /// An emptied buffer to write the content into; it becomes the body.
  [[nodiscard]] Buffer& body_buffer() noexcept {
    body_kind_ = BodyKind::buffer;
    buffer_.clear();
    return buffer_;
  }
  /// The content itself when it is a std::string that may be taken, else null.
  [[nodiscard]] std::string* owned_body() noexcept {
    return body_kind_ == BodyKind::text ? &text_ : nullptr;
  }

  /// Takes the place of the body.
  Response& set_content(std::unique_ptr<Content> content) & noexcept {
    body_kind_ = BodyKind::content;
    content_ = std::move(content);
    return *this;
  }
  Response&& set_content(std::unique_ptr<Content> content) && noexcept {
    return std::move(set_content(std::move(content)));
  }
  /// Null unless it was set, and nothing took its place.
  [[nodiscard]] Content* content() const noexcept {
    return body_kind_ == BodyKind::content ? content_.get() : nullptr;
  }
  /// Leaves an empty body. Pre: content() != null.
  [[nodiscard]] std::unique_ptr<Content> take_content() noexcept {
    body_kind_ = BodyKind::view;
    view_ = {};
    return std::move(content_);
  }

  /// As new, with the memory kept for the next response.
  void reset() noexcept {
    status_ = 200;
    content_type_ = {};
    if (!field_lines_.empty()) {
      field_lines_.clear();
    }
    if (body_kind_ == BodyKind::content) [[unlikely]] {
      content_.reset();
    }
    body_kind_ = BodyKind::view;
    view_ = {};
    closes_connection_ = false;
  }

 private:
  enum class BodyKind : std::uint8_t { view, text, buffer, content };

  int status_ = 200;
  BodyKind body_kind_ = BodyKind::view;
  bool closes_connection_ = false;
  std::string_view content_type_;
  std::string field_lines_;
  std::string_view view_;
  std::string text_;
  Buffer buffer_;
  std::unique_ptr<Content> content_;
};

inline std::string_view Response::body() const noexcept {
  switch (body_kind_) {
    case BodyKind::view:
      return view_;
    case BodyKind::text:
      return text_;
    case BodyKind::buffer:
      return buffer_.view();
    case BodyKind::content:
      break;
  }
  return {};
}

}  // namespace eider
