#include "eider/client/detail/h1_connection.h"

#include <algorithm>
#include <utility>

#include "eider/base/assert.h"
#include "eider/client/detail/sealer.h"

namespace eider::detail {

namespace {

using h1::ChunkedStatus;
using h1::HeadStatus;

/// Memory beyond this is not kept for the next answer.
constexpr std::size_t kKeptBytesMax = 64UL * 1024;
/// Room that is made at once for content of a length that the server only promises.
constexpr std::uint64_t kPromisedBytesMax = 256UL * 1024;

void forget(Buffer& buffer) noexcept {
  buffer.clear();
  if (buffer.capacity() > kKeptBytesMax) {
    buffer.release();
  }
}

/// A flaw that is a matter of limits.
bool is_size(h1::ResponseFlaw flaw) noexcept {
  using enum h1::ResponseFlaw;
  return flaw == head_too_large || flaw == too_many_fields || flaw == content_length_too_large ||
         flaw == chunk_extension_too_large || flaw == trailers_too_large;
}

ClientFault fault_of(h1::ResponseFlaw flaw) noexcept {
  return is_size(flaw) ? ClientFault::too_large : ClientFault::bad_answer;
}

}  // namespace

H1Connection::H1Connection(Loop& loop, h1::ResponseReader& reader, Descriptor fd,
                           std::unique_ptr<Seal> seal)
    : stream_(loop, *this), reader_(reader), idle_since_(loop.now()) {
  stream_.open(std::move(fd));
  if (seal != nullptr) {
    phase_ = Phase::securing;
    stream_.secure(std::make_unique<ToldSeal>(std::move(seal), why_insecure_));
  }
}

H1Connection::~H1Connection() = default;

void H1Connection::begin(Received& into, const ReceiveTerms& terms) {
  ensure(is_idle(), "a request on a connection that is not idle");
  into_ = &into;
  terms_ = terms;
  phase_ = Phase::head;
  interims_ = 0;
  may_send_ = false;
  has_heard_ = false;
  late_ = {};
  forget(pending_);
  search_.reset();
}

void H1Connection::finish() noexcept {
  disarm();
  decoder_.reset();
  forget(ahead_);
  forget(given_);
  forget(made_);
  undecoded_ = {};
  may_hold_back_ = false;
  into_ = nullptr;
  if (phase_ == Phase::done && keeps_alive_ && !is_spoilt_ && stream_.is_open()) {
    phase_ = Phase::idle;
    idle_since_ = stream_.loop().now();
    stream_.resume_reading();
  } else {
    stream_.close();
  }
}

void H1Connection::set_deadline(Instant due, std::string_view late) noexcept {
  late_ = late;
  stream_.loop().arm(*this, due);
}

void H1Connection::flush() {
  if (stream_.is_open()) {
    stream_.flush();
  }
}

// What the stream tells.

/// A protocol that was not offered must not be chosen (RFC 7301, section 3.2).
void H1Connection::on_secured() {
  const std::string protocol = stream_.seal()->secured_by().protocol;
  if (!protocol.empty() && protocol != "http/1.1") {
    return fail_with(ClientFault::tls_failed, "The server wants to speak another protocol.");
  }
  phase_ = Phase::idle;
  tell();
}

void H1Connection::on_bytes(std::string_view bytes) {
  if (phase_ == Phase::idle) {  // nobody asked: the next answer could be one that was planted
    stream_.close();
    return;
  }
  if (phase_ == Phase::done) {
    is_spoilt_ = true;
    return;
  }
  has_heard_ = true;
  if (phase_ == Phase::head) {
    bytes = read_heads(bytes);
  }
  if (phase_ == Phase::body) {
    read_body(bytes);
  }
}

void H1Connection::on_end() {
  is_spoilt_ = true;
  switch (phase_) {
    case Phase::securing:
      return fail_with(ClientFault::tls_failed, "The server ended the connection unencrypted.");
    case Phase::idle:
      stream_.close();
      return;
    case Phase::head:
      return lose(has_heard_ ? "The server ended the connection within the head of its answer."
                             : "The server ended the connection without an answer.");
    case Phase::body:
      return body_.may_end() ? end_body()
                             : lose("The server ended the connection before its answer was whole.");
    case Phase::done:
    case Phase::failed:
      return;
  }
}

void H1Connection::on_drained() {
  tell();
}

void H1Connection::on_broken(NetError error) {
  is_spoilt_ = true;
  if (phase_ == Phase::securing) {
    const bool is_insecure = error == NetError::insecure && !why_insecure_.empty();
    return fail_with(ClientFault::tls_failed, is_insecure ? why_insecure_ : text(error));
  }
  if (phase_ == Phase::head || phase_ == Phase::body) {
    lose(std::string("The connection was lost: ").append(text(error)).append("."));
  }
}

void H1Connection::expire() {
  fail_with(ClientFault::timed_out, late_);
}

// The head.

/// Reads heads up to the final one.
///
/// returns  what follows it, valid until the next `begin`
std::string_view H1Connection::read_heads(std::string_view in) {
  if (!pending_.empty()) {
    pending_.append(in);
    in = pending_.view();
    if (!search_.is_worth_reading(in, {.head_bytes_max = terms_.head.head_bytes_max})) {
      return {};
    }
  }
  while (phase_ == Phase::head) {
    switch (reader_.read(in, terms_.asked, terms_.head)) {
      case HeadStatus::need_more:
        keep_pending(in);
        return {};
      case HeadStatus::refused:
        fail_with(fault_of(reader_.flaw()), h1::flaw_info(reader_.flaw()).text);
        return {};
      case HeadStatus::complete:
        in.remove_prefix(reader_.head_bytes());
        take_head(reader_.head());
    }
  }
  return in;
}

/// rest  all that has come of the next head; a view into pending_, unless that is empty
void H1Connection::keep_pending(std::string_view rest) {
  if (pending_.empty()) {
    pending_.append(rest);
  } else {
    pending_.consume(pending_.size() - rest.size());
  }
  search_.reset();
  static_cast<void>(
      search_.is_worth_reading(pending_.view(), {.head_bytes_max = terms_.head.head_bytes_max}));
}

void H1Connection::take_head(const h1::ReplyHead& head) {
  if (head.is_interim()) {
    return take_interim(head.status);
  }
  if (head.status == 101) {
    return fail_with(ClientFault::bad_answer,
                     "The server switches to another protocol, which was not asked for.");
  }
  into_->set_head(head);
  keeps_alive_ = head.keeps_alive;
  body_ = h1::ResponseBodyReader(head);
  phase_ = Phase::body;
  if (terms_.decompresses && head.body != h1::ReplyBody::none) {
    choose_decoder();
  }
  if (terms_.gathering == Gathering::whole && head.body == h1::ReplyBody::sized) {
    begin_whole(head.content_length);
  }
  tell();
}

void H1Connection::take_interim(int status) {
  if (++interims_ > kInterimMax) {
    return fail_with(ClientFault::bad_answer, "The server sends one interim answer after another.");
  }
  may_send_ |= status == 100;
  tell();
}

/// The length is a promise: what exceeds the limit is refused before it comes.
void H1Connection::begin_whole(std::uint64_t bytes) {
  if (bytes > terms_.body_bytes_max) {
    return fail_too_large();
  }
  if (!decoder_) {
    static_cast<void>(into_->body.reserve(std::min(bytes, kPromisedBytesMax)));
  }
}

/// Several codings, and those that were not asked for, are left to the caller.
void H1Connection::choose_decoder() {
  const auto name = into_->find("Content-Encoding");
  const auto coding = name ? coding_named(*name) : std::nullopt;
  if (coding) {
    DecompressionLimits limits = terms_.decompression;
    if (terms_.gathering == Gathering::whole) {
      limits.bytes_max = std::min<std::uint64_t>(limits.bytes_max, terms_.body_bytes_max);
    }
    decoder_.emplace(*coding, limits);
    decoded_status_ = Decompressed::done;  // also of no bytes at all
  }
}

// The content.

void H1Connection::read_body(std::string_view in) {
  while (phase_ == Phase::body) {
    const h1::ReplyStep step = body_.read(in);
    in.remove_prefix(step.consumed);
    switch (step.status) {
      case ChunkedStatus::need_more:
        return;
      case ChunkedStatus::data:
        take_data(step.data);
        break;
      case ChunkedStatus::done:
        into_->set_trailers(body_.trailer_lines());
        is_spoilt_ |= !in.empty();  // bytes behind an answer are no answer to anything
        return end_body();
      case ChunkedStatus::refused:
        return fail_with(fault_of(body_.flaw()), h1::flaw_info(body_.flaw()).text);
    }
  }
}

void H1Connection::take_data(std::string_view data) {
  if (terms_.gathering == Gathering::whole) {
    return gather(data);
  }
  ahead_.append(data);
  if (ahead_.size() >= kAheadBytesMax) {
    stream_.pause_reading();
  }
  tell();
}

void H1Connection::gather(std::string_view data) {
  if (decoder_) {
    decoded_status_ = decoder_->write(data, into_->body);
    if (const auto fault = decoding_error(decoded_status_)) {
      fail_with(fault->fault, fault->text);
    }
    return;
  }
  if (data.size() > terms_.body_bytes_max - into_->body.size()) {
    return fail_too_large();
  }
  into_->body.append(data);
}

void H1Connection::end_body() {
  const bool is_whole = terms_.gathering == Gathering::whole;
  if (is_whole && decoder_ && decoded_status_ != Decompressed::done) {
    return fail_with(ClientFault::bad_coding, "The compressed content ends too early.");
  }
  phase_ = Phase::done;
  disarm();
  tell();
}

/// What is wrong with compressed content, if anything.
std::optional<ClientError> H1Connection::decoding_error(Decompressed status) {
  switch (status) {
    case Decompressed::need_more:
    case Decompressed::need_room:
    case Decompressed::done:
      return std::nullopt;
    case Decompressed::too_large:
      return ClientError{ClientFault::too_large,
                         "The content becomes too large when it is decompressed: raise "
                         "body_bytes_max, or the limits in ClientOptions::decompression."};
    case Decompressed::corrupt:
    case Decompressed::trailing:
      break;
  }
  return ClientError{ClientFault::bad_coding, std::string(to_text(status))};
}

Result<std::string_view, ClientError> H1Connection::take_piece() {
  if (undecoded_.empty() && !may_hold_back_) {
    given_.clear();
    given_.swap(ahead_);
    undecoded_ = given_.view();
    if (stream_.is_open()) {
      stream_.resume_reading();
    }
  }
  if (!decoder_) {
    return std::exchange(undecoded_, {});
  }
  return decode_piece();
}

Result<std::string_view, ClientError> H1Connection::decode_piece() {
  made_.clear();
  if (!undecoded_.empty() || may_hold_back_) {
    const Decompressor::Step step = decoder_->read(undecoded_, made_, kAheadBytesMax);
    undecoded_.remove_prefix(step.consumed);
    decoded_status_ = step.status;
    may_hold_back_ = step.status == Decompressed::need_room;
    if (auto fault = decoding_error(step.status)) {
      return fail(std::move(*fault));
    }
  }
  const bool is_cut = has_taken_all() && decoded_status_ != Decompressed::done;
  if (is_cut && made_.empty()) {
    return fail(ClientError{ClientFault::bad_coding, "The compressed content ends too early."});
  }
  return made_.view();
}

// How it ends, and who is told.

void H1Connection::fail_too_large() {
  fail_with(ClientFault::too_large,
            "The content is larger than allowed: raise body_bytes_max, or take it in pieces.");
}

void H1Connection::fail_with(ClientFault fault, std::string_view text) {
  error_ = {fault, std::string(text)};
  phase_ = Phase::failed;
  disarm();
  stream_.close();
  tell();
}

void H1Connection::lose(std::string_view text) {
  fail_with(ClientFault::connection_lost, text);
}

bool H1Connection::holds(News news) const noexcept {
  if (has_failed()) {
    return true;
  }
  switch (news) {
    case News::secured:
      return phase_ != Phase::securing;
    case News::may_send:
      return may_send_ || has_head();
    case News::head:
      return has_head();
    case News::content:
      return is_done() || !ahead_.empty() || !undecoded_.empty() || may_hold_back_;
    case News::end:
      return is_done();
    case News::room:
      return has_head() || stream_.waiting_bytes() == 0;
  }
  return true;
}

void H1Connection::tell() noexcept {
  if (holds(awaited_)) {
    happened_.set();
  }
}

}  // namespace eider::detail
