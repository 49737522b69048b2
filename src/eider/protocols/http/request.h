// One request as a handler sees it: the head, the matched path parameters and the body.
// Must not outlive its exchange: a handler's views are valid until the response is complete.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/base/buffer.h"
#include "eider/core/base/secured_by.h"
#include "eider/core/base/slots.h"
#include "eider/protocols/http/head.h"

namespace eider {

/// The values of a pattern's parameters, in the pattern's order, percent-decoded.
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

/// The other end of the connection, asked for only when somebody wants to know.
class Peer {
 public:
  virtual ~Peer() = default;
  /// The address as text without the port: "127.0.0.1", "::1", or "" when it is not known.
  [[nodiscard]] virtual std::string address() const = 0;
  /// What the connection's encryption has agreed on; nothing in the clear.
  [[nodiscard]] virtual std::optional<SecuredBy> secured_by() const { return std::nullopt; }
  /// Sends an interim response ahead of the answer, to clients that know such (HTTP/1.1).
  ///
  /// status       103, or another 1xx but 101
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
  /// The request target as it came, e.g. "/notes?page=2".
  [[nodiscard]] std::string_view target() const noexcept { return head_.target; }
  /// The target's path, not decoded, e.g. "/notes".
  [[nodiscard]] std::string_view path() const noexcept { return head_.path; }
  /// What stands behind '?', not decoded; empty when nothing does.
  [[nodiscard]] std::string_view query() const noexcept { return head_.query; }
  /// The first field of that name, compared without case.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept {
    return head_.find(name);
  }
  [[nodiscard]] std::span<const Field> headers() const noexcept { return head_.fields; }
  /// The whole content, decoded from its transfer coding; empty when there is none.
  [[nodiscard]] std::string_view body() const noexcept { return body_; }
  [[nodiscard]] const PathValues& path_values() const noexcept { return path_values_; }
  /// The pattern that it has matched, e.g. "/notes/{id}", which lives as long as the server; empty
  /// where none has. To be counted by: unlike paths there are only so many.
  [[nodiscard]] std::string_view route() const noexcept { return route_; }
  [[nodiscard]] std::string remote_address() const {
    return peer_ == nullptr ? std::string() : peer_->address();
  }
  /// As Peer::secured_by: with the identity of a client that has shown a certificate.
  [[nodiscard]] std::optional<SecuredBy> secured_by() const {
    return peer_ == nullptr ? std::nullopt : peer_->secured_by();
  }

  /// Keeps `object` until the response is complete, for whoever is called later to find by its
  /// type: `request.put(Identity{…})`, and a handler takes `Slot<Identity>`. What of a type is put
  /// twice is there twice, and the newer is found.
  template <class T>
  T& put(T object) {
    return slots_.put(std::move(object));
  }
  /// Null when nothing of that type was put.
  template <class T>
  [[nodiscard]] T* find() noexcept {
    return slots_.find<T>();
  }
  template <class T>
  [[nodiscard]] const T* find() const noexcept {
    return slots_.find<T>();
  }
  /// Memory that lasts as long, for what slots view.
  [[nodiscard]] Arena& arena() noexcept { return slots_.arena(); }

  // For the server, which fills it in.
  [[nodiscard]] RequestHead& head() noexcept { return head_; }
  [[nodiscard]] const RequestHead& head() const noexcept { return head_; }
  [[nodiscard]] PathValues& path_values() noexcept { return path_values_; }
  void set_route(std::string_view pattern) noexcept { route_ = pattern; }
  void set_body(std::string_view body) noexcept { body_ = body; }
  /// Where decoded path values live that are not spelled out in the target itself.
  [[nodiscard]] Buffer& scratch() noexcept { return scratch_; }
  void set_peer(Peer* peer) noexcept { peer_ = peer; }
  [[nodiscard]] Peer* peer() const noexcept { return peer_; }
  [[nodiscard]] const Slots& slots() const noexcept { return slots_; }
  /// Goes on with what another request was given, which is left as new. Pre: nothing was put here.
  void take_slots(Request& from) noexcept { slots_.swap(from.slots_); }
  /// The response is complete.
  void clear_slots() noexcept { slots_.clear(Buffer::kKeptBytesMax); }

 private:
  RequestHead head_;
  std::string_view body_;
  PathValues path_values_;
  std::string_view route_;
  Peer* peer_ = nullptr;
  Buffer scratch_;
  Slots slots_;
};

}  // namespace eider
