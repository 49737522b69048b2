#include "eider/client/detail/sealer.h"

#include <utility>

namespace eider::detail {

namespace {

ClientError tls_error(const Error& error) {
  return {ClientFault::tls_failed, error.detail()};
}

}  // namespace

Result<std::unique_ptr<Seal>, ClientError> Sealer::seal_for(const std::string& host,
                                                            std::uint16_t port,
                                                            Protocols protocols) {
  if (context_ == nullptr) {
    auto made = TlsClientContext::make(options_);
    if (!made) {
      return fail(tls_error(made.error()));
    }
    context_ = std::move(*made);
  }
  auto seal = context_->make_seal({host, port, std::move(protocols)});
  if (!seal) {
    return fail(tls_error(seal.error()));
  }
  return std::unique_ptr<Seal>(std::move(*seal));
}

}  // namespace eider::detail
