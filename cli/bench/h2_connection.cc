#include "cli/bench/terms.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "cli/bench/response_check.h"

namespace eider::bench {

namespace {

/// An HTTP/2 connection, with optional concurrent streams.
class H2Connection final : public Connection {
 public:
  /// All arguments outlive it.
  H2Connection(ConnectionUser& user, const H2Terms& terms) : Connection(user), terms_(terms) {}

  void send(Sent next) override;
  [[nodiscard]] bool has_room() const noexcept override;
  [[nodiscard]] std::size_t waiting() const noexcept override { return streams_.size(); }
  [[nodiscard]] Instant waiting_since() const noexcept override;

 private:
  friend struct H2Calls;

  /// A request without its response, by the number of its stream.
  ///
  /// body    unsent part of the request body
  /// status  0 until the response headers arrive
  struct Asking {
    Sent sent;
    std::string_view body;
    ResponseCheck check;
    int status = 0;
  };
  struct Closing {
    void operator()(nghttp2_session* session) const noexcept;
  };

  Begun begin() override;
  Sent take_waiting() noexcept override;
  void on_bytes(std::string_view bytes) override;
  void on_end() override { end_between_responses(); }
  void on_drained() override { flush(); }

  void begin_session();
  /// Writes pending data of the session until the socket is full.
  void flush();
  void on_status(std::int32_t id, int status);
  void on_content(std::int32_t id, std::string_view content);
  void on_stream_closed(std::int32_t id, std::uint32_t error);
  void tell_ended();
  void take_response(Asking& asking);

  const H2Terms& terms_;
  std::unique_ptr<nghttp2_session, Closing> session_;
  std::unordered_map<std::int32_t, Asking> streams_;
  std::vector<std::pair<Asking, std::uint32_t>> ended_;  // with the error code
};

constexpr std::uint32_t kWindowBytes = std::uint32_t{16} << 20U;

nghttp2_nv pair_of(std::string_view name, std::string_view value) noexcept {
  // The library only reads and copies them.
  auto* const name_at = reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data()));
  auto* const value_at = reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data()));
  return {name_at, value_at, name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::vector<nghttp2_nv> head_of(const RequestParts& parts, std::string_view scheme) {
  std::vector<nghttp2_nv> head = {pair_of(":method", parts.method), pair_of(":scheme", scheme),
                                  pair_of(":authority", parts.authority),
                                  pair_of(":path", parts.target)};
  for (const auto& [name, value] : parts.fields) {
    head.push_back(pair_of(name, value));
  }
  return head;
}

/// Parses three digits, which the library has checked.
int status_of(const std::uint8_t* text, std::size_t size) noexcept {
  return size == 3 ? (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0') : 0;
}

/// Callbacks of the library.
struct H2Calls {
  static H2Connection& self(void* user) noexcept { return *static_cast<H2Connection*>(user); }

  static int header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                    std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                    std::uint8_t, void* user) {
    const std::string_view text(reinterpret_cast<const char*>(name), name_size);
    if (text == ":status") {
      self(user).on_status(frame->hd.stream_id, status_of(value, value_size));
    }
    return 0;
  }

  static int content(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
                     std::size_t count, void* user) {
    self(user).on_content(id, {reinterpret_cast<const char*>(bytes), count});
    return 0;
  }

  static int closed(nghttp2_session*, std::int32_t id, std::uint32_t error, void* user) {
    self(user).on_stream_closed(id, error);
    return 0;
  }

  static ssize_t read_body(nghttp2_session*, std::int32_t id, std::uint8_t* into, std::size_t room,
                           std::uint32_t* flags, nghttp2_data_source*, void* user) {
    std::string_view& body = self(user).streams_.at(id).body;
    const std::size_t bytes = body.copy(reinterpret_cast<char*>(into), room);
    body.remove_prefix(bytes);
    *flags |= body.empty() ? unsigned{NGHTTP2_DATA_FLAG_EOF} : 0U;
    return static_cast<ssize_t>(bytes);
  }
};

void H2Connection::Closing::operator()(nghttp2_session* session) const noexcept {
  nghttp2_session_del(session);
}

Begun H2Connection::begin() {
  if (const Seal* seal = stream().seal(); seal != nullptr && seal->tls().protocol != "h2") {
    give_up(Fault::tls, "The server did not accept HTTP/2 (ALPN). Remove --http2.");
    return Begun::at_once;
  }
  begin_session();
  flush();
  return Begun::at_once;
}

void H2Connection::begin_session() {
  nghttp2_session_callbacks* calls = nullptr;
  nghttp2_session_callbacks_new(&calls);
  nghttp2_session_callbacks_set_on_header_callback(calls, &H2Calls::header);
  if (!terms_.expected.is_anything()) {
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, &H2Calls::content);
  }
  nghttp2_session_callbacks_set_on_stream_close_callback(calls, &H2Calls::closed);
  nghttp2_session* session = nullptr;
  nghttp2_session_client_new(&session, calls, this);
  nghttp2_session_callbacks_del(calls);
  session_.reset(session);
  const std::array<nghttp2_settings_entry, 2> settings = {
      {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}, {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kWindowBytes}}};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, kWindowBytes);
  flush();
}

