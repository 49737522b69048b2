// Measures the HTTP client on one core, to compare it with others.
// Layering: not a load generator; each connection waits for its last response.
#pragma once

#include <eider/client.h>

#include <chrono>
#include <string>

/// Sends requests continuously, `calls` at a time, and prints one line of JSON.
///
/// returns  the exit status: 1 if a request failed
eider::Task<int> load(eider::HttpClient& client, std::string url, int calls,
                      std::chrono::seconds time);
