# Header, both libraries, program, pkg-config file, CMake package, manual and completions.

include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/neyman")

# Two export sets, so that users of the shared library need none of its dependencies' headers.
install(TARGETS neyman EXPORT neyman_shared)
install(TARGETS neyman_static EXPORT neyman_static)
install(TARGETS neyman_program)
install(DIRECTORY include/neyman DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(EXPORT neyman_shared NAMESPACE neyman:: DESTINATION "${package_dir}")
install(EXPORT neyman_static NAMESPACE neyman:: DESTINATION "${package_dir}")

configure_package_config_file(cmake/neymanConfig.cmake.in neymanConfig.cmake
    INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(neymanConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/neymanConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/neymanConfigVersion.cmake"
        DESTINATION "${package_dir}")

# The prefix is only known when it is installed to. It is written out in full, because the two
# implementations of pkg-config disagree about spaces in the folder that they find themselves.
set(pc_prefix "@CMAKE_INSTALL_PREFIX@")
configure_file(cmake/neyman.pc.in neyman.pc.in @ONLY)
install(CODE "
    configure_file(\"${CMAKE_CURRENT_BINARY_DIR}/neyman.pc.in\"
                   \"${CMAKE_CURRENT_BINARY_DIR}/neyman.pc\" @ONLY)
    file(INSTALL \"${CMAKE_CURRENT_BINARY_DIR}/neyman.pc\"
         DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig\")")

if(NEY_MANUAL)
    install(DIRECTORY "${NEY_MANUAL_DIR}/" DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}")
endif()
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
