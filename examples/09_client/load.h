// One core's worth of requests with the client, for comparing it with others.
// Must not be taken for a load generator: it stops a connection's next request until the last came.
#pragma once

#include <eider/client.h>

#include <chrono>
#include <string>

/// Asks again and again, `calls` at once, and prints one line of JSON.
///
/// returns  the exit status: 1 when a request failed
eider::Task<int> load(eider::HttpClient& client, std::string url, int calls,
                      std::chrono::seconds time);
