// Tests of your application: a client in the same process, captured logs, a simulated kernel.
// Component: testing. Guide: docs/guides/testing/testing.md.
#pragma once

#include "eider/testkit/document_check.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/schema_check.h"
#include "eider/testkit/sim_kernel.h"
#include "eider/testkit/sim_random.h"
#include "eider/testkit/snapshot.h"
#include "eider/testkit/temp_directory.h"
#include "eider/testkit/test_client.h"
