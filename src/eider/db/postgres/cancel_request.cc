#include "eider/db/postgres/cancel_request.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "eider/runtime/connect.h"
#include "eider/runtime/deadline.h"
#include "eider/runtime/stream.h"
#include "eider/runtime/sync.h"

namespace eider::db::postgres {
namespace {

/// Waits for the end of what the other side says.
class UntilClosed final : public StreamOwner {
 public:
  void on_bytes(std::string_view /*bytes*/) override {}
  void on_end() override { closed_.set(); }
  void on_drained() override {}
  void on_broken(NetError /*error*/) override { closed_.set(); }

  [[nodiscard]] Event& closed() noexcept { return closed_; }

 private:
  Event closed_;
};

// CancelRequest: its length, 1234 and 5678 in place of a protocol's version, process, secret.
constexpr std::array<std::uint32_t, 2> kHead = {16, 80877102};

void put(Buffer& out, std::uint32_t number) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    const char byte = static_cast<char>(number >> shift & 0xFFU);
    out.append(std::string_view(&byte, 1));
  }
}

Task<> ask(Address server, BackendKey key, Duration limit, bool* is_pending) {
  auto connected = co_await connect(server, limit);
  if (!connected) {
    co_return;
  }
  UntilClosed owner;
  Stream stream(Loop::current(), owner);
  stream.open(std::move(*connected));
  for (const std::uint32_t number : {kHead[0], kHead[1], key.process, key.secret}) {
    put(stream.output(), number);
  }
  *is_pending = true;
  co_await owner.closed().wait();
  *is_pending = false;
}

/// The number at the front of `text`, which loses it and one byte behind it.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  text.remove_prefix(text.empty() ? 0 : 1);
  return static_cast<std::uint32_t>(number);  // the trace shows it with a sign
}

std::optional<BackendKey> find_key(std::string_view trace) {
  constexpr std::string_view kName = "BackendKeyData\t ";
  const std::size_t at = trace.rfind(kName);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  trace.remove_prefix(at + kName.size());
  const auto process = take_number(trace);
  const auto secret = take_number(trace);
  return process && secret ? std::optional(BackendKey{*process, *secret}) : std::nullopt;
}

}  // namespace

KeyListener::KeyListener(PGconn* connection)
    : connection_(connection), file_(::open_memstream(&text_, &bytes_)) {
  if (file_ != nullptr) {
    PQtrace(connection_, file_);
    PQsetTraceFlags(connection_, PQTRACE_SUPPRESS_TIMESTAMPS);
  }
}

KeyListener::~KeyListener() {
  (void)end();
}

std::optional<BackendKey> KeyListener::end() {
  if (file_ == nullptr) {
    return std::nullopt;
  }
  PQuntrace(connection_);
  (void)std::fclose(std::exchange(file_, nullptr));
  const auto key = find_key({text_, bytes_});
  std::free(std::exchange(text_, nullptr));
  return key;
}

Task<bool> request_cancel(Address server, BackendKey key, Duration limit) {
  bool is_pending = false;
  Task<> asking = ask(std::move(server), key, limit, &is_pending);
  (void)co_await with_deadline(std::move(asking), limit);
  co_return !is_pending;
}

}  // namespace eider::db::postgres
