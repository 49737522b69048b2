#include "cli/bench/terms.h"

#include <algorithm>
#include <utility>

#include "eider/client/ws/ws_opening.h"
#include "eider/core/base/text.h"

namespace eider::bench {

namespace {

// Messages are compared in pieces and not stored, so large ones are allowed.
constexpr std::uint64_t kResponseBytesMax = std::uint64_t{1} << 40U;

WsClientOptions opening_of(const Options& options) {
  WsClientOptions opening;
  for (const std::string& field : options.fields) {
    const std::size_t colon = field.find(':');
    opening.headers.emplace_back(field.substr(0, colon),
                                 trim(std::string_view(field).substr(colon + 1)));
  }
  return opening;
}

/// Makes all messages different, so that a lost, duplicate or foreign message is detected as a
/// difference.
std::optional<StampedText> stamped_of(const std::vector<Request>& messages,
                                      const Options& options) {
  const bool is_told = options.version != Version::websocket || options.has_body();
  return is_told ? std::nullopt : std::optional(StampedText(messages.front().parts.body));
}

}  // namespace

std::optional<std::string> opening_fault(const Options& options) {
  auto fault = detail::client::fault_of(opening_of(options));
  return fault ? std::optional(std::move(fault->text)) : std::nullopt;
}

WsTerms::WsTerms(const std::vector<Request>& prepared, const Options& options, const Target& target)
    : messages(prepared),
      stamped(stamped_of(prepared, options)),
      pipeline(options.pipeline),
      type(options.message),
      check(options.check),
      url{target.tls != nullptr, target.host, target.port, target.authority, target.target},
      opening(opening_of(options)),
      limits{.message_bytes_max = kResponseBytesMax} {}

std::string_view StampedText::with(std::uint64_t number) noexcept {
  constexpr std::size_t kDigits = 16;
  constexpr std::string_view kHexadecimal = "0123456789abcdef";
  // The last digits first, so that short texts differ, too.
  for (std::size_t i = 0; i < std::min(kDigits, text_.size()); ++i) {
    text_[i] = kHexadecimal[number & 0xFU];
    number >>= 4U;
  }
  return text_;
}

}  // namespace eider::bench
