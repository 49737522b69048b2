// The measuring service's endpoints that stream.
// Must not be tuned for the arena: they are what the documentation shows.
#pragma once

namespace eider {
class App;
}

/// GET /stream/{bytes}  that many bytes, made while they are sent
/// POST /upload         how many bytes came
/// POST /checksum       the same, and their CRC-32: for tests
void add_streams(eider::App& app);
