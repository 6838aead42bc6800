# Debian ships xxHash without a CMake package. Defines xxHash::xxhash (header only, with XXH_INLINE_ALL).
find_path(xxHash_INCLUDE_DIR xxhash.h)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(xxHash REQUIRED_VARS xxHash_INCLUDE_DIR)
if(xxHash_FOUND AND NOT TARGET xxHash::xxhash)
  add_library(xxHash::xxhash INTERFACE IMPORTED)
  set_target_properties(xxHash::xxhash PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${xxHash_INCLUDE_DIR}"
                        INTERFACE_COMPILE_DEFINITIONS XXH_INLINE_ALL)
endif()
mark_as_advanced(xxHash_INCLUDE_DIR)
