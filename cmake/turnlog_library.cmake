# turnlog_library(NAME HEADERS h... SOURCES s... PUBLIC lib... PRIVATE lib...)
# One library per folder, static unless BUILD_SHARED_LIBS. HEADERS are the public ones, from include/turnlog/.
function(turnlog_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "HEADERS;SOURCES;PUBLIC;PRIVATE")
  add_library(turnlog_${name})
  add_library(turnlog::${name} ALIAS turnlog_${name})
  list(TRANSFORM ARG_HEADERS PREPEND "${PROJECT_SOURCE_DIR}/include/turnlog/")
  turnlog_batches(turnlog_${name} ${ARG_SOURCES})
  target_sources(turnlog_${name}
    PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${ARG_HEADERS})
  target_include_directories(turnlog_${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(turnlog_${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  set_target_properties(turnlog_${name} PROPERTIES EXPORT_NAME ${name} VERIFY_INTERFACE_HEADER_SETS ON
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  turnlog_flags(turnlog_${name})
  set_property(GLOBAL APPEND PROPERTY TURNLOG_LIBRARIES turnlog_${name})
endfunction()

include(turnlog_batches)
include(turnlog_precompile)

# turnlog_flags(TARGET [PRECOMPILED]): language level, warnings, sanitizers and precompiled headers of one target.
function(turnlog_flags target)
  target_compile_features(${target} PUBLIC cxx_std_23)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  if(TURNLOG_DEVELOPER_MODE)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
      -Woverloaded-virtual -Wold-style-cast -Wno-missing-field-initializers -Werror)
  endif()
  if(TURNLOG_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${TURNLOG_SANITIZE} -fno-sanitize-recover=all
      -fno-omit-frame-pointer)
    if(TURNLOG_SANITIZE MATCHES "address,undefined")  # takes a third of the time to compile, and address stops there too
      target_compile_options(${target} PRIVATE -fno-sanitize=null,object-size,vptr)
    endif()
    target_link_options(${target} PUBLIC -fsanitize=${TURNLOG_SANITIZE})
  endif()
  if(ARGC EQUAL 1)
    set(ARGV1 turnlog_precompiled_std)
  endif()
  turnlog_use_precompiled(${target} "${ARGV1}")
endfunction()

turnlog_precompiled(turnlog_precompiled_std)
