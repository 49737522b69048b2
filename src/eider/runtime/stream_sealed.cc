// Stream: encryption between the owner and the socket.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "eider/base/assert.h"
#include "eider/runtime/detail/stream_rest.h"
#include "eider/runtime/spare_buffer.h"
#include "eider/runtime/stream.h"

namespace eider {

namespace {

/// Of plaintext that waits, in one go: a few records.
constexpr std::size_t kPieceBytes = 64UL * 1024;

/// Memory for ciphertext, for whichever stream sends next.
SpareBuffer& spare() noexcept {
  thread_local SpareBuffer memory;
  return memory;
}

/// Reads until `into` is full or the file ends; the file's bytes are in the kernel's cache, mostly.
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
  rest().sealing = std::make_unique<Sealing>(std::move(seal));
  flags_ |= kSealed | kEncrypts;
  sealing().seal->start(sealing().wire);
  send_wire();
  if (!received.empty()) {
    rest_->held.append(received);
    flags_ |= kHasHeld;
    loop_.defer(*rest_);
  }
}

const Seal* Stream::seal() const noexcept {
  return is(kSealed) ? sealing().seal.get() : nullptr;
}

Stream::Sealing& Stream::sealing() const noexcept {
  return *rest_->sealing;
}

// Input.

/// Returns whether the stream is still there: each of the owner's callbacks may close it.
bool Stream::tell_sealed(std::string_view ciphertext) {
  bool is_gone = false;
  Sealing& mine = sealing();
  mine.is_gone = &is_gone;
  const SealState state =
      ciphertext.empty() ? mine.seal->state() : mine.seal->feed(ciphertext, mine.wire);
  if (state == SealState::early) [[unlikely]] {
    tell_early(is_gone);
  }
  if (!is_gone && mine.seal->state() == SealState::open) {
    tell_secured();
    while (!is_gone && wants_bytes() && tell_plaintext()) {
    }
  }
  if (!is_gone) {
    settle_sealed();
  }
  if (!is_gone) {
    mine.is_gone = nullptr;
  }
  return !is_gone;
}

/// is_gone  set when the owner has closed the stream
void Stream::tell_early(const bool& is_gone) {
  const Seal& seal = *sealing().seal;
  seal_text(sealing().early.view());
  sealing().early.release();
  while (!is_gone && wants_bytes() && seal.state() == SealState::early && tell_plaintext()) {
  }
}

void Stream::tell_secured() {
  Sealing& mine = sealing();
  if (std::exchange(mine.is_secured_told, true)) {
    return;
  }
  seal_text(mine.early.view());
  mine.early.release();
  if (mine.is_end_put_off && send_wire() && !is(kBroken)) {
    finish_ending();
  }
  owner_.on_secured();
}

/// Returns whether there was any.
bool Stream::tell_plaintext() {
  Sealing& mine = sealing();
  const std::span<char> room = loop_.plain_rooms().input;
  std::size_t bytes = 0;
  while (bytes < room.size()) {
    const std::size_t more = mine.seal->read(room.subspan(bytes), mine.wire);
    if (more == 0) {
      break;
    }
    bytes += more;
  }
  if (bytes != 0) {
    owner_.on_bytes({room.data(), bytes});
  }
  return bytes != 0;
}

void Stream::settle_sealed() {
  Sealing& mine = sealing();
  send_wire();
  if (mine.seal->state() == SealState::failed) {
    tell_broken(NetError::insecure);
  } else if (!wants_bytes()) {
    flags_ |= is(kPeerEnded) || is(kBroken) ? std::uint8_t{0} : kHasHeld;
  } else if (mine.seal->has_ended()) {
    flags_ |= kPeerEnded;
    owner_.on_end();
  }
}

void Stream::tell_held_sealed() {
  Buffer held;
  held.swap(rest_->held);
  const bool is_end_held = rest_->is_end_held;
  flags_ &= static_cast<std::uint8_t>(~(kHasHeld | kPeerEnded));
  loop_.update(*this);
  if (tell_sealed(held.view()) && is_end_held) {
    tell_end();
  }
}

// Output.

void Stream::seal_text(std::string_view plaintext) {
  Sealing& mine = sealing();
  if (plaintext.empty() || is(kBroken)) {
    return;
  }
  if (mine.seal->state() == SealState::handshaking) {
    mine.early.append(plaintext);
    return;
  }
  spare().lend(mine.wire);
  if (!mine.seal->write(plaintext, mine.wire)) {
    break_later(NetError::insecure);
  }
}

bool Stream::flush_sealed(std::string_view plaintext) {
  if (rest_->bytes == 0) {
    seal_text(plaintext);
  } else {
    Rest::Chunk chunk;
    chunk.corked.append(plaintext);
    rest_->add(std::move(chunk));
  }
  return send_wire();
}

/// For a backend that sends what is corked by itself: makes it ciphertext, in place.
///
/// returns  false when it is not to be sent now, and has been taken
bool Stream::seal_corked(Buffer& corked) {
  if (!is(kEncrypts) || !encrypts_still(KernelTlsUse::always)) {
    (void)flush();  // the kernel's TLS knows no MSG_WAITALL
    return false;
  }
  Sealing& mine = sealing();
  const bool may_pass =
      !is(kWaiting) && !is(kBroken) && mine.wire.empty() && mine.seal->state() == SealState::open;
  if (!may_pass) {
    (void)flush();
    return false;
  }
  seal_text(corked.view());
  corked.clear();
  corked.swap(mine.wire);
  spare().take_back(mine.wire);
  return !corked.empty();
}

/// Gives the socket what is encrypted. Returns whether nothing waits.
bool Stream::send_wire() {
  Sealing& mine = sealing();
  if (!is(kEncrypts)) {
    send_alerts();
    return !is(kWaiting);
  }
  if (is(kWaiting) || is(kBroken) || mine.wire.empty()) {
    return !is(kWaiting);
  }
  if (!write_wire() && !is(kBroken)) {
    begin_waiting();
    return false;
  }
  return true;
}

/// Returns whether the socket took all of it.
bool Stream::write_wire() {
  Sealing& mine = sealing();
  if (!mine.left().empty()) {
    const Loop::Written written = loop_.write(*this, mine.left(), {});
    mine.sent += written.bytes;
    if (written.error != 0) {
      break_later(net_error(written.error));
    }
  }
  if (!mine.left().empty()) {
    return false;
  }
  mine.wire.clear();
  mine.sent = 0;
  if (rest_->bytes == 0) {
    spare().take_back(mine.wire);
  }
  return true;
}

/// Large plaintext, encrypted piece by piece as the socket takes it.
void Stream::send_plain_chunk(std::string bytes, std::shared_ptr<const Descriptor> file,
                              FileSlice slice) {
  if (is(kBroken)) {
    return;
  }
  if (sealing().seal->state() == SealState::handshaking) {
    ensure(file == nullptr, "a file is sent when on_secured has been told");
    sealing().early.append(bytes);
    return;
  }
  Rest::Chunk chunk;
  chunk.owned = std::move(bytes);
  chunk.file = std::move(file);
  chunk.slice = slice;
  rest_->bytes += slice.bytes;
  rest_->add(std::move(chunk));
  if (is(kWaiting)) {
    return;
  }
  if (drain_sealed()) {
    rest_->chunks.clear();
    rest_->first = 0;
  } else {
    begin_waiting();
  }
}

/// Encrypts the next piece of what waits in the clear.
void Stream::seal_next_piece() {
  Rest::Chunk& chunk = rest_->chunks[rest_->first];
  if (chunk.file == nullptr) {
    const std::string_view piece = chunk.left().substr(0, kPieceBytes);
    seal_text(piece);
    rest_->consume(piece.size());
    return;
  }
  const std::span<char> room = loop_.plain_rooms().file;
  const std::size_t wanted = std::min<std::uint64_t>(room.size(), chunk.slice.bytes);
  const std::size_t got = read_piece(chunk.slice.file, chunk.slice.offset, room.first(wanted));
  if (got < wanted) {
    break_later(net_error(ENODATA));
    return;
  }
  seal_text({room.data(), got});
  rest_->bytes -= got;
  chunk.slice.offset += got;
  chunk.slice.bytes -= got;
  if (chunk.slice.bytes == 0) {
    chunk = Rest::Chunk();
    ++rest_->first;
  }
}

bool Stream::drain_sealed() {
  std::size_t share = kFileBytesPerTurn;
  Sealing& mine = sealing();
  while (!is(kBroken) && write_wire()) {
    if (rest_->bytes == 0) {
      return true;
    }
    if (share == 0) {
      rest_->is_yielding = true;
      loop_.defer(*rest_);
      return false;
    }
    seal_next_piece();
    share -= std::min(share, mine.wire.size());
  }
  return false;
}

/// For a backend whose send of ciphertext was refused: it comes before what was encrypted since.
void Stream::keep_ciphertext(std::string_view refused) {
  Sealing& mine = sealing();
  Buffer wire;
  wire.append(refused);
  wire.append(mine.left());
  mine.wire.swap(wire);
  mine.sent = 0;
}

// With a kernel that encrypts.

/// Whether output still has to pass through the seal; if it may, the kernel takes over now.
///
/// occasion  what the kernel is used for
bool Stream::encrypts_still(KernelTlsUse occasion) {
  const Seal& seal = *sealing().seal;
  return seal.kernel_use() < occasion || seal.state() != SealState::open || !hand_over_to_kernel();
}

/// Only between two records, and when the socket has taken all those before: the numbers of records
/// follow each other without a gap.
bool Stream::hand_over_to_kernel() {
  Sealing& mine = sealing();
  if (is(kBroken) || !send_wire() || !mine.wire.empty() || rest_->bytes != 0) {
    return false;
  }
  const KernelOffer offer = mine.seal->offer();
  if (offer.kernel == nullptr || !offer.kernel->take_over(fd_, offer.keys)) {
    mine.seal->keep_sending();
    return false;
  }
  mine.seal->hand_over();
  mine.kernel = offer.kernel;
  flags_ &= static_cast<std::uint8_t>(~kEncrypts);
  return true;
}

/// Whether nothing waits, in the kernel neither: it would be lost if the socket was closed now.
bool Stream::has_left_kernel() {
  if (is(kWaiting) || !is(kSealed) || is(kEncrypts) || is(kBroken)) {
    return !is(kWaiting);
  }
  if (!has_room(fd_)) {
    begin_waiting();
    return false;
  }
  return true;
}

void Stream::send_alerts() noexcept {
  Sealing& mine = sealing();
  constexpr std::size_t kAlertBytes = 2;
  for (std::string_view left = mine.wire.view(); left.size() >= kAlertBytes && !is(kBroken);
       left.remove_prefix(kAlertBytes)) {
    mine.kernel->send_alert(fd_, left.substr(0, kAlertBytes));
  }
  mine.wire.release();
}

/// close_notify, if the socket takes it now.
void Stream::end_sealed() noexcept {
  Sealing& mine = sealing();
  if (!is(kBroken) && !is(kWaiting) && mine.seal->state() == SealState::open) {
    mine.seal->end(mine.wire);
    if (!is(kEncrypts)) {
      send_alerts();
      return;
    }
    (void)loop_.write(*this, mine.left(), {});
    mine.wire.clear();
    mine.sent = 0;
  }
}

/// Whoever is in a callback learns that it was the last.
void Stream::close_sealed() noexcept {
  if (!is(kEnding)) {
    end_sealed();
  }
  if (sealing().is_gone != nullptr) {
    *sealing().is_gone = true;
  }
}

}  // namespace eider
