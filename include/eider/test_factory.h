// Factories: valid records with defaults for tests.
// Component: testing. Guide: docs/guides/testing/factories.md.
#pragma once

#include "eider/testkit/factory.h"
