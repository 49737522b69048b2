// Routes to create, read, update and delete the rows of a table.
// Component: core. Guide: docs/guides/apis/crud.md.
#pragma once

#include "eider/web/crud/crud_routes.h"
#include "eider/web/crud/repeated_statements.h"
