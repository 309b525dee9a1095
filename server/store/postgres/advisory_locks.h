#pragma once

// Numbers of the advisory locks that servers take in a database of jobs, for
// SQL. They differ, and no other program takes them in this database.

// While the schema is made or upgraded.
#define BVHMILL_SCHEMA_LOCK "7450113361905"
// While blobs are named, or removed; postgres_name_lock.cc.
#define BVHMILL_NAME_LOCK "7450113361906"
// While a job is counted against the bounds of its caller, and made.
#define BVHMILL_BOUNDS_LOCK "7450113361907"
