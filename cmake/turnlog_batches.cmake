# Several test sources compiled as one, so that the headers and templates that they share are compiled once for all of
# them. This hides missing includes: the presets for work ask for it, release and tidy prove each source alone. Names do
# not clash, because each test has a namespace of its own, named after its file (lint.sources).
#
# Not CMake's UNITY_BUILD, which includes by absolute path: ccache could not serve another checkout.
set(TURNLOG_TEST_BATCH 1 CACHE STRING "How many sources of a test program are compiled together")

# turnlog_batches(TARGET s...): adds the sources to the target. Those that are no tests, or have definitions of their
# own, stay alone.
function(turnlog_batches target)
  set(batch "")
  set(number 0)
  foreach(source IN LISTS ARGN)
    get_source_file_property(definitions "${source}" COMPILE_DEFINITIONS)
    if(definitions OR NOT source MATCHES "_test\\.cc$" OR TURNLOG_TEST_BATCH LESS 2)
      target_sources(${target} PRIVATE "${source}")
      continue()
    endif()
    list(APPEND batch "${source}")
    list(LENGTH batch length)
    if(length EQUAL TURNLOG_TEST_BATCH)
      turnlog_batch(${target} ${number} ${batch})
      set(batch "")
      math(EXPR number "${number} + 1")
    endif()
  endforeach()
  if(batch)
    turnlog_batch(${target} ${number} ${batch})
  endif()
endfunction()

function(turnlog_batch target number)
  if(ARGC EQUAL 3)
    target_sources(${target} PRIVATE ${ARGN})
    return()
  endif()
  set(text "")
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    string(APPEND text "#include \"${path}\"\n")
  endforeach()
  set(file "${CMAKE_CURRENT_BINARY_DIR}/${target}_batch_${number}.cc")
  file(CONFIGURE OUTPUT "${file}" CONTENT "${text}" @ONLY)
  target_sources(${target} PRIVATE "${file}")
endfunction()
