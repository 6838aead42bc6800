# Debian's RapidJSONConfig.cmake defines no target. Defines RapidJSON::rapidjson (header only).
find_path(RapidJSON_INCLUDE_DIR rapidjson/writer.h)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(RapidJSON REQUIRED_VARS RapidJSON_INCLUDE_DIR)
if(RapidJSON_FOUND AND NOT TARGET RapidJSON::rapidjson)
  add_library(RapidJSON::rapidjson INTERFACE IMPORTED)
  set_target_properties(RapidJSON::rapidjson PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${RapidJSON_INCLUDE_DIR}"
                        INTERFACE_COMPILE_DEFINITIONS RAPIDJSON_HAS_STDSTRING=1)
endif()
mark_as_advanced(RapidJSON_INCLUDE_DIR)
