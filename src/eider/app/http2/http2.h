// HTTP/2 for an application: the same handlers, and concurrent requests on one connection.
// Layering: must not know TLS; ALPN selects the protocol before the first byte arrives here.
#pragma once

#include "eider/server/http2/http2_options.h"

namespace eider {

class App;

/// Enables HTTP/2 on all ports of the app, in addition to HTTP/1.1: with ALPN over TLS, or with
/// prior knowledge. The upgrade "h2c" is not supported, because RFC 9113 removed it.
///
///     App app;
///     add_http2(app);
///
/// source  RFC 9113; RFC 9218
void add_http2(App& app, Http2Options options = {});

}  // namespace eider
