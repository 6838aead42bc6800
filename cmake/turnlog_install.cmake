# What `cmake --install` puts where, and how others find it: find_package(turnlog) and pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY TURNLOG_LIBRARIES)

# The whole of turnlog, for those who do not care which library has what.
add_library(turnlog INTERFACE)
add_library(turnlog::turnlog ALIAS turnlog)
target_link_libraries(turnlog INTERFACE ${libraries})

install(TARGETS turnlog ${libraries} EXPORT turnlogTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(BUILD_SHARED_LIBS)  # found from where they are, so that what is installed can be moved
  file(RELATIVE_PATH from_programs "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
  set_target_properties(${libraries} PROPERTIES INSTALL_RPATH "$ORIGIN")
  set_target_properties(logctl PROPERTIES INSTALL_RPATH "$ORIGIN/${from_programs}")
endif()
if(TARGET logctl)
  install(TARGETS logctl RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

install(FILES README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs examples DESTINATION "${CMAKE_INSTALL_DOCDIR}")

set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/turnlog")
install(EXPORT turnlogTargets NAMESPACE turnlog:: DESTINATION "${config_dir}")
configure_package_config_file(cmake/turnlogConfig.cmake.in turnlogConfig.cmake INSTALL_DESTINATION "${config_dir}")
write_basic_package_version_file(turnlogConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/turnlogConfig.cmake" "${PROJECT_BINARY_DIR}/turnlogConfigVersion.cmake"
              cmake/FindLz4.cmake cmake/FindRe2.cmake cmake/FindUtf8proc.cmake cmake/FindxxHash.cmake cmake/FindZstd.cmake
        DESTINATION "${config_dir}")

# Static libraries on the command line: each before those that it uses.
set(pc_libraries "")
foreach(library IN LISTS libraries)
  string(PREPEND pc_libraries " -l${library}")
endforeach()
set(pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
string(REGEX REPLACE "[^/]+" ".." pc_prefix "${pc_dir}")
configure_file(cmake/turnlog.pc.in turnlog.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/turnlog.pc" DESTINATION "${pc_dir}")
