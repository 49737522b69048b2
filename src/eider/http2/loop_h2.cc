#include "eider/http2/detail/loop_h2.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "eider/base/arena.h"
#include "eider/base/base64.h"
#include "eider/base/text.h"
#include "eider/http2/detail/conn_h2.h"
#include "eider/http2/detail/stream_h2.h"

namespace eider::detail {

namespace {

constexpr std::size_t kSpareMax = 256;
/// The payload of a SETTINGS frame; ours has six.
constexpr std::size_t kSettingsCharsMax = 1024;

h2::SessionOptions session_options_of(const LoopContext& context, const Http2Options& options) {
  constexpr std::uint32_t kWindowMin = 65535;
  constexpr std::uint32_t kWindowMax = 0x7FFFFFFF;
  return {.head = {.head_bytes_max = context.limits.head_bytes_max,
                   .target_bytes_max = context.limits.target_bytes_max,
                   .fields_max = context.limits.fields_max},
          .streams_max = std::max<std::uint32_t>(options.streams_max, 1),
          .stream_window_bytes = std::clamp(options.stream_window_bytes, kWindowMin, kWindowMax),
          .connection_window_bytes =
              std::clamp(options.connection_window_bytes, kWindowMin, kWindowMax)};
}

/// A quarter of the shortest span that is measured.
Duration tick_of(const Limits& limits) noexcept {
  const Duration shortest = std::min({limits.head, limits.body, limits.write, limits.linger});
  return std::clamp<Duration>(shortest / 4, std::chrono::milliseconds(1), std::chrono::seconds(1));
}

/// base64url without padding (RFC 4648, section 5; RFC 7540, section 3.2.1).
std::optional<std::string> from_base64url(std::string_view text) {
  std::string plain(text);
  for (char& byte : plain) {
    if (byte == '+' || byte == '/' || byte == '=') {
      return std::nullopt;
    }
    byte = byte == '-' ? '+' : byte == '_' ? '/' : byte;
  }
  plain.append((4 - plain.size() % 4) % 4, '=');
  return from_base64(plain);
}

/// Whether a list names "h2c".
bool names_h2c(std::string_view list) noexcept {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (trim(list.substr(0, comma)) == "h2c") {
      return true;
    }
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

/// The settings, when the request asks for HTTP/2 as it must: "A server MUST NOT upgrade the
/// connection to HTTP/2 if this header field is not present or if more than one is present".
std::optional<std::string> settings_of(const RequestHead& head) {
  std::optional<std::string_view> text;
  bool is_wanted = false;
  for (const Field& field : head.fields) {
    if (equals_ignoring_case(field.name, "http2-settings")) {
      if (text) {
        return std::nullopt;
      }
      text = field.value;
    }
    is_wanted |= equals_ignoring_case(field.name, "upgrade") && names_h2c(field.value);
  }
  if (!is_wanted || !text || text->size() > kSettingsCharsMax) {
    return std::nullopt;
  }
  auto settings = from_base64url(*text);
  const bool is_whole = settings && settings->size() % 6 == 0;
  return is_whole ? std::move(settings) : std::nullopt;
}

class H2cUpgrade final : public Upgrade {
 public:
  H2cUpgrade(LoopH2& loop, std::string settings, const RequestHead& head)
      : loop_(loop), settings_(std::move(settings)), head_(copy_head(head, arena_)) {}

  [[nodiscard]] std::unique_ptr<Upgraded> take_over(UpgradedLine& line) override {
    auto connection = std::make_unique<ConnectionH2>(loop_, line);
    connection->begin_upgraded(settings_, head_);
    return connection;
  }

 private:
  LoopH2& loop_;
  std::string settings_;
  Arena arena_;
  RequestHead head_;
};

}  // namespace

LoopH2::LoopH2(LoopContext& its_context, const Http2Options& its_options)
    : context(its_context),
      options(its_options),
      session_options(session_options_of(its_context, its_options)),
      tick(tick_of(its_context.limits)) {}

LoopH2::~LoopH2() = default;

std::unique_ptr<Upgraded> LoopH2::take_over(UpgradedLine& line) {
  return std::make_unique<ConnectionH2>(*this, line);
}

bool LoopH2::upgrade(const Request& request, Response& response) {
  const RequestHead& head = request.head();
  const bool is_plain = head.form == TargetForm::origin || head.form == TargetForm::asterisk;
  std::optional<std::string> settings = is_plain ? settings_of(head) : std::nullopt;
  if (!settings) {
    return false;
  }
  response.set_status(101).add_header("Upgrade", "h2c");
  response.set_content(std::make_unique<H2cUpgrade>(*this, std::move(*settings), head));
  return true;
}

std::unique_ptr<StreamH2> LoopH2::take_stream() {
  if (spare_.empty()) {
    return std::make_unique<StreamH2>();
  }
  std::unique_ptr<StreamH2> stream = std::move(spare_.back());
  spare_.pop_back();
  return stream;
}

void LoopH2::give_back(std::unique_ptr<StreamH2> stream) noexcept {
  stream->reset();
  if (spare_.size() < kSpareMax) {
    spare_.push_back(std::move(stream));
  }
}

}  // namespace eider::detail
