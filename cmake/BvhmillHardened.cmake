# What makes faults of memory harder to exploit in programs that are built with
# optimization: position-independent programs, checked calls of the C library,
# guarded stacks, jumps to marked places alone, and tables of the linker that
# are read-only before main runs. tests/hardened reads them from the programs.
#
# The library inherits them when this is the project that is built; others who
# add it choose their own.

include(CheckPIESupported)
check_pie_supported()
add_compile_options(
  -fstack-protector-strong
  "$<$<CONFIG:Release,RelWithDebInfo>:SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_compile_options(-fcf-protection)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  add_compile_options(-mbranch-protection=standard)
endif()
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
