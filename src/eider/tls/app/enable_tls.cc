#include <utility>

#include "eider/app/app.h"
#include "eider/tls/tls.h"

namespace eider {

namespace {

TlsOptions join(TlsOptions options, const TlsWanted& wanted) {
  if (!wanted.certificate.empty()) {
    options.certificate = {.certificate = wanted.certificate, .key = wanted.key, .ocsp = {}};
  }
  if (options.protocols.empty()) {
    options.protocols = wanted.protocols;
  }
  return options;
}

}  // namespace

void enable_tls(App& app, TlsOptions options) {
  app.secure_by([options = std::move(options)](const TlsWanted& wanted) {
    return make_server_tls(join(options, wanted), wanted.log);
  });
}

}  // namespace eider
