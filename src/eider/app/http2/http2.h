// HTTP/2 for an application: the same handlers, many requests at once on one connection.
// Must not know TLS: there ALPN has chosen it before the first byte comes here.
#pragma once

#include "eider/server/http2/http2_options.h"

namespace eider {

class App;

/// Serves HTTP/2 on all of the app's ports, beside HTTP/1.1: to clients that begin with it, by
/// prior knowledge or ALPN in TLS. The upgrade in the clear ("h2c") is none of it any more: RFC
/// 9113 took it out.
///
///     App app;
///     enable_http2(app);
///
/// source  RFC 9113; RFC 9218
void enable_http2(App& app, Http2Options options = {});

}  // namespace eider
