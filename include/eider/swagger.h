// Swagger UI for the OpenAPI document.
// Component: swagger. Guide: docs/guides/apis/openapi.md.
#pragma once

#include "eider/web/swagger/swagger.h"
