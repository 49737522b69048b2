// Logs, metrics and traces.
// Component: core. Guide: docs/operations/metrics-and-traces.md.
#pragma once

#include "eider/core/base/log.h"
#include "eider/core/base/metric.h"
#include "eider/core/base/span.h"
#include "eider/ops/telemetry/log.h"
#include "eider/ops/telemetry/metrics.h"
#include "eider/ops/telemetry/traces.h"
