# Writes the sources of a page into a file of C++, as the functions of
# client/cli/report/html_writer.h.
#
#   cmake -DPAGE=FOLDER -DOUT=FILE -P EmbedPage.cmake
#
# FOLDER has report.html, and the parts of the style (*.css) and of the script
# (*.js), which are joined in the order of their names.

function(join_files pattern result)
  file(GLOB files "${PAGE}/${pattern}")
  list(SORT files)
  set(text "")
  foreach(file IN LISTS files)
    file(READ "${file}" part)
    string(APPEND text "${part}\n")
  endforeach()
  # These would end the element that holds the part.
  string(TOLOWER "${text}" lower)
  foreach(word "</script" "</style" "<!--")
    string(FIND "${lower}" "${word}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${PAGE}/${pattern}: must not contain ${word}")
    endif()
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# A string literal may have 64 KiB: longer texts are several, which the compiler
# joins. The separator must not stand in the text.
function(as_literal text result)
  set(literal "")
  string(LENGTH "${text}" left)
  set(at 0)
  while(at LESS left)
    string(SUBSTRING "${text}" ${at} 8000 part)
    string(APPEND literal "R\"bvhmill(${part})bvhmill\"\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  set(${result} "${literal}" PARENT_SCOPE)
endfunction()

file(READ "${PAGE}/report.html" template)
join_files("*.css" style)
join_files("*.js" script)
set(script "(() => {\n'use strict';\n${script}})();\n")
as_literal("${template}" template)
as_literal("${style}" style)
as_literal("${script}" script)
file(WRITE "${OUT}" "// Made by cmake/EmbedPage.cmake of client/cli/report/page.

#include \"client/cli/report/html_writer.h\"

namespace bvhmill::client {

std::string_view PageTemplate() { return\n${template}; }
std::string_view PageStyle() { return\n${style}; }
std::string_view PageScript() { return\n${script}; }

}  // namespace bvhmill::client
")
