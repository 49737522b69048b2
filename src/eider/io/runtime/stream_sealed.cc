// Stream: encryption between the owner and the socket.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "eider/core/base/assert.h"
#include "eider/core/base/poison.h"
#include "eider/io/runtime/seal.h"
#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/stream_rest.h"

namespace eider {

namespace {

/// The plaintext that is encrypted at once: a few records.
constexpr std::size_t kPieceBytes = 64UL * 1024;

/// Returns memory for ciphertext, for any stream of this thread.
SpareBuffer& spare() noexcept {
  thread_local SpareBuffer memory;
  return memory;
}

/// Reads until `into` is full or the file ends; its bytes are usually in the kernel's cache.
std::size_t read_piece(int file, std::uint64_t offset, std::span<char> into) noexcept {
  std::size_t got = 0;
  while (got < into.size()) {
    const ssize_t part =
        ::pread(file, into.data() + got, into.size() - got, static_cast<off_t>(offset + got));
    if (part < 0 && errno == EINTR) {
      continue;
    }
    if (part <= 0) {
      break;
    }
    got += static_cast<std::size_t>(part);
  }
  return got;
}

}  // namespace

void Stream::secure(std::unique_ptr<Seal> seal, std::string_view received) {
  // Early bytes are reported with `tell_held`, because the owner must not be called within its own
  // call.
  rest().sealing = std::make_unique<Sealing>(*this, std::move(seal));
  flags_ |= kSealed;
  rest_->sealing->start();
  if (!received.empty()) {
    rest_->held.append(received);
    flags_ |= kHasHeld;
    loop_.defer(*rest_);
  }
}

const Seal* Stream::seal() const noexcept {
  return is(kSealed) ? &rest_->sealing->seal() : nullptr;
}

void Stream::Sealing::start() {
  seal_->start(wire_);
  send_wire();
}

// Input.

/// Returns whether the stream still exists: each of the owner's callbacks may close it.
bool Stream::Sealing::tell_bytes(std::string_view ciphertext) {
  // `close` sets this if the owner closes or destroys the stream in a callback.
  bool is_gone = false;
  is_gone_ = &is_gone;
  const SealState state = ciphertext.empty() ? seal_->state() : seal_->feed(ciphertext, wire_);
  if (state == SealState::open) {
    tell_secured();
    while (!is_gone && stream_.wants_bytes() && tell_plaintext()) {
    }
  }
  if (!is_gone) {
    settle();
  }
  if (!is_gone) {
    is_gone_ = nullptr;
  }
  return !is_gone;
}

void Stream::Sealing::tell_secured() {
  if (std::exchange(is_secured_told_, true)) {
    return;
  }
  // Send output from the handshake before anything that the owner writes now.
  seal_text(early_.view());
  early_.release();
  stream_.owner_.on_secured();
}

/// Returns whether there was any plaintext.
bool Stream::Sealing::tell_plaintext() {
  const std::span<char> room = stream_.loop_.plain_rooms().input;
  const detail::base::OpenedMemory opened(room.data(), room.size());
  std::size_t bytes = 0;
  while (bytes < room.size()) {
    const std::size_t more = seal_->read(room.subspan(bytes), wire_);
    if (more == 0) {
      break;
    }
    bytes += more;
  }
  if (bytes != 0) {
    stream_.owner_.on_bytes({room.data(), bytes});
  }
  return bytes != 0;
}

void Stream::Sealing::settle() {
  // Send an alert before the stream is closed because of it.
  send_wire();
  if (seal_->state() == SealState::failed) {
    stream_.tell_broken(NetError::insecure);
  } else if (!stream_.wants_bytes()) {
    // The seal may still have plaintext, so it is read first when reading continues.
    stream_.flags_ |= stream_.is(kPeerEnded) || stream_.is_lost() ? std::uint8_t{0} : kHasHeld;
  } else if (seal_->has_ended() && stream_.is(kBroken)) {
    stream_.tell_broken(stream_.rest_->error);
  } else if (seal_->has_ended()) {
    stream_.flags_ |= kPeerEnded;
    stream_.owner_.on_end();
  }
}

void Stream::Sealing::tell_held() {
  Buffer held;
  held.swap(stream_.rest_->held);
  const bool is_end_held = stream_.rest_->is_end_held;
  // A held end was already noted; reset the flag so that the bytes before it are still reported.
  stream_.flags_ &= static_cast<std::uint8_t>(~(kHasHeld | kPeerEnded));
  stream_.loop_.update(stream_);
  // An end without the peer's close_notify is a truncation, which `tell_end` handles.
  if (tell_bytes(held.view()) && is_end_held) {
    stream_.tell_end();
  }
}

// Output.

void Stream::Sealing::seal_text(std::string_view plaintext) {
  if (plaintext.empty() || stream_.is(kBroken)) {
    return;
  }
  if (seal_->state() == SealState::handshaking) {
    early_.append(plaintext);
    return;
  }
  spare().lend(wire_);
  if (!seal_->write(plaintext, wire_)) {
    stream_.break_later(NetError::insecure);
  }
}

bool Stream::Sealing::flush(std::string_view plaintext) {
  if (stream_.rest_->bytes == 0) {
    seal_text(plaintext);
  } else {
    Chunk chunk;
    // Waiting plaintext comes first; otherwise records would overtake one another.
    chunk.corked.append(plaintext);
    stream_.rest_->add(std::move(chunk));
  }
  return send_wire();
}

/// For a backend that sends corked bytes by itself: encrypts them in place.
///
/// returns  false if they must not be sent now; they were then taken
bool Stream::Sealing::seal_corked(Buffer& corked) {
  // Waiting ciphertext and the handshake come before corked bytes.
  const bool may_pass = !stream_.is(kWaiting) && !stream_.is(kBroken) && wire_.empty() &&
                        seal_->state() == SealState::open;
  if (!may_pass) {
    (void)stream_.flush();
    return false;
  }
  seal_text(corked.view());
  corked.clear();
  corked.swap(wire_);
  spare().take_back(wire_);
  return !corked.empty();
}

/// Writes ciphertext to the socket. Returns whether nothing waits.
bool Stream::Sealing::send_wire() {
  if (stream_.is(kWaiting) || stream_.is(kBroken) || wire_.empty()) {
    return !stream_.is(kWaiting);
  }
  // A lost stream does not wait: `break_later` informs its owner.
  if (!write_wire() && !stream_.is_lost()) {
    stream_.begin_waiting();
    return false;
  }
  return true;
}

/// Returns whether the socket accepted all of it.
bool Stream::Sealing::write_wire() {
  if (!left().empty()) {
    const Loop::Written written = stream_.loop_.write(stream_, left(), {});
    sent_ += written.bytes;
    if (written.error != 0) {
      stream_.break_later(net_error(written.error));
    }
  }
  if (!left().empty()) {
    return false;
  }
  wire_.clear();
  sent_ = 0;
  if (stream_.rest_->bytes == 0) {
    spare().take_back(wire_);
  }
  return true;
}

/// Sends large plaintext, which is encrypted piece by piece as the socket accepts it.
void Stream::Sealing::send_chunk(Chunk chunk) {
  if (stream_.is(kBroken)) {
    return;
  }
  if (seal_->state() == SealState::handshaking) {
    ensure(chunk.file == nullptr, "a file can be sent only after on_secured");
    early_.append(chunk.left());
    return;
  }
  // The slice also counts as waiting; `add` counts only bytes in memory.
  stream_.rest_->bytes += chunk.slice.bytes;
  stream_.rest_->add(std::move(chunk));
  if (stream_.is(kWaiting)) {
    return;
  }
  if (drain()) {
    stream_.rest_->drop_all();
  } else {
    stream_.begin_waiting();
  }
}

/// Encrypts the next piece of waiting plaintext.
void Stream::Sealing::seal_next_piece() {
  Chunk& chunk = stream_.rest_->chunks[stream_.rest_->first];
  if (chunk.file == nullptr) {
    const std::string_view piece = chunk.left().substr(0, kPieceBytes);
    seal_text(piece);
    stream_.rest_->consume(piece.size());
    return;
  }
  const std::span<char> room = stream_.loop_.plain_rooms().file;
  const detail::base::OpenedMemory opened(room.data(), room.size());
  const std::size_t wanted = std::min<std::uint64_t>(room.size(), chunk.slice.bytes);
  // A file that became shorter breaks the connection, because its length was announced.
  const std::size_t got = read_piece(chunk.slice.file, chunk.slice.offset, room.first(wanted));
  if (got < wanted) {
    stream_.break_later(net_error(ENODATA));
    return;
  }
  seal_text({room.data(), got});
  stream_.rest_->bytes -= got;
  stream_.rest_->given += got;
  chunk.slice.offset += got;
  chunk.slice.bytes -= got;
  if (chunk.slice.bytes == 0) {
    stream_.rest_->drop_first();
  }
}

bool Stream::Sealing::drain() {
  std::size_t share = kFileBytesPerTurn;
  // Only one piece at a time is encrypted in advance, so that memory stays bounded.
  while (!stream_.is(kBroken) && write_wire()) {
    if (stream_.rest_->bytes == 0) {
      return true;
    }
    if (share == 0) {
      stream_.rest_->is_yielding = true;
      stream_.loop_.defer(*stream_.rest_);
      return false;
    }
    seal_next_piece();
    share -= std::min(share, wire_.size());
  }
  return false;
}

/// For a backend whose send of ciphertext failed: puts it before later ciphertext.
void Stream::Sealing::keep_refused(std::string_view refused) {
  Buffer wire;
  wire.append(refused);
  wire.append(left());
  wire_.swap(wire);
  sent_ = 0;
}

/// Sends close_notify, if the socket accepts it now.
void Stream::Sealing::end() noexcept {
  if (!stream_.is(kBroken) && !stream_.is(kWaiting) && seal_->state() == SealState::open) {
    // After waiting ciphertext it would be in the middle of a record.
    seal_->end(wire_);
    (void)stream_.loop_.write(stream_, left(), {});
    wire_.clear();
    sent_ = 0;
  }
}

/// Informs a running callback that the stream was closed.
void Stream::Sealing::close() noexcept {
  // A stream that is ending has already sent close_notify.
  if (!stream_.is(kEnding)) {
    end();
  }
  if (is_gone_ != nullptr) {
    *is_gone_ = true;
  }
}

}  // namespace eider
