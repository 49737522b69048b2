// For tests: a kernel that takes a connection over and sends its bytes as they are, and a seal that
// hands over. Must not be used outside of tests.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "eider/runtime/detail/test_seal.h"
#include "eider/runtime/kernel_tls.h"

namespace eider::testing {

/// Alerts are sent in brackets, so that they can be told from what the owner has written.
class TestKernel final : public KernelTls {
 public:
  bool take_over(int, std::string_view keys) noexcept override {
    ++asked;
    return is_able && keys == "keys";
  }
  void send_alert(int socket, std::string_view alert) noexcept override {
    const std::string record = "[" + std::string(alert) + "]";
    static_cast<void>(::send(socket, record.data(), record.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  }

  bool is_able = true;
  int asked = 0;
};

/// Says "E." and "!." as alerts once it has handed over.
class HandingSeal final : public TestSeal {
 public:
  HandingSeal(TestKernel& kernel, KernelTlsUse use) noexcept : kernel_(kernel), use_(use) {}

  SealState feed(std::string_view ciphertext, Buffer& wire) override {
    Buffer mine;
    const SealState state = TestSeal::feed(ciphertext, mine);
    pass_on(mine, wire);
    return state;
  }
  void end(Buffer& wire) override {
    Buffer mine;
    TestSeal::end(mine);
    pass_on(mine, wire);
  }
  KernelTlsUse kernel_use() const noexcept override { return use_; }
  KernelOffer offer() noexcept override { return {.kernel = &kernel_, .keys = "keys"}; }
  void hand_over() noexcept override {
    has_handed_over_ = true;
    use_ = KernelTlsUse::never;
  }
  void keep_sending() noexcept override { use_ = KernelTlsUse::never; }

 private:
  void pass_on(const Buffer& mine, Buffer& wire) const {
    for (const char byte : mine.view()) {
      wire.append(byte);
      if (has_handed_over_) {
        wire.append('.');
      }
    }
  }

  TestKernel& kernel_;
  KernelTlsUse use_;
  bool has_handed_over_ = false;
};

}  // namespace eider::testing
