// For tests: trivial encryption, with a handshake, records, alerts and an end.
// Layering: must not be used outside of tests.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "eider/io/runtime/seal.h"

namespace eider::testing {

/// Flips one bit of each byte. 'H' completes the handshake, '.' may precede it, 'E' ends the
/// connection, '!' is an attack, and 'D' carries a byte.
class TestSeal final : public Seal {
 public:
  static constexpr char kFlip = 0x20;

  void start(Buffer&) override {}

  SealState feed(std::string_view ciphertext, Buffer& wire) override {
    for (const char byte : ciphertext) {
      take(byte, wire);
    }
    return state_;
  }
  std::size_t read(std::span<char> into, Buffer&) override {
    const std::size_t bytes = std::min({into.size(), plain_.size(), kRecordBytes});
    std::copy_n(plain_.begin(), bytes, into.begin());
    plain_.erase(0, bytes);
    has_ended_ = plain_.empty() && is_end_received_;
    return bytes;
  }
  bool write(std::string_view plaintext, Buffer& wire) override {
    for (const char byte : plaintext) {
      wire.append('D');
      wire.append(static_cast<char>(byte ^ kFlip));
    }
    return true;
  }
  void end(Buffer& wire) override { wire.append('E'); }
  SealState state() const noexcept override { return state_; }
  bool has_ended() const noexcept override { return has_ended_; }
  std::string_view failure() const noexcept override {
    return state_ == SealState::failed ? "An unknown record." : "";
  }
  TlsInfo tls() const override { return {.version = "test"}; }

 private:
  static constexpr std::size_t kRecordBytes = 7;

  void take(char byte, Buffer& wire) {
    if (is_data_) {
      plain_ += static_cast<char>(byte ^ kFlip);
      is_data_ = false;
    } else if (byte == 'H') {
      state_ = SealState::open;
      wire.append('h');
    } else if (byte == '.' && state_ == SealState::handshaking) {
      // continue
    } else if (byte == 'E') {
      is_end_received_ = true;
    } else if (byte == 'D' && state_ == SealState::open) {
      is_data_ = true;
    } else {
      state_ = SealState::failed;
      wire.append('!');
    }
  }

  SealState state_ = SealState::handshaking;
  bool is_data_ = false;
  bool is_end_received_ = false;
  bool has_ended_ = false;
  std::string plain_;
};

/// Makes one for each accepted connection.
class TestSeals final : public SealMaker {
 public:
  [[nodiscard]] std::unique_ptr<Seal> make() override { return std::make_unique<TestSeal>(); }
};

/// Encrypts like the other side.
inline std::string sealed(std::string_view plaintext) {
  TestSeal seal;
  Buffer wire;
  (void)seal.write(plaintext, wire);
  return std::string(wire.view());
}

}  // namespace eider::testing
