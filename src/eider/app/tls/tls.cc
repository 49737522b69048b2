#include "eider/app/tls/tls.h"

#include <string>
#include <utility>
#include <vector>

#include "eider/app/app.h"

namespace eider {

namespace {

TlsOptions join(TlsOptions options, const TlsWanted& wanted) {
  if (!wanted.certificate.empty()) {
    options.certificate = {.certificate = wanted.certificate, .key = wanted.key, .ocsp = {}};
    if (wanted.is_of_address) {
      options.additional_certificates.clear();
    }
  }
  if (options.protocols.empty() || wanted.is_restricted) {
    options.protocols = wanted.protocols;
  }
  return options;
}

/// Returns the files that are watched, and read again when they change.
std::vector<std::string> files_of(const TlsOptions& options) {
  std::vector<std::string> files{options.client_authorities};
  std::vector<TlsCertificate> certificates = options.additional_certificates;
  certificates.push_back(options.certificate);
  for (const TlsCertificate& each : certificates) {
    files.insert(files.end(), {each.certificate, each.key, each.ocsp});
  }
  std::erase(files, "");
  return files;
}

}  // namespace

void add_tls(App& app, TlsOptions options) {
  for (const std::string& file : files_of(options)) {
    app.allow_path(file);
  }
  app.set_seals([options = std::move(options)](const TlsWanted& wanted) {
    return make_server_tls(join(options, wanted), wanted.log);
  });
}

}  // namespace eider
