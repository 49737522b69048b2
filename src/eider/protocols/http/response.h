// Response: status, headers and body, before they are sent.
// Layering: must not write framing (Content-Length, Transfer-Encoding, Connection, Date): the
// server does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "eider/core/base/buffer.h"

namespace eider {

/// The media types of the library's own responses.
inline constexpr std::string_view kTextPlain = "text/plain; charset=utf-8";
inline constexpr std::string_view kTextHtml = "text/html; charset=utf-8";
inline constexpr std::string_view kApplicationJson = "application/json";
inline constexpr std::string_view kFormUrlencoded = "application/x-www-form-urlencoded";
inline constexpr std::string_view kApplicationProblem = "application/problem+json";

class FileContent;      // server/content.h
class ProducedContent;  // server/content.h
class Upgrade;          // server/upgrade.h

/// Destroys content whose type is incomplete here, so that code that passes it on need not know it.
struct ContentDeleter {
  ContentDeleter() = default;
  template <class T>
  ContentDeleter(std::default_delete<T> /*of std::make_unique*/) noexcept {}
  void operator()(FileContent* content) const noexcept;
  void operator()(ProducedContent* content) const noexcept;
  void operator()(Upgrade* content) const noexcept;
};

template <class T>
using ContentPtr = std::unique_ptr<T, ContentDeleter>;

/// The body is bytes in memory: see Response::body.
struct BytesContent {};

/// The types of a response body, to be visited (see ContentCases).
using Content = std::variant<BytesContent, ContentPtr<FileContent>, ContentPtr<ProducedContent>,
                             ContentPtr<Upgrade>>;

/// Handlers for each type of body: `std::visit(ContentCases{…}, response.content())`.
template <class... Case>
struct ContentCases : Case... {
  using Case::operator()...;
};

class Response {
 public:
  // Defined in the .cc file: otherwise each file that includes this would instantiate the variant.
  Response();
  explicit Response(int status);
  Response(Response&& other) noexcept;
  Response& operator=(Response&& other) noexcept;
  ~Response();

  [[nodiscard]] static Response text(std::string body, int status = 200);
  [[nodiscard]] static Response html(std::string body, int status = 200);

  [[nodiscard]] int status() const noexcept { return status_; }
  /// Returns the value of Content-Type; empty if the response has none.
  [[nodiscard]] std::string_view content_type() const noexcept {
    return is_type_owned_ ? std::string_view(owned_type_) : static_type_;
  }
  [[nodiscard]] std::string_view body() const noexcept;
  /// Returns the headers as they are sent, each "Name: value\r\n", without Content-Type.
  [[nodiscard]] std::string_view field_lines() const noexcept { return field_lines_; }
  [[nodiscard]] bool closes_connection() const noexcept { return closes_connection_; }

  /// status  200 <= status <= 599
  Response& set_status(int status) & noexcept {
    status_ = status;
    return *this;
  }
  /// type  must stay valid until the response is sent, such as a constant above; not copied
  Response& set_static_type(std::string_view type) & noexcept {
    static_type_ = type;
    is_type_owned_ = false;
    return *this;
  }
  /// Sets Content-Type to a copy. Throws std::invalid_argument if it contains control characters.
  Response& set_type(std::string type) &;
  /// Adds a header. Throws std::invalid_argument if the name is not a token, or if the server sets
  /// this header. Also throws if the value contains a control character or has a space at its start
  /// or end (RFC 9110, section 5.5). Content-Type can be set only once (RFC 9110, section 8.3):
  /// adding it calls `set_type`. URLs in Location, Content-Location, Link and Refresh are
  /// percent-encoded like percent_encode_url does it.
  Response& add_header(std::string_view name, std::string_view value) &;
  /// Replaces all headers with that name by one.
  Response& replace_header(std::string_view name, std::string_view value) &;
  /// Removes all headers with that name.
  Response& remove_header(std::string_view name) &;
  /// Returns the first header with that name, case-insensitive; valid until a header is set or
  /// added.
  [[nodiscard]] std::optional<std::string_view> find_header(std::string_view name) const noexcept;
  // The same for a temporary response: `return Response::text("no", 418).add_header("A", "b");`
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
  Response&& set_shared_body(std::shared_ptr<const std::string> body) && noexcept {
    return std::move(set_shared_body(std::move(body)));
  }
  Response&& set_shared_body(std::shared_ptr<const void> owner,
                             std::string_view bytes) && noexcept {
    return std::move(set_shared_body(std::move(owner), bytes));
  }
  /// Inserts headers before the others. Pre: they are `field_lines()` of a Response.
  void prepend_field_lines(std::string_view lines) { field_lines_.insert(0, lines); }
  /// Appends headers after the others. Pre: as above.
  void append_field_lines(std::string_view lines) { field_lines_.append(lines); }
  /// Closes the connection after this response.
  Response& close_connection() noexcept {
    closes_connection_ = true;
    return *this;
  }

