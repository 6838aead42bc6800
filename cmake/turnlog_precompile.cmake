# The headers of the standard library and of fmt, parsed once per build tree instead of once per source, which takes half
# of the time to compile one. This hides missing includes: the presets for work ask for it; release and tidy
# compile each source by itself. Headers of ours are not among them, so that a change of one does not touch them.
option(TURNLOG_PRECOMPILE_HEADERS "Precompile the headers of the standard library" OFF)

set(turnlog_precompiled_headers
  <algorithm> <array> <atomic> <charconv> <chrono> <cstdint> <expected> <filesystem> <fstream> <functional> <map>
  <memory> <mutex> <optional> <set> <span> <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector>
  <fmt/format.h>)

# turnlog_precompiled(NAME header...): what a target's turnlog_flags may name. Its flags are those of the target.
function(turnlog_precompiled name)
  if(NOT TURNLOG_PRECOMPILE_HEADERS)
    return()
  endif()
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cc" CONTENT "" @ONLY)
  add_library(${name} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cc")
  turnlog_flags(${name} "")
  target_link_libraries(${name} PRIVATE fmt::fmt)
  target_precompile_headers(${name} PRIVATE ${turnlog_precompiled_headers} ${ARGN})
endfunction()

# fmt's definitions must be the same as in the precompiled headers, also where a target does not use fmt.
function(turnlog_use_precompiled target name)
  if(TURNLOG_PRECOMPILE_HEADERS AND name)
    target_compile_definitions(${target} PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
