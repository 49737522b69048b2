// Export of metrics, traces and logs to OpenTelemetry.
// Component: otlp. Guide: docs/operations/metrics-and-traces.md.
#pragma once

#include "eider/ops/telemetry/otlp/otlp.h"