  /// body  must stay valid until the response is sent, such as a literal; not copied
  Response& set_static_body(std::string_view body) & noexcept {
    carried_.become(BodyKind::view);
    view_ = body;
    return *this;
  }
  Response& set_body(std::string body) & noexcept {
    carried_.become(BodyKind::text);
    text_ = std::move(body);
    return *this;
  }
  /// Sets a body that several responses share. It is sent without copying, and kept until the
  /// client has read it. Pre: not null, and never changed.
  Response& set_shared_body(std::shared_ptr<const std::string> body) & noexcept {
    const std::string_view bytes = *body;
    return set_shared_body(std::move(body), bytes);
  }
  /// Sets a shared body whose bytes `owner` keeps: a part of a text, a mapped file.
  Response& set_shared_body(std::shared_ptr<const void> owner, std::string_view bytes) & noexcept {
    carried_.become(BodyKind::shared);
    owner_ = std::move(owner);
    view_ = bytes;
    return *this;
  }
  /// Returns the owner of a shared `body()`, else null.
  [[nodiscard]] std::shared_ptr<const void> body_owner() const noexcept {
    return carried_.kind == BodyKind::shared ? owner_ : nullptr;
  }
  /// Returns an empty buffer for the body.
  [[nodiscard]] Buffer& body_buffer() noexcept {
    carried_.become(BodyKind::buffer);
    buffer_.clear();
    return buffer_;
  }
  /// Returns the body if it is a std::string that may be moved from, else null.
  [[nodiscard]] std::string* owned_body() noexcept {
    return carried_.kind == BodyKind::text ? &text_ : nullptr;
  }

  /// Replaces the body: `set_content(std::make_unique<MyProduced>(…))`. Pre: not null.
  Response& set_content(Content content) & noexcept;
  Response&& set_content(Content content) && noexcept;
  /// Returns the content; BytesContent if none was set.
  [[nodiscard]] const Content& content() const noexcept { return carried_.content; }
  /// Moves the content out, and leaves an empty body.
  [[nodiscard]] Content take_content() noexcept;

  /// Marks the first `bytes` of the headers as shared: they stay if the response is reset.
  void share_field_lines(std::size_t bytes) noexcept { shared_lines_bytes_ = bytes; }
  /// Resets everything except the shared lines.
  void reset_to_shared() noexcept;

  /// Resets the response; keeps its memory for the next one.
  void reset() noexcept {
    status_ = 200;
    static_type_ = {};
    is_type_owned_ = false;
    shared_lines_bytes_ = 0;
    if (!field_lines_.empty()) {
      field_lines_.clear();
    }
    if (owner_ != nullptr) [[unlikely]] {
      owner_.reset();
    }
    carried_.become(BodyKind::view);
    view_ = {};
    closes_connection_ = false;
  }

 private:
  enum class BodyKind : std::uint8_t { view, shared, text, buffer, content };

  struct Carried {
    /// Pre: not `content`.
    void become(BodyKind next) noexcept {
      if (kind == BodyKind::content) [[unlikely]] {
        end_content();
      }
      kind = next;
    }
    void end_content() noexcept;

    BodyKind kind = BodyKind::view;
    Content content;  // BytesContent, except if the kind is `content`
  };

  int status_ = 200;
  bool closes_connection_ = false;
  bool is_type_owned_ = false;
  std::string_view static_type_;
  std::string owned_type_;
  std::string field_lines_;
  std::size_t shared_lines_bytes_ = 0;
  Carried carried_;
  std::string_view view_;
  std::string text_;
  Buffer buffer_;
  std::shared_ptr<const void> owner_;
};

/// Returns whether the content is `body`.
[[nodiscard]] inline bool is_in_memory(const Response& response) noexcept {
  return std::holds_alternative<BytesContent>(response.content());
}

/// Returns the content if it has that type, else null.
template <class T>
[[nodiscard]] T* content_as(const Response& response) noexcept {
  const ContentPtr<T>* const content = std::get_if<ContentPtr<T>>(&response.content());
  return content == nullptr ? nullptr : content->get();
}

inline std::string_view Response::body() const noexcept {
  switch (carried_.kind) {
    case BodyKind::view:
    case BodyKind::shared:
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
