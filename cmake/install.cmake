# The install tree: headers, find_package(gpuimg) and the licence.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gpuimg)
configure_package_config_file(cmake/gpuimgConfig.cmake.in ${PROJECT_BINARY_DIR}/package/gpuimgConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/gpuimgConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)

if(PROJECT_IS_TOP_LEVEL)
  install(DIRECTORY include/gpuimg DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
  install(FILES cmake/gpuimg-targets.cmake ${PROJECT_BINARY_DIR}/package/gpuimgConfig.cmake
                ${PROJECT_BINARY_DIR}/package/gpuimgConfigVersion.cmake DESTINATION ${package_dir})
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gpuimg)
endif()
