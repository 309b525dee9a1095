#pragma once

// The description of the HTTP API.

#include <string>

namespace bvhmill::server {

// OpenAPI 3.1 as JSON, made of the tables of options and formats.
std::string OpenApiJson();

}  // namespace bvhmill::server
