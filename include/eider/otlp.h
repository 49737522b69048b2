// Export of metrics, traces and logs to OpenTelemetry.
// Component: otlp. Guide: docs/howto/telemetry.md.
#pragma once

#include "eider/ops/telemetry/otlp/otlp.h"
