// A run divided among threads, each with its own loop and its share of connections and rate.
// Must not share anything between them while they run.
#pragma once

#include "eider/runtime/address.h"
#include "options.h"
#include "report.h"

namespace load {

using Run = Outcome (*)(const Options&, const eider::Address&);

/// What the first of `threads` threads is asked to do, or the second, …: together they do what
/// `options` says. Pre: thread < threads <= options.connections
[[nodiscard]] Options share_of(const Options& options, unsigned thread, unsigned threads);

/// Runs on `options.threads` threads, or on one for each connection when there are fewer, and adds
/// their outcomes up. Throws what the first of them threw that failed.
[[nodiscard]] Outcome run_on_threads(Run run, const Options& options, const eider::Address& to);

}  // namespace load
