#pragma once

// The sources of the page, which client/cli/report/page has as files. CMake
// makes the definitions of them (cmake/EmbedPage.cmake).

#include <string_view>

namespace bvhmill::client {

// report.html, with {{POLICY}}, {{STYLE}}, {{DATA}} and {{SCRIPT}} where the
// other parts belong, in this order.
std::string_view PageTemplate();
std::string_view PageStyle();
std::string_view PageScript();

}  // namespace bvhmill::client
