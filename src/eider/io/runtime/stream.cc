#include "eider/io/runtime/stream.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <utility>

#include "eider/core/base/assert.h"
#include "eider/io/runtime/stream_access.h"
#include "eider/io/runtime/stream_rest.h"

namespace eider {

namespace {

/// A larger cork or chunk frees its memory after use.
constexpr std::size_t kKeptCorkBytesMax = 256 * 1024;
/// Up to this many refused bytes are copied; for more, the buffer itself is kept.
constexpr std::size_t kCopiedBytesMax = 16 * 1024;

}  // namespace

Stream::Rest::Rest(Stream& stream) : owner(stream) {
  if (detail::runtime::OutputBudget* const budget = stream.owner_.output_budget()) {
    counted = std::make_unique<Counted>(stream, *budget);
  }
}

Stream::Rest::~Rest() {
  drop_all();
}

void Stream::Rest::add(Chunk chunk) {
  constexpr std::size_t kSentChunksMax = 16;
  bytes += chunk.left().size();
  if (first != chunks.size() && chunk.owner != nullptr && chunks.back().owner == chunk.owner &&
      chunks.back().shared.data() + chunks.back().shared.size() == chunk.shared.data()) {
    Chunk& last = chunks.back();
    last.shared = {last.shared.data(), last.shared.size() + chunk.shared.size()};
    return;
  }
  // Remove sent chunks even if the reader never catches up.
  if (first > kSentChunksMax && first > chunks.size() / 2) {
    chunks.erase(chunks.begin(), chunks.begin() + static_cast<std::ptrdiff_t>(first));
    first = 0;
  }
  own_bytes += chunk.own_bytes();
  if (counted != nullptr && chunk.memory_bytes != 0) {
    counted->budget.add_shared(chunk.owner.get(), chunk.memory_bytes);
  }
  chunks.push_back(std::move(chunk));
}

bool Stream::Rest::try_append(std::string_view corked) {
  if (first == chunks.size() || chunks.back().corked.empty() ||
      chunks.back().corked.size() + corked.size() > kCopiedBytesMax) {
    return false;
  }
  Buffer& last = chunks.back().corked;
  own_bytes -= last.capacity();
  last.append(corked);
  own_bytes += last.capacity();
  bytes += corked.size();
  return true;
}

void Stream::Rest::drop_first() noexcept {
  Chunk& chunk = chunks[first];
  own_bytes -= chunk.own_bytes();
  if (counted != nullptr && chunk.memory_bytes != 0) {
    counted->budget.drop_shared(chunk.owner.get());
  }
  chunk = Chunk();
  ++first;
}

void Stream::Rest::drop_all() noexcept {
  while (first != chunks.size()) {
    drop_first();
  }
  chunks.clear();
  first = 0;
  bytes = 0;
}

void Stream::Rest::consume(std::size_t taken) noexcept {
  bytes -= taken;
  given += taken;
  while (taken != 0) {
    const std::size_t part = chunks[first].left().size();
    if (taken < part) {
      chunks[first].sent += taken;
      return;
    }
    taken -= part;
    drop_first();
  }
}

void Stream::Rest::count(Rest* rest) {
  if (rest == nullptr || rest->counted == nullptr) {
    return;
  }
  const std::size_t waiting = rest->owner.waiting_bytes();
  const std::size_t sealed = rest->sealing == nullptr ? 0 : rest->sealing->own_bytes();
  rest->counted->set(waiting == 0 ? 0 : rest->own_bytes + sealed, waiting);
}

detail::runtime::OutputFlow Stream::Rest::Counted::flow() const noexcept {
  // Waiting ciphertext has left the queue, but the peer has not received it.
  const std::size_t unread = stream_.unread_bytes();
  return {.given = stream_.rest_->given, .queued = unread - std::min(unread, stream_.rest_->bytes)};
}

// The memory is freed immediately; the owner is informed at the end of the turn, as for any reset.
void Stream::Rest::Counted::give_up() noexcept {
  Rest& rest = *stream_.rest_;
  rest.drop_all();
  if (rest.sealing != nullptr) {
    rest.sealing->drop_output();
  }
  note_freed();
  stream_.loop_.drop_unsent(stream_);
  stream_.flags_ &= static_cast<std::uint8_t>(~kReadsOn);
  stream_.break_later(NetError::reset);
}

Stream::Rest& Stream::rest() {
  if (rest_ == nullptr) {
    rest_ = new Rest(*this);
  }
  return *rest_;
}

void Stream::open(Descriptor fd) {
  ensure(!is_open() && fd.is_open(), "a stream can be opened only once, with a socket");
  fd_ = fd.release();
  flags_ = 0;
  told_at_ = loop_.turn_ms_;
  loop_.attach(*this);
}

void Stream::close() noexcept {
  if (!is_open()) {
    return;
  }
  // The seal sends close_notify while the descriptor is still open.
  if (is(kSealed)) {
    rest_->sealing->close();
  }
  loop_.detach(*this);
  fd_ = -1;
  // Destroyed last, because it contains the seal and the waiting output.
  delete std::exchange(rest_, nullptr);
}

void Stream::reset() noexcept {
  if (is_open()) {
    // A broken stream's seal sends no close_notify: an RST follows.
    flags_ |= kBroken;
    loop_.drop_unsent(*this);
    close();
  }
}

// Input.

void Stream::tell_bytes(std::string_view bytes) {
  // Bytes that are reported now have arrived since the last report.
  const std::uint32_t ago = loop_.turn_ms_ - std::exchange(told_at_, loop_.turn_ms_);
  if (ago != 0 && ago < loop_.told_ago_ms_) {
    loop_.told_ago_ms_ = ago;
  }
  if ((flags_ & (kUnwilling | kSealed)) == 0) [[likely]] {
    owner_.on_bytes(bytes);
  } else if (wants_bytes()) {
    is(kSealed) ? (void)rest_->sealing->tell_bytes(bytes) : owner_.on_bytes(bytes);
  } else if (!is_lost() && !is(kPeerEnded)) {
    rest().held.append(bytes);
    flags_ |= kHasHeld;
  }
}

void Stream::tell_end() {
  if (is(kPeerEnded) || is_lost()) {
    return;
  }
  const bool may_be_told = wants_bytes();
  if ((is(kSealed) || is(kBroken)) && may_be_told) {
    tell_broken(NetError::reset);  // data may be missing
    return;
  }
  // Set the flag before the callback, in which the owner may destroy the stream.
  flags_ |= kPeerEnded;
  if (may_be_told) {
    owner_.on_end();
  } else {
    rest().is_end_held = true;
    flags_ |= kHasHeld;
  }
}

void Stream::tell_broken(NetError error) {
  StreamOwner& owner = owner_;
  flags_ |= kBroken;
  if (error == NetError::insecure) {
    const std::string why(rest_->sealing->seal().failure());  // close() destroys the seal
    close();
    return owner.on_insecure(why);
  }
  // Close the stream before the callback, because the owner may destroy it there.
  close();
  owner.on_broken(error);
}

void Stream::tell_held() {
  if (is_lost()) {
    tell_broken(rest_->error);
    return;
  }
  if (is(kWaiting) && std::exchange(rest_->is_yielding, false)) {
    // If held input may be reported while output waits, it is handled after this: the socket may
    // refuse the next share, and accept more only after this side has read.
    go_on_reading();
    tell_writable();
    return;
  }
  if (!is(kHasHeld) || is_held_up()) {
    return;
  }
  if (is(kSealed)) {
    rest_->sealing->tell_held();
    return;
  }
  // Take the input out first: the owner may pause, close or destroy the stream while it reads it.
  Buffer held;
  held.swap(rest_->held);
  if (held.empty()) {
    rest_->is_end_held = false;
    flags_ &= static_cast<std::uint8_t>(~kHasHeld);
    is(kBroken) ? tell_broken(rest_->error) : owner_.on_end();
    return;
  }
  if (rest_->is_end_held) {
    // The end is reported in the next round, so that all input comes before it.
    loop_.defer(*rest_);
  } else {
    flags_ &= static_cast<std::uint8_t>(~kHasHeld);
    // Do not use the stream after the callback: it may be destroyed.
    loop_.update(*this);
  }
  owner_.on_bytes(held.view());
}

void Stream::pause_reading() noexcept {
  flags_ |= kPaused;
  if (is(kBroken)) {
    loop_.defer(*rest_);  // a writer would wait forever, because the end is not read
  }
}

void Stream::resume_reading() {
  flags_ &= static_cast<std::uint8_t>(~kPaused);
  go_on_reading();
}

void Stream::go_on_reading() {
  if (is_held_up() || !is_open()) {
    return;
  }
  if (is(kHasHeld)) {
    loop_.defer(*rest_);
  } else {
    loop_.update(*this);
  }
}

// Output.

std::size_t Stream::waiting_bytes() const noexcept {
  return is(kWaiting) ? rest_->waiting_bytes() : 0;
}

std::size_t Stream::unread_bytes() const noexcept {
  int queued = 0;
  // The kernel does not know a closed or broken socket: then only this process has waiting bytes.
  const bool is_known = ::ioctl(fd_, TIOCOUTQ, &queued) == 0 && queued > 0;
  return waiting_bytes() + (is_known ? static_cast<std::size_t>(queued) : 0);
}

bool Stream::flush() {
  Buffer* corked = loop_.corked(*this);
  if (corked == nullptr || corked->empty()) {
    return !is(kWaiting);
  }
  if (is(kSealed)) [[unlikely]] {
    const bool has_left = rest_->sealing->flush(corked->view());
    // The bytes are now encrypted or copied, even if the socket has refused them.
    corked->reset(kKeptCorkBytesMax);
    Rest::count(rest_);
    return has_left;
  }
  std::size_t sent = 0;
  if (!is(kWaiting) && !is(kBroken)) [[likely]] {
    const Loop::Written written = loop_.write(*this, corked->view(), {});
    sent = written.bytes;
    if (written.error != 0) {
      break_later(net_error(written.error));
    }
  }
  // Keep refused bytes before all later output.
  keep_corked(*corked, sent);
  return !is(kWaiting);
}

void Stream::send_owned(std::string bytes) {
  Chunk chunk;
  chunk.owned = std::move(bytes);
  send_chunk(std::move(chunk));
}

void Stream::send_shared(std::shared_ptr<const void> owner, std::string_view bytes,
                         std::size_t memory_bytes) {
  Chunk chunk;
  chunk.memory_bytes = memory_bytes;
  chunk.owner = std::move(owner);
  chunk.shared = bytes;
  send_chunk(std::move(chunk));
}

void Stream::send_chunk(Chunk chunk) {
  if (chunk.left().empty()) {
    return;  // a chunk without bytes would never be completed
  }
  if (is(kSealed)) {
    // The corked bytes were written before the chunk, so encrypt them first.
    (void)flush();
    rest_->sealing->send_chunk(std::move(chunk));
    Rest::count(rest_);
    return;
  }
  Buffer* corked = loop_.corked(*this);
  const std::string_view before = corked == nullptr ? std::string_view() : corked->view();
  Loop::Written written;
  if (!is(kWaiting) && !is(kBroken)) {
    written = loop_.write(*this, before, chunk.left());
    if (written.error != 0) {
      break_later(net_error(written.error));
    }
  }
  const std::size_t sent_before = std::min(written.bytes, before.size());
  if (corked != nullptr) {
    // Queue the rest of the cork before the chunk: that is the order of the output.
    keep_corked(*corked, sent_before);
  }
  chunk.sent += written.bytes - sent_before;
  if (!chunk.left().empty() && !is_lost()) {
    rest().add(std::move(chunk));
    begin_waiting();
    Rest::count(rest_);
  }
}

void Stream::keep_corked(Buffer& corked, std::size_t sent) {
  const std::size_t refused = corked.size() - sent;
  if (refused != 0 && is(kSealed) && !is_lost()) [[unlikely]] {
    rest_->sealing->keep_refused(corked.view().substr(sent));
    begin_waiting();
    Rest::count(rest_);
  } else if (refused != 0 && !is_lost()) [[unlikely]] {
    if (!rest().try_append(corked.view().substr(sent))) {
      Chunk chunk;
      if (refused > kCopiedBytesMax) {
        // The cork gets the empty buffer instead, so that a large rest is moved without a copy.
        chunk.corked.swap(corked);
        chunk.sent = sent;
      } else {
        chunk.corked.append(corked.view().substr(sent));
      }
      rest_->add(std::move(chunk));
    }
    begin_waiting();
    Rest::count(rest_);
  }
  corked.reset(kKeptCorkBytesMax);
}

void Stream::begin_waiting() {
  if (!is(kWaiting)) {
    flags_ |= kWaiting;
    loop_.update(*this);
  }
}

void Stream::send_file(std::shared_ptr<const Descriptor> file, std::uint64_t offset,
                       std::uint64_t bytes) {
  if (is(kSealed)) {
    (void)flush();
    Chunk chunk;
    chunk.slice = {file->get(), offset, bytes};
    chunk.file = std::move(file);
    rest_->sealing->send_chunk(std::move(chunk));
    Rest::count(rest_);
    return;
  }
  Buffer* corked = loop_.corked(*this);
  const std::string_view before = corked == nullptr ? std::string_view() : corked->view();
  const FileSlice slice{file->get(), offset, std::min(bytes, kFileBytesPerTurn)};
  Loop::Written written;
  if (!is(kWaiting) && !is(kBroken) && bytes != 0) {
    written = loop_.send_file(*this, before, slice);
    if (written.error != 0) {
      break_later(net_error(written.error));
    }
  }
  const std::size_t sent_before = std::min(written.bytes, before.size());
  const std::uint64_t sent_of_file = written.bytes - sent_before;
  if (corked != nullptr) {
    // As in `send_chunk`, queue the rest of the cork before the file.
    keep_corked(*corked, sent_before);
  }
  keep_file(std::move(file), {slice.file, offset + sent_of_file, bytes - sent_of_file});
}

void Stream::keep_file(std::shared_ptr<const Descriptor> file, FileSlice left) {
  if (left.bytes != 0 && !is_lost()) {
    Chunk chunk;
    chunk.file = std::move(file);
    chunk.slice = left;
    rest().bytes += left.bytes;
    rest_->chunks.push_back(std::move(chunk));
    begin_waiting();
    Rest::count(rest_);
  }
}

bool StreamAccess::seal_corked(Stream& stream, Buffer& corked) {
  return stream.rest_->sealing->seal_corked(corked);
}

bool Stream::drain() {
  if (is(kSealed)) {
    return rest_->sealing->drain();
  }
  while (rest_->bytes != 0) {
    if (!(rest_->is_file_next() ? drain_file() : drain_bytes())) {
      return false;
    }
  }
  return true;
}

// Writes until the socket refuses some, because only then does it report that it accepts more.
bool Stream::drain_bytes() {
  const std::string_view first = rest_->left(0);
  const std::string_view second = rest_->left(1);
  const Loop::Written written = loop_.write(*this, first, second);
  if (written.error != 0) {
    break_later(net_error(written.error));
    return false;
  }
  rest_->consume(written.bytes);
  return written.bytes == first.size() + second.size();
}

// Sends the file's share of this turn. A short count may also be the end of the file, so it tries
// again.
bool Stream::drain_file() {
  std::uint64_t share = kFileBytesPerTurn;
  Chunk& chunk = rest_->chunks[rest_->first];
  while (chunk.slice.bytes != 0 && share != 0) {
    const FileSlice slice{chunk.slice.file, chunk.slice.offset, std::min(chunk.slice.bytes, share)};
    const Loop::Written written = loop_.send_file(*this, {}, slice);
    if (written.error != 0) {
      break_later(net_error(written.error));
      return false;
    }
    if (written.bytes == 0) {
      return false;
    }
    share -= written.bytes;
    rest_->bytes -= written.bytes;
    rest_->given += written.bytes;
    chunk.slice.offset += written.bytes;
    chunk.slice.bytes -= written.bytes;
  }
  if (chunk.slice.bytes == 0) {
    rest_->drop_first();
    return true;
  }
  rest_->is_yielding = true;
  loop_.defer(*rest_);
  return false;
}

void Stream::tell_writable() {
  if (!is(kWaiting) || is(kBroken)) {
    return;
  }
  if (!drain()) {
    Rest::count(rest_);
    return;
  }
  // Mark the stream writable before the callback, because the owner may write in it.
  flags_ &= static_cast<std::uint8_t>(~kWaiting);
  if (!is(kHasHeld) && !is(kSealed)) {
    delete std::exchange(rest_, nullptr);
  } else {
    rest_->drop_all();
    Rest::count(rest_);
  }
  if (is(kEnding)) {
    finish_ending();
  }
  // Inform the backend of all changes before the callback, in which the owner may destroy the
  // stream.
  loop_.update(*this);
  go_on_reading();
  owner_.on_drained();
}

void Stream::end() {
  if (is(kEnding)) {
    return;
  }
  // Set the flag first: if the socket refuses output now, the stream ends when it has drained.
  flags_ |= kEnding;
  if (flush() && !is(kBroken)) {
    finish_ending();
  }
}

void Stream::finish_ending() {
  // close_notify must be sent before FIN.
  if (is(kSealed)) {
    rest_->sealing->end();
  }
  loop_.end_writing(*this);
}

// After a reset, earlier input can still be read (and is reported first with kReadsOn), and the end
// follows it. After other errors there may be no end.
void Stream::break_later(NetError error) {
  flags_ |= kBroken;
  const bool has_told_end = is(kPeerEnded) && !is(kHasHeld);
  if (error != NetError::reset || has_told_end) {
    flags_ &= static_cast<std::uint8_t>(~kReadsOn);
    // Reported at the end of the turn, never from within the owner's own call.
  }
  rest().error = error;
  loop_.defer(*rest_);
  loop_.update(*this);
}

}  // namespace eider
