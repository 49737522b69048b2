#include "eider/runtime/stream.h"

#include <algorithm>
#include <utility>

#include "eider/base/assert.h"
#include "eider/runtime/detail/stream_rest.h"

namespace eider {

namespace {

/// A cork or chunk that grew beyond this gives its memory back after use.
constexpr std::size_t kKeptBytesMax = 256 * 1024;
/// Refused bytes up to this many are copied; of more the buffer itself is kept.
constexpr std::size_t kCopiedBytesMax = 16 * 1024;

void forget(Buffer& buffer) noexcept {
  if (buffer.capacity() > kKeptBytesMax) {
    buffer.release();
  } else {
    buffer.clear();
  }
}

}  // namespace

void Stream::Rest::consume(std::size_t taken) noexcept {
  bytes -= taken;
  while (taken != 0) {
    const std::size_t part = chunks[first].left().size();
    if (taken < part) {
      chunks[first].sent += taken;
      return;
    }
    taken -= part;
    chunks[first] = Chunk();
    ++first;
  }
}

Stream::Rest& Stream::rest() {
  if (rest_ == nullptr) {
    rest_ = new Rest(*this);
  }
  return *rest_;
}

void Stream::open(Descriptor fd) {
  ensure(!is_open() && fd.is_open(), "a stream is opened once, with a socket");
  fd_ = fd.release();
  flags_ = 0;
  loop_.attach(*this);
}

void Stream::close() noexcept {
  if (!is_open()) {
    return;
  }
  if (is(kSealed)) {
    close_sealed();
  }
  loop_.detach(*this);
  fd_ = -1;
  delete std::exchange(rest_, nullptr);
}

void Stream::reset() noexcept {
  if (is_open()) {
    flags_ |= kBroken;
    loop_.drop_unsent(*this);
    close();
  }
}

// Input.

void Stream::tell_bytes(std::string_view bytes) {
  if ((flags_ & (kUnwilling | kSealed)) == 0) [[likely]] {
    owner_.on_bytes(bytes);
  } else if (wants_bytes()) {
    tell_sealed(bytes);
  } else if (!is(kBroken) && !is(kPeerEnded)) {
    rest().held.append(bytes);
    flags_ |= kHasHeld;
  }
}

void Stream::tell_end() {
  if (is(kPeerEnded) || is(kBroken)) {
    return;
  }
  const bool may_be_told = wants_bytes();
  if (is(kSealed) && may_be_told) {
    tell_broken(NetError::reset);  // what has come may be cut
    return;
  }
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
  close();
  owner.on_broken(error);
}

void Stream::tell_held() {
  if (is(kBroken)) {
    tell_broken(rest_->error);
    return;
  }
  if (is(kWaiting) && std::exchange(rest_->is_yielding, false)) {
    tell_writable();
    return;
  }
  if (!is(kHasHeld) || is(kPaused) || is(kWaiting)) {
    return;
  }
  if (is(kSealed)) {
    tell_held_sealed();
    return;
  }
  Buffer held;
  held.swap(rest_->held);
  if (held.empty()) {
    rest_->is_end_held = false;
    flags_ &= static_cast<std::uint8_t>(~kHasHeld);
    owner_.on_end();
    return;
  }
  if (rest_->is_end_held) {
    loop_.defer(*rest_);
  } else {
    flags_ &= static_cast<std::uint8_t>(~kHasHeld);
    loop_.update(*this);
  }
  owner_.on_bytes(held.view());
}

void Stream::pause_reading() noexcept {
  flags_ |= kPaused;
}

void Stream::resume_reading() {
  flags_ &= static_cast<std::uint8_t>(~kPaused);
  go_on_reading();
}

void Stream::go_on_reading() {
  if (is(kPaused) || is(kWaiting) || !is_open()) {
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

bool Stream::flush() {
  Buffer* corked = loop_.corked(*this);
  if (corked == nullptr || corked->empty()) {
    return has_left_kernel();
  }
  if (is(kEncrypts) && encrypts_still(KernelTlsUse::always)) [[unlikely]] {
    const bool has_left = flush_sealed(corked->view());
    forget(*corked);
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
  keep_corked(*corked, sent);
  return has_left_kernel();
}

void Stream::send_owned(std::string bytes) {
  if (is(kEncrypts) && encrypts_still(KernelTlsUse::always)) {
    (void)flush();
    send_plain_chunk(std::move(bytes), nullptr, {});
    return;
  }
  Buffer* corked = loop_.corked(*this);
  const std::string_view before = corked == nullptr ? std::string_view() : corked->view();
  Loop::Written written;
  if (!is(kWaiting) && !is(kBroken)) {
    written = loop_.write(*this, before, bytes);
    if (written.error != 0) {
      break_later(net_error(written.error));
    }
  }
  const std::size_t sent_before = std::min(written.bytes, before.size());
  const std::size_t sent_of_these = written.bytes - sent_before;
  if (corked != nullptr) {
    keep_corked(*corked, sent_before);
  }
  keep_owned(std::move(bytes), sent_of_these);
}

void Stream::keep_corked(Buffer& corked, std::size_t sent) {
  const std::size_t refused = corked.size() - sent;
  if (refused != 0 && is(kEncrypts) && !is(kBroken)) [[unlikely]] {
    keep_ciphertext(corked.view().substr(sent));
    begin_waiting();
  } else if (refused != 0 && !is(kBroken)) [[unlikely]] {
    Rest::Chunk chunk;
    if (refused > kCopiedBytesMax) {
      chunk.corked.swap(corked);
      chunk.sent = sent;
    } else {
      chunk.corked.append(corked.view().substr(sent));
    }
    rest().add(std::move(chunk));
    begin_waiting();
  }
  forget(corked);
}

void Stream::keep_owned(std::string bytes, std::size_t sent) {
  if (sent < bytes.size() && !is(kBroken)) {
    Rest::Chunk chunk;
    chunk.owned = std::move(bytes);
    chunk.sent = sent;
    rest().add(std::move(chunk));
    begin_waiting();
  }
}

void Stream::begin_waiting() {
  if (!is(kWaiting)) {
    flags_ |= kWaiting;
    loop_.update(*this);
  }
}

void Stream::send_file(std::shared_ptr<const Descriptor> file, std::uint64_t offset,
                       std::uint64_t bytes) {
  const auto occasion = bytes < kKernelFileBytesMin ? KernelTlsUse::always : KernelTlsUse::files;
  if (is(kEncrypts) && encrypts_still(occasion)) {
    (void)flush();
    const int fd = file->get();
    send_plain_chunk({}, std::move(file), {fd, offset, bytes});
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
    keep_corked(*corked, sent_before);
  }
  keep_file(std::move(file), {slice.file, offset + sent_of_file, bytes - sent_of_file});
}

void Stream::keep_file(std::shared_ptr<const Descriptor> file, FileSlice left) {
  if (left.bytes != 0 && !is(kBroken)) {
    Rest::Chunk chunk;
    chunk.file = std::move(file);
    chunk.slice = left;
    rest().bytes += left.bytes;
    rest().chunks.push_back(std::move(chunk));
    begin_waiting();
  }
}

bool Stream::drain() {
  if (is(kEncrypts)) {
    return drain_sealed();
  }
  while (rest_->bytes != 0) {
    if (!(rest_->is_file_next() ? drain_file() : drain_bytes())) {
      return false;
    }
  }
  return !is(kSealed) || has_room(fd_);
}

// Until the socket refuses some: only then does it tell that it takes more.
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

// The next file's share of this turn. A short count may also be the file's end, so it asks again.
bool Stream::drain_file() {
  std::uint64_t share = kFileBytesPerTurn;
  Rest::Chunk& chunk = rest_->chunks[rest_->first];
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
    chunk.slice.offset += written.bytes;
    chunk.slice.bytes -= written.bytes;
  }
  if (chunk.slice.bytes == 0) {
    chunk = Rest::Chunk();
    ++rest_->first;
    return true;
  }
  rest_->is_yielding = true;
  loop_.defer(*rest_);
  return false;
}

void Stream::tell_writable() {
  if (!is(kWaiting) || is(kBroken) || !drain()) {
    return;
  }
  flags_ &= static_cast<std::uint8_t>(~kWaiting);
  if (!is(kHasHeld) && !is(kSealed)) {
    delete std::exchange(rest_, nullptr);
  } else {
    rest_->chunks.clear();
    rest_->first = 0;
  }
  if (is(kEnding)) {
    finish_ending();
  }
  loop_.update(*this);
  go_on_reading();
  owner_.on_drained();
}

void Stream::end() {
  if (is(kEnding)) {
    return;
  }
  flags_ |= kEnding;
  if (flush() && !is(kBroken)) {
    finish_ending();
  }
}

void Stream::finish_ending() {
  if (is(kSealed)) {
    if (sealing().seal->state() == SealState::early) {
      sealing().is_end_put_off = true;  // the handshake's end is needed to say so, and comes first
      return;
    }
    end_sealed();
  }
  loop_.end_writing(*this);
}

void Stream::break_later(NetError error) {
  flags_ |= kBroken;
  rest().error = error;
  loop_.defer(*rest_);
  loop_.update(*this);
}

}  // namespace eider
