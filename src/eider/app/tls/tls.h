// TLS for an application.
// Layering: must not know the library; it creates the server's side with make_server_tls.
#pragma once

#include "eider/io/tls/tls.h"

namespace eider {

class App;

/// Enables TLS at the addresses of the options --tls-port and --listen-tls. A certificate from the
/// command line (--cert, --key) replaces this one.
void add_tls(App& app, TlsOptions options = {});

}  // namespace eider
