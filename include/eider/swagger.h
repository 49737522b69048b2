// Swagger UI for the OpenAPI document.
// Component: swagger. Guide: docs/howto/openapi.md.
#pragma once

#include "eider/web/swagger/swagger.h"