bool H2Connection::has_room() const noexcept {
  const auto allowed =
      nghttp2_session_get_remote_settings(session_.get(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  return streams_.size() < std::min<std::size_t>(terms_.streams, allowed) &&
         nghttp2_session_check_request_allowed(session_.get()) != 0;
}

Instant H2Connection::waiting_since() const noexcept {
  Instant since = Instant::max();
  for (const auto& [id, asking] : streams_) {
    since = std::min(since, asking.sent.sent);
  }
  return since;
}

void H2Connection::send(Sent next) {
  const RequestParts& parts = terms_.requests[next.request].parts;
  const std::vector<nghttp2_nv> head = head_of(parts, terms_.scheme);
  nghttp2_data_provider body{};
  body.read_callback = &H2Calls::read_body;
  const std::int32_t id = nghttp2_submit_request(session_.get(), nullptr, head.data(), head.size(),
                                                 parts.body.empty() ? nullptr : &body, nullptr);
  next.sent = stream().loop().now();
  streams_.emplace(id, Asking{next, parts.body, ResponseCheck(terms_.expected)});
  flush();
}

Sent H2Connection::take_waiting() noexcept {
  const auto first = streams_.begin();
  const Sent sent = first->second.sent;
  streams_.erase(first);
  return sent;
}

void H2Connection::flush() {
  while (stream().is_open() && stream().waiting_bytes() == 0) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t count = nghttp2_session_mem_send(session_.get(), &bytes);
    if (count <= 0) {
      return;
    }
    stream().output().append({reinterpret_cast<const char*>(bytes), static_cast<size_t>(count)});
  }
}

void H2Connection::on_bytes(std::string_view bytes) {
  user().on_received(bytes.size());
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const ssize_t used = nghttp2_session_mem_recv(session_.get(), begin, bytes.size());
  tell_ended();
  if (!is_ready()) {
    return;
  }
  if (used < 0) {
    give_up(Fault::malformed, std::string("The server sent invalid HTTP/2: ") +
                                  nghttp2_strerror(static_cast<int>(used)) + ".");
    return;
  }
  flush();
  if (nghttp2_session_want_read(session_.get()) == 0) {
    end_between_responses();
  } else if (has_room()) {
    user().on_free(*this);
  }
}

void H2Connection::on_status(std::int32_t id, int status) {
  if (const auto found = streams_.find(id); found != streams_.end()) {
    found->second.status = status;
    found->second.check.begin(status);
  }
}

void H2Connection::on_content(std::int32_t id, std::string_view content) {
  if (const auto found = streams_.find(id); found != streams_.end()) {
    found->second.check.take(content);
  }
}

void H2Connection::on_stream_closed(std::int32_t id, std::uint32_t error) {
  if (const auto found = streams_.find(id); found != streams_.end()) {
    ended_.emplace_back(std::move(found->second), error);
    streams_.erase(found);
  }
}

/// Called outside of the library's callbacks, because the user may close the connection.
void H2Connection::tell_ended() {
  auto ended = std::exchange(ended_, {});
  for (auto& [asking, error] : ended) {
    if (error == NGHTTP2_NO_ERROR && asking.status >= 200) {
      take_response(asking);
    } else {
      note(std::string("The server ended a stream without a response: ") +
           nghttp2_http2_strerror(error) + ".");
      user().on_failed(*this, asking.sent, Fault::reset);
    }
  }
}

void H2Connection::take_response(Asking& asking) {
  auto difference = asking.check.end(asking.status);
  if (difference) {
    note(std::move(difference->why));
    user().on_failed(*this, asking.sent, difference->fault);
  } else {
    user().on_response(*this, asking.sent, asking.status);
  }
}

}  // namespace

std::unique_ptr<Connection> make_connection(ConnectionUser& user, const H2Terms& terms) {
  return std::make_unique<H2Connection>(user, terms);
}

}  // namespace eider::bench
