// Makes the encryption of connections to https:// servers, and keeps why one failed.
// Must not know what is sent over them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eider/base/result.h"
#include "eider/client/client_error.h"
#include "eider/runtime/seal.h"
#include "eider/tls/tls_client.h"

namespace eider::detail {

class Sealer {
 public:
  using Protocols = std::vector<std::string>;

  /// options  outlive it
  /// context  in place of the options; may be null
  Sealer(const TlsClientOptions& options, std::shared_ptr<TlsClientContext> context) noexcept
      : options_(options), context_(std::move(context)) {}

  /// A seal for one connection. The authorities are read for the first one.
  ///
  /// protocols  to be offered, best first
  /// errors   tls_failed  a file of theirs, or the name of the host, is wrong
  [[nodiscard]] Result<std::unique_ptr<Seal>, ClientError> seal_for(
      const std::string& host, std::uint16_t port, Protocols protocols = {"http/1.1"});

 private:
  const TlsClientOptions& options_;
  std::shared_ptr<TlsClientContext> context_;
};

/// Hands everything on; when it ends it leaves why it failed, which the stream does not keep.
class ToldSeal final : public Seal {
 public:
  /// why  outlives the seal
  ToldSeal(std::unique_ptr<Seal> seal, std::string& why) noexcept
      : seal_(std::move(seal)), why_(why) {}
  ~ToldSeal() override { why_ = seal_->failure(); }

  void start(Buffer& wire) override { seal_->start(wire); }
  [[nodiscard]] SealState feed(std::string_view ciphertext, Buffer& wire) override {
    return seal_->feed(ciphertext, wire);
  }
  [[nodiscard]] std::size_t read(std::span<char> into, Buffer& wire) override {
    return seal_->read(into, wire);
  }
  [[nodiscard]] bool write(std::string_view plaintext, Buffer& wire) override {
    return seal_->write(plaintext, wire);
  }
  void end(Buffer& wire) override { seal_->end(wire); }
  [[nodiscard]] SealState state() const noexcept override { return seal_->state(); }
  [[nodiscard]] bool has_ended() const noexcept override { return seal_->has_ended(); }
  [[nodiscard]] std::string_view failure() const noexcept override { return seal_->failure(); }
  [[nodiscard]] SecuredBy secured_by() const override { return seal_->secured_by(); }

 private:
  std::unique_ptr<Seal> seal_;
  std::string& why_;
};

}  // namespace eider::detail
