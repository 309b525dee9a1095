#pragma once

// The schemas of the databases as steps: migrations/NNNN_NAME.sql, in the order
// of their numbers. A database stores the number of its steps. A released step
// never changes.

#include <span>
#include <string_view>

namespace bvhmill::server {

// The steps of the SQLite schema: server/store/sqlite/migrations.
std::span<const std::string_view> SqliteMigrations();
// The steps of the PostgreSQL schema: server/store/postgres/migrations.
std::span<const std::string_view> PostgresMigrations();

}  // namespace bvhmill::server
