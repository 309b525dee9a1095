#pragma once

// The schema of the database as steps: migrations/NNNN_NAME.sql, in the order
// of their numbers. A database states how many of them it has. A step that was
// released never changes.

#include <span>
#include <string_view>

namespace bvhmill::server {

std::span<const std::string_view> Migrations();

}  // namespace bvhmill::server
