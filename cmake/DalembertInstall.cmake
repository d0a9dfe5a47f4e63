# make install: headers, both libraries, a CMake package and a pkg-config file.
#
#   find_package(dalembert)                      dalembert::dalembert, the shared library
#   find_package(dalembert COMPONENTS static)    also dalembert::static
#   pkg-config --cflags --libs dalembert         the shared library
#   pkg-config --cflags --libs dalembert-static  libdalembert.a, with the other libraries shared
include(CMakePackageConfigHelpers)

# Components are the packages of cmake/DalembertPackage.cmake: library, dev, tool, python.
install(DIRECTORY include/dalembert DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev FILES_MATCHING PATTERN "*.h")
install(TARGETS dalembert EXPORT dalembertTargets LIBRARY COMPONENT library NAMELINK_COMPONENT dev)
install(TARGETS dalembert_archive EXPORT dalembertStaticTargets ARCHIVE COMPONENT dev)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dalembert)
install(EXPORT dalembertTargets NAMESPACE dalembert:: DESTINATION ${package_dir} COMPONENT dev)
install(EXPORT dalembertStaticTargets NAMESPACE dalembert:: DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(cmake/dalembertConfig.cmake.in dalembertConfig.cmake INSTALL_DESTINATION ${package_dir})
# before 1.0 a new minor version may break programs
write_basic_package_version_file(dalembertConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dalembertConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/dalembertConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT dev)

# -llapack ... for programs that link the static library
get_property(link GLOBAL PROPERTY DAL_PART_LINK)
list(REMOVE_DUPLICATES link)
list(TRANSFORM link PREPEND "-l")
list(JOIN link " " DAL_PRIVATE_LIBS)
# the prefix as seen from the file, so that an installation can be moved
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
           OUTPUT_VARIABLE DAL_PC_PREFIX)
set(DAL_PC_LIBS "-ldalembert -lm")
set(DAL_PC_PRIVATE_LIBS "${DAL_PRIVATE_LIBS}")
configure_file(cmake/dalembert.pc.in dalembert.pc @ONLY)
# the linker would take the shared library of the two
set(DAL_PC_LIBS "-l:libdalembert.a ${DAL_PRIVATE_LIBS} -lm")
set(DAL_PC_PRIVATE_LIBS "")
configure_file(cmake/dalembert.pc.in dalembert-static.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/dalembert.pc ${CMAKE_CURRENT_BINARY_DIR}/dalembert-static.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
