# Writes the files of a folder into a file of C++, as a function of
# server/store/migrations.h.
#
#   cmake -DFOLDER=FOLDER -DFUNCTION=NAME -DOUT=FILE -P EmbedMigrations.cmake

file(GLOB files "${FOLDER}/*.sql")
list(SORT files)
set(texts "")
foreach(file IN LISTS files)
  file(READ "${file}" text)
  string(APPEND texts "    R\"bvhmill(${text})bvhmill\",\n")
endforeach()
file(WRITE "${OUT}" "// Made by cmake/EmbedMigrations.cmake.

#include \"server/store/migrations.h\"

namespace bvhmill::server {
namespace {

constexpr std::string_view kMigrations[] = {
${texts}};

}  // namespace

std::span<const std::string_view> ${FUNCTION}() { return kMigrations; }

}  // namespace bvhmill::server
")
