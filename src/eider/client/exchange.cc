#include "eider/client/exchange.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "eider/core/base/digits.h"
#include "eider/core/base/hidden_text.h"
#include "eider/core/base/text.h"
#include "eider/core/base/utf8.h"
#include "eider/io/runtime/loop.h"
#include "eider/protocols/http/list.h"
#include "eider/protocols/http/parameters.h"

namespace eider::detail::client {

namespace {

/// Returns whether the method expects a body, so that "Content-Length: 0" is needed if there is
/// none (RFC 9110, section 8.6).
bool announces_emptiness(Method method) noexcept {
  return method == Method::post || method == Method::put || method == Method::patch ||
         method == Method::query;
}

void write_framing(Buffer& out, const OutHead& head) {
  if (head.content == OutContent::streamed) {
    out.append("Transfer-Encoding: chunked\r\n");
  } else if (const auto length = head.announced_length()) {
    out.append("Content-Length: ");
    out.append(Digits(*length).view());
    out.append(kCrlf);
  }
}

}  // namespace

std::optional<std::uint64_t> OutHead::announced_length() const noexcept {
  switch (content) {
    case OutContent::none:
      return announces_emptiness(method) ? std::optional<std::uint64_t>(0) : std::nullopt;
    case OutContent::sized:
      return content_length;
    case OutContent::streamed:
      break;
  }
  return std::nullopt;
}

void write_head(Buffer& out, const OutHead& head) {
  out.append(to_text(head.method));
  out.append(' ');
  out.append(head.origin);
  out.append(head.target);
  out.append(" HTTP/1.1\r\nHost: ");
  out.append(head.authority);
  out.append(kCrlf);
  out.append(head.lines);
  if (head.takes_trailers) {
    out.append("Connection: TE\r\nTE: trailers\r\n");
  }
  write_framing(out, head);
  if (head.expects_continue) {
    out.append("Expect: 100-continue\r\n");
  }
  out.append(kCrlf);
}

namespace {

/// Size of the pieces that one decoder passes to the next.
constexpr std::size_t kPieceBytes = 16UL * 1024;

bool has_failed(Decompressed status) noexcept {
  return status == Decompressed::corrupt || status == Decompressed::too_large ||
         status == Decompressed::trailing;
}

}  // namespace

ContentDecoder::ContentDecoder(std::span<const ContentCoding> applied,
                               const DecompressionLimits& limits)
    : outer_(applied.back(), limits),
      next_(applied.size() == 1
                ? nullptr
                : std::make_unique<ContentDecoder>(applied.first(applied.size() - 1), limits)) {}

Decompressed ContentDecoder::read_made(Buffer& out, std::size_t room_max) {
  const std::string_view rest = made_.view().substr(made_read_);
  if (rest.empty() && next_status_ != Decompressed::need_room) {
    return Decompressed::need_more;
  }
  const Decompressor::Step step = next_->read(rest, out, room_max);
  made_read_ += step.consumed;
  next_status_ = step.status;
  return step.status == Decompressed::done ? Decompressed::need_more : step.status;
}

Decompressor::Step ContentDecoder::read(std::string_view in, Buffer& out, std::size_t room_max) {
  if (next_ == nullptr) {
    return outer_.read(in, out, room_max);
  }
  const std::size_t begin = out.size();
  for (std::size_t consumed = 0;;) {
    const std::size_t room = room_max - (out.size() - begin);
    const Decompressed status = room == 0 ? Decompressed::need_room : read_made(out, room);
    if (status != Decompressed::need_more) {
      return {status, consumed};
    }
    if (consumed == in.size() && outer_status_ != Decompressed::need_room) {
      const bool is_done =
          outer_status_ == Decompressed::done && next_status_ == Decompressed::done;
      return {is_done ? Decompressed::done : Decompressed::need_more, consumed};
    }
    made_.clear();
    made_read_ = 0;
    const Decompressor::Step step = outer_.read(in.substr(consumed), made_, kPieceBytes);
    consumed += step.consumed;
    outer_status_ = step.status;
    if (has_failed(step.status)) {
      return {step.status, consumed};
    }
  }
}

namespace {

/// Larger buffers are not kept for the next response.
constexpr std::size_t kKeptBytesMax = 64UL * 1024;
/// Memory reserved for an announced Content-Length.
constexpr std::uint64_t kPromisedBytesMax = 256UL * 1024;
constexpr int kPartialContent = 206;
/// No limit here, because the decoder itself limits decoded data.
constexpr std::size_t kUnbounded = static_cast<std::size_t>(-1);
/// More are not useful, and each costs time and memory.
constexpr std::size_t kCodingsMax = 4;

/// Returns whether the name does not change the body. Some servers name a charset, and object
/// stores return the value with which the body was uploaded (aws-chunked).
bool is_no_coding(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 5> kNames = {"identity", "none", "aws-chunked", "binary",
                                                      "utf-8"};
  return std::ranges::any_of(kNames, [&](auto one) { return equals_ignoring_case(name, one); });
}

std::string unsupported_coding(std::string_view name) {
  constexpr std::size_t kNameBytesMax = 64;
  return "The client cannot decode the content coding \"" +
         with_hidden_replaced(cut_utf8(name, kNameBytesMax), '?') +
         "\". Set ClientOptions::decompresses = false to read the body as it was sent.";
}

/// Some servers send a line end after compressed data; like browsers, ignore it.
Decompressed status_of(const Decompressor::Step& step, std::string_view in) noexcept {
  constexpr std::string_view kPadding("\r\n\t \0", 5);
  const bool is_padding = step.status == Decompressed::trailing &&
                          in.find_first_not_of(kPadding, step.consumed) == std::string_view::npos;
  return is_padding ? Decompressed::done : step.status;
}

}  // namespace

void forget(Buffer& buffer) noexcept {
  buffer.reset(kKeptBytesMax);
}

ClientExchange::~ClientExchange() = default;

void ClientExchange::begin(Received& into, const ReceiveTerms& terms) {
  into_ = &into;
  terms_ = terms;
  interims_bytes_ = 0;
  may_send_ = false;
  has_sent_ = false;
  has_heard_ = false;
  processed_ = Processed::perhaps;
  late_ = {};
  // Notify the protocol while the phase is still idle, because it checks that.
  on_begin();
  phase_ = Phase::head;
}

void ClientExchange::forget_response() noexcept {
  // Disarm the deadline first: it must not fail a response that is reset.
  disarm();
  decoder_.reset();
  forget(ahead_);
  forget(given_);
  forget(made_);
  undecoded_ = {};
  may_hold_back_ = false;
  into_ = nullptr;
}

void ClientExchange::set_deadline(Instant due, std::string_view late) noexcept {
  late_ = late;
  loop_.arm(*this, due);
}

void ClientExchange::expire() {
  fail_with(ClientFault::timed_out, late_);
}

// Response headers.

void ClientExchange::take_interim(ProtocolVersion version, int status,
                                  std::span<const Field> fields) {
  interims_bytes_ += kInterimBytes;
  for (const Field& field : fields) {
    interims_bytes_ += field.name.size() + field.value.size();
  }
  if (interims_bytes_ > kInterimsBytesMax) {
    return fail_with(ClientFault::bad_response, "The server sends too many interim responses.");
  }
  if (status == 100) {
    may_send_ = true;
  } else if (terms_.interims != nullptr) {
    terms_.interims->on_interim(version, status, fields);
  }
  tell();
}

void ClientExchange::take_head(ProtocolVersion version, int status, std::span<const Field> fields,
                               std::string_view bytes, std::optional<std::uint64_t> length) {
  into_->version = version;
  into_->set_head(status, fields, bytes);
  phase_ = Phase::body;
  // A response without a body has no end of a compressed stream either, and the body of a 206 is a
  // part of the encoded bytes (RFC 9110, section 14).
  if (terms_.decompresses && length != 0U && status != kPartialContent) {
    choose_decoder();
  }
  if (terms_.gathering == Gathering::whole && length && !has_failed()) {
    begin_whole(*length);
  }
  tell();
}

/// Rejects an announced length that exceeds the limit before the body arrives.
void ClientExchange::begin_whole(std::uint64_t bytes) {
  if (bytes > terms_.body_bytes_max) {
    return fail_too_large();
  }
  if (!decoder_ && bytes != 0) {
    static_cast<void>(into_->body.reserve(std::min(bytes, kPromisedBytesMax)));
  }
}

/// Creates the decoder. An unknown coding is an error, because the caller expects decoded data.
void ClientExchange::choose_decoder() {
  std::vector<ContentCoding> codings;
  for (const Field& field : into_->fields) {
    ListReader names(equals_ignoring_case(field.name, "Content-Encoding") ? field.value : "");
    while (const auto name = names.next()) {
      // Some servers add parameters, such as "gzip;q=1".
      const std::string_view plain = without_parameters(*name);
      if (const auto coding = coding_named(plain)) {
        codings.push_back(*coding);
      } else if (!is_no_coding(plain)) {
        return fail_with(ClientFault::bad_coding, unsupported_coding(*name));
      }
    }
  }
  if (codings.empty()) {
    return;
  }
  if (codings.size() > kCodingsMax) {
    return fail_with(ClientFault::bad_coding, "The response has more than four content codings.");
  }
  DecompressionLimits limits = terms_.decompression;
  if (terms_.gathering == Gathering::whole) {
    limits.bytes_max = std::min<std::uint64_t>(limits.bytes_max, terms_.body_bytes_max);
  }
  decoder_.emplace(codings, limits);
  decoded_status_ = Decompressed::done;  // also if there are no bytes at all
}

// Response body.

void ClientExchange::take_data(std::string_view data) {
  if (terms_.gathering == Gathering::whole) {
    return gather(data);
  }
  ahead_.append(data);
  on_ahead(ahead_.size());
  tell();
}

void ClientExchange::gather(std::string_view data) {
  if (decoder_) {
    const Decompressor::Step step = decoder_->read(data, into_->body, kUnbounded);
    decoded_status_ = status_of(step, data);
    if (const auto fault = decoding_error(decoded_status_)) {
      fail_with(fault->fault, fault->text);
    }
    return;
  }
  // The difference cannot wrap, because at most the limit was collected.
  if (data.size() > terms_.body_bytes_max - into_->body.size()) {
    return fail_too_large();
  }
  into_->body.append(data);
}

void ClientExchange::end_response(std::string_view trailer_lines) {
  const bool is_whole = terms_.gathering == Gathering::whole;
  if (is_whole && decoder_ && decoded_status_ != Decompressed::done) {
    return fail_with(ClientFault::bad_coding, "The compressed body ends too early.");
  }
  if (!trailer_lines.empty()) {
    into_->set_trailers(trailer_lines);
  }
  // Change the phase before waking the waiting tasks.
  phase_ = Phase::done;
  disarm();
  tell();
}

/// Returns the error of compressed data, if any.
std::optional<ClientError> ClientExchange::decoding_error(Decompressed status) {
  switch (status) {
    case Decompressed::need_more:
    case Decompressed::need_room:
    case Decompressed::done:
      return std::nullopt;
    case Decompressed::too_large:
      return ClientError{ClientFault::too_large,
                         "The decompressed response body is too large: raise body_bytes_max, or "
                         "the limits in ClientOptions::decompression."};
    case Decompressed::corrupt:
    case Decompressed::trailing:
      break;
  }
  return ClientError{ClientFault::bad_coding, std::string(to_text(status))};
}

Result<std::string_view, ClientError> ClientExchange::take_piece() {
  // Take a new piece only after the decoder has used up the last one.
  if (undecoded_.empty() && !may_hold_back_) {
    given_.clear();
    given_.swap(ahead_);
    undecoded_ = given_.view();
    // Now the protocol may read more.
    on_taken(undecoded_.size());
  }
  if (!decoder_) {
    return std::exchange(undecoded_, {});
  }
  return decode_piece();
}

Result<std::string_view, ClientError> ClientExchange::decode_piece() {
  made_.clear();
  if (!undecoded_.empty() || may_hold_back_) {
    const Decompressor::Step step = decoder_->read(undecoded_, made_, kAheadBytesMax);
    decoded_status_ = status_of(step, undecoded_);
    undecoded_.remove_prefix(decoded_status_ == step.status ? step.consumed : undecoded_.size());
    may_hold_back_ = step.status == Decompressed::need_room;
    if (auto fault = decoding_error(decoded_status_)) {
      return eider::fail(std::move(*fault));
    }
  }
  const bool is_cut = has_taken_all() && decoded_status_ != Decompressed::done;
  if (is_cut && made_.empty()) {
    return eider::fail(ClientError{ClientFault::bad_coding, "The compressed body ends too early."});
  }
  return made_.view();
}

// Request body.

void ClientExchange::note_sent() noexcept {
  has_sent_ = true;
  tell();
}

// "A client that is sending a message body SHOULD monitor the network connection for an error
// response while it is transmitting the request. If the client sees a response that indicates the
// server does not wish to receive the message body and is closing the connection, the client SHOULD
// immediately cease transmitting" (RFC 9112, section 9.5). A server may send a success status while
// it still reads the body.
bool ClientExchange::declines_content() const noexcept {
  constexpr int kSuccessMax = 299;
  return is_done() || has_failed() || (phase_ == Phase::body && into_->status > kSuccessMax);
}

void ClientExchange::give_up(ClientFault why, std::string_view text) {
  if (phase_ == Phase::head || phase_ == Phase::body) {
    fail_with(why, text);
  }
}

// The end, and waking tasks.

void ClientExchange::fail_too_large() {
  fail_with(ClientFault::too_large,
            "The response body is larger than allowed: raise body_bytes_max, or read the body in "
            "pieces.");
}

void ClientExchange::fail_with(ClientFault fault, std::string_view text) {
  // Set the error first: tasks that are woken read it.
  error_ = {fault, std::string(text)};
  phase_ = Phase::failed;
  disarm();
  // The protocol must release the exchange before tasks are notified of the failure.
  drop(fault);
  tell();
}

void ClientExchange::fail_unprocessed(Processed how, std::string_view text) {
  processed_ = how;
  lose(text);
}

bool ClientExchange::holds(Condition condition) const noexcept {
  if (has_failed()) {
    return true;
  }
  switch (condition) {
    case Condition::may_send:
      return may_send_ || has_head();
    case Condition::room:
      return declines_content() || has_sent_all();
    case Condition::refusal:
      return declines_content();
    case Condition::sent:
      return has_sent_ || has_head();
    case Condition::head:
      return has_head();
    case Condition::content:
      return is_done() || !ahead_.empty() || !undecoded_.empty() || may_hold_back_;
    case Condition::end:
      return is_done();
    case Condition::change:
      return false;
  }
  return true;
}

void ClientExchange::tell() noexcept {
  for (Waiting* const one : {&sending_, &receiving_}) {
    if (!one->happened.is_set() && (one->awaited == Condition::change || holds(one->awaited))) {
      one->happened.set();
    }
  }
}

}  // namespace eider::detail::client
