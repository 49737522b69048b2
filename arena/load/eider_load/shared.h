// What this generator and `eider bench` have in common, under the names of this one.
// Must not hold code of its own.
#pragma once

#include "eider/cli/bench/latency_histogram.h"
#include "eider/cli/bench/on_loop.h"
#include "eider/cli/bench/precise_timer.h"
#include "eider/cli/bench/schedule.h"

namespace load {

using eider::bench::Arrivals;
using eider::bench::LatencyHistogram;
using eider::bench::PreciseTimer;
using eider::bench::run_on_loop;
using eider::bench::Schedule;

}  // namespace load
