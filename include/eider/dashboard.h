// A page with the state of the running server.
// Component: dashboard. Guide: docs/operations/dashboard.md.
#pragma once

#include "eider/ops/dashboard/dashboard.h"
