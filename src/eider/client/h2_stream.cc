#include "eider/client/detail/h2_stream.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "eider/runtime/loop.h"

namespace eider::detail {

namespace {

using h2::OutField;

constexpr std::string_view kGone = "The server goes away, and has not looked at the request.";

/// Decimal digits of a number, on the stack.
class Digits {
 public:
  explicit Digits(std::uint64_t number) noexcept
      : end_(std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr) {}
  [[nodiscard]] std::string_view view() const noexcept {
    return {text_.data(), static_cast<std::size_t>(end_ - text_.data())};
  }

 private:
  std::array<char, 20> text_{};
  const char* end_;
};

/// RFC 9113, section 8.3.1.
void append_target(std::vector<OutField>& fields, const RequestParts& parts, const HttpUrl& url) {
  using enum OutField::Static;
  fields.push_back({":method", to_text(parts.method), both});
  fields.push_back({":scheme", url.is_secure ? "https" : "http", both});
  fields.push_back({":authority", url.authority, name});
  fields.push_back({":path", url.target, name});
}

void append_fields(std::vector<OutField>& fields, const RequestParts& parts,
                   const HeadTerms& terms) {
  using enum OutField::Static;
  if (!terms.user_agent.empty() && !parts.has_field("User-Agent")) {
    fields.push_back({"user-agent", terms.user_agent, name});
  }
  if (terms.accepts_codings && !parts.has_field("Accept-Encoding")) {
    fields.push_back({"accept-encoding", kAcceptedCodings, both});
  }
  h2::append_lines(fields, parts.field_lines);
  h2::append_lines(fields, terms.more);
  if (terms.expects_continue) {
    fields.push_back({"expect", "100-continue", both});
  }
}

std::string reset_text(h2::ErrorCode code) {
  return "The server has taken its answer back (RST_STREAM, code " +
         std::to_string(static_cast<std::uint32_t>(code)) + ").";
}

/// Of content: none follows an answer to HEAD, whatever its length says.
std::optional<std::uint64_t> length_of(const h2::ReplyHead& head) noexcept {
  return head.ends == h2::Ends::with_head ? std::optional<std::uint64_t>(0) : head.content_length;
}

}  // namespace

H2Stream::H2Stream(H2Connection& of)
    : ClientExchange(of.wire_->stream().loop()), connection_(of), begun_(loop().now()) {}

H2Stream::~H2Stream() {
  connection_.leave(*this);
  if (is_open()) {
    reset(is_done() ? h2::ErrorCode::no_error : h2::ErrorCode::cancel);
  }
}

// The request.

void H2Stream::send_head(const RequestParts& parts, const HttpUrl& url, const HeadTerms& terms) {
  --connection_.unbegun_;
  has_begun_ = true;
  if (connection_.session_.room() == 0 || !connection_.is_of_use()) {
    return fail_unseen(Sight::none, kGone);
  }
  const auto length = announced_length(parts);
  const Digits digits(length.value_or(0));
  std::vector<OutField>& fields = connection_.fields_;
  fields.clear();
  append_target(fields, parts, url);
  append_fields(fields, parts, terms);
  if (length) {
    fields.push_back({"content-length", digits.view(), OutField::Static::name});
  }
  const bool has_content = parts.content_kind != ContentKind::none && length != 0U;
  id_ = connection_.session_.request(*this, fields,
                                     has_content ? h2::Ends::with_content : h2::Ends::with_head);
  ++connection_.requests_;
  begun_ = loop().now();
  connection_.watch_silence();
  connection_.pump();
}

void H2Stream::send_content(std::string_view piece, Piece which) {
  if (!is_open()) {
    return;
  }
  content_.append(piece);
  is_content_whole_ = which == Piece::last;
  connection_.session_.resume(id_);
  connection_.pump();
}

void H2Stream::flush() {
  if (connection_.wire_->stream().is_open()) {
    connection_.wire_->stream().flush();
  }
}

h2::Ready H2Stream::ready(std::size_t bytes_max) noexcept {
  const std::size_t bytes = std::min(bytes_max, waiting().size());
  return {.bytes = bytes, .is_last = is_content_whole_ && bytes == waiting().size()};
}

void H2Stream::put(char* to, std::size_t bytes) noexcept {
  content_sent_ += waiting().copy(to, bytes);
  if (waiting().empty()) {
    forget(content_);
    content_sent_ = 0;
    tell();
  }
}

// The answer.

void H2Stream::on_interim(int status) {
  note_heard();
  take_interim(status, {});
}

void H2Stream::on_head(const h2::ReplyHead& head) {
  note_heard();
  take_head(head.status, head.fields, head.bytes, length_of(head));
}

void H2Stream::on_data(std::string_view bytes) {
  const bool is_whole = terms().gathering == Gathering::whole;
  if (phase() == Phase::body) {
    take_data(bytes);
  }
  if (is_whole && is_open()) {
    connection_.session_.consume(id_, bytes.size());
  }
}

void H2Stream::on_taken(std::size_t bytes) {
  if (is_open() && bytes != 0) {
    connection_.session_.consume(id_, bytes);
    connection_.pump();
  }
}

void H2Stream::on_end(std::string_view trailer_lines) {
  if (phase() == Phase::body) {
    end_answer(trailer_lines);
  }
}

void H2Stream::on_closed(const h2::StreamEnd& end) {
  id_ = 0;
  if (phase() != Phase::head && phase() != Phase::body) {
    return;
  }
  connection_.declines_h2_ |= end.code == h2::ErrorCode::http_1_1_required;
  switch (end.fate) {
    case h2::StreamFate::whole:
      return lose("The server ended its answer without one.");
    case h2::StreamFate::reset:
      return end.code == h2::ErrorCode::http_1_1_required
                 ? fail_unseen(Sight::none, "The server wants HTTP/1.1.")
                 : lose(reset_text(end.code));
    case h2::StreamFate::refused:
      return fail_unseen(Sight::refused, "The server has too much to do (REFUSED_STREAM).");
    case h2::StreamFate::unseen:
      return fail_unseen(Sight::none, kGone);
    case h2::StreamFate::malformed:
      return fail_with(ClientFault::bad_answer, end.text);
    case h2::StreamFate::too_large:
      return fail_with(ClientFault::too_large, end.text);
  }
}

void H2Stream::on_lost(ClientFault fault, std::string_view text) {
  id_ = 0;
  if (phase() == Phase::head || phase() == Phase::body) {
    fail_with(fault, text);
  }
}

// The end.

void H2Stream::reset(h2::ErrorCode why) noexcept {
  connection_.session_.reset(std::exchange(id_, 0), why);
  connection_.pump();
}

void H2Stream::drop(ClientFault why) noexcept {
  if (why == ClientFault::timed_out) {
    connection_.note_late(begun_);
  }
  if (is_open()) {
    reset(h2::ErrorCode::cancel);
  }
}

}  // namespace eider::detail
