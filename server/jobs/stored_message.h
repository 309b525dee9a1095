#pragma once

// The messages that the rows of jobs hold as bytes.

#include <string_view>

#include "server/store/check_data.h"

namespace bvhmill::server {

// True if `bytes` are a message of this kind, as servers store it.
bool IsStoredMessage(StoredMessage kind, std::string_view bytes);

}  // namespace bvhmill::server
