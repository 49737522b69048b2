// Request: the request line and headers, the path parameters and the body.
// Layering: must not outlive its exchange: a handler's views are valid until the response is
// complete.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/base/buffer.h"
#include "eider/core/base/extensions.h"
#include "eider/core/base/tls_info.h"
#include "eider/protocols/http/head.h"

namespace eider {

/// The path parameters, in the order of the pattern, percent-decoded.
class PathValues {
 public:
  static constexpr std::size_t kCountMax = 8;

  void clear() noexcept { count_ = 0; }
  /// Pre: size() < kCountMax.
  void push(std::string_view value) noexcept { values_[count_++] = value; }
  void pop() noexcept { --count_; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] std::string_view operator[](std::size_t index) const noexcept {
    return values_[index];
  }

 private:
  std::array<std::string_view, kCountMax> values_;
  std::size_t count_ = 0;
};

/// The other end of the connection.
class Peer {
 public:
  virtual ~Peer() = default;
  /// Returns the IP address without the port: "127.0.0.1", "::1", or "" if it is not known.
  [[nodiscard]] virtual std::string address() const = 0;
  /// Returns the TLS properties of the connection; nothing without TLS.
  [[nodiscard]] virtual std::optional<TlsInfo> tls() const { return std::nullopt; }
  /// Sends an interim response before the final one, to clients that support it (HTTP/1.1).
  ///
  /// status       103, or another 1xx except 101
  /// field_lines  as Response::field_lines
  /// source       RFC 9110, section 15.2, and RFC 8297
  virtual void inform(int /*status*/, std::string_view /*field_lines*/) {}
};

class Request {
 public:
  Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  [[nodiscard]] Method method() const noexcept { return head_.method; }
  /// Returns the request target as received, such as "/notes?page=2".
  [[nodiscard]] std::string_view target() const noexcept { return head_.target; }
  /// Returns the path, not decoded, such as "/notes".
  [[nodiscard]] std::string_view path() const noexcept { return head_.path; }
  /// Returns the query string after '?', not decoded; may be empty.
  [[nodiscard]] std::string_view query() const noexcept { return head_.query; }
  /// Returns the first header with that name, case-insensitive.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept {
    return head_.find(name);
  }
  [[nodiscard]] std::span<const Field> headers() const noexcept { return head_.fields; }
  /// Returns the whole body without its transfer coding; may be empty.
  [[nodiscard]] std::string_view body() const noexcept { return body_; }
  [[nodiscard]] const PathValues& path_values() const noexcept { return path_values_; }
  /// Returns the pattern of the route, such as "/notes/{id}", valid as long as the server; empty if
  /// no route matches. Use it for metrics: there are only a few, unlike paths.
  [[nodiscard]] std::string_view route() const noexcept { return route_; }
  [[nodiscard]] std::string remote_address() const {
    return peer_ == nullptr ? std::string() : peer_->address();
  }
  /// Returns the TLS properties, with the identity of a client that presented a certificate.
  [[nodiscard]] std::optional<TlsInfo> tls() const {
    return peer_ == nullptr ? std::nullopt : peer_->tls();
  }

  /// Stores `object` until the response is complete, for later code that finds it by its type:
  /// `request.set(Identity{…})`, and a handler takes `Extension<Identity>`. If a type is stored
  /// twice, the newer object is found.
  template <class T>
  T& set(T object) {
    return extensions_.put(std::move(object));
  }
  /// Returns the object of that type, or null if no object of that type is stored.
  template <class T>
  [[nodiscard]] T* find() noexcept {
    return extensions_.find<T>();
  }
  template <class T>
  [[nodiscard]] const T* find() const noexcept {
    return extensions_.find<T>();
  }
  /// Returns memory that lasts as long as the stored objects, for data that they view.
  [[nodiscard]] Arena& arena() noexcept { return extensions_.arena(); }

  // Used by the server, which fills in the request.
  [[nodiscard]] RequestHead& head() noexcept { return head_; }
  [[nodiscard]] const RequestHead& head() const noexcept { return head_; }
  [[nodiscard]] PathValues& path_values() noexcept { return path_values_; }
  void set_route(std::string_view pattern) noexcept { route_ = pattern; }
  void set_body(std::string_view body) noexcept { body_ = body; }
  /// Returns the buffer for path parameters that are percent-encoded in the target.
  [[nodiscard]] Buffer& scratch() noexcept { return scratch_; }
  void set_peer(Peer* peer) noexcept { peer_ = peer; }
  [[nodiscard]] Peer* peer() const noexcept { return peer_; }
  [[nodiscard]] const Extensions& extensions() const noexcept { return extensions_; }
  /// Takes the stored objects of another request, which is left as new. Pre: nothing is stored
  /// here.
  void take_extensions(Request& from) noexcept { extensions_.swap(from.extensions_); }
  /// Deletes the stored objects when the response is complete.
  void clear_extensions() noexcept { extensions_.clear(Buffer::kKeptBytesMax); }

 private:
  RequestHead head_;
  std::string_view body_;
  PathValues path_values_;
  std::string_view route_;
  Peer* peer_ = nullptr;
  Buffer scratch_;
  Extensions extensions_;
};

}  // namespace eider
