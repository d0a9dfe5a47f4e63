# make install: headers, both libraries, a CMake package and a pkg-config file.
#
#   find_package(dalembert)                      dalembert::dalembert, the shared library
#   find_package(dalembert COMPONENTS static)    also dalembert::static
#   pkg-config --cflags --libs dalembert         the shared library
#   pkg-config --cflags --libs dalembert-static  libdalembert.a, with the other libraries shared
#
# and for the parts that need libc and libm only dalembert::core (COMPONENTS core; dalembert::core_static) and
# pkg-config dalembert-core, dalembert-core-static.
include(CMakePackageConfigHelpers)

# Components are the packages of cmake/DalembertPackage.cmake: library, core, dev, tool, python.
install(DIRECTORY include/dalembert DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev FILES_MATCHING PATTERN "*.h")
set(exports "")
if(TARGET dalembert)
    install(TARGETS dalembert EXPORT dalembertTargets LIBRARY COMPONENT library NAMELINK_COMPONENT dev)
    install(TARGETS dalembert_archive EXPORT dalembertStaticTargets ARCHIVE COMPONENT dev)
    list(APPEND exports Targets StaticTargets)
endif()
if(TARGET dalembert_core)
    install(TARGETS dalembert_core dalembert_core_archive EXPORT dalembertCoreTargets LIBRARY COMPONENT core NAMELINK_COMPONENT dev
            RUNTIME COMPONENT core ARCHIVE COMPONENT dev)
    list(APPEND exports CoreTargets)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dalembert)
foreach(export IN LISTS exports)
    install(EXPORT dalembert${export} NAMESPACE dalembert:: DESTINATION ${package_dir} COMPONENT dev)
endforeach()
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
# the linker would take the shared library of the two
function(dal_pc name library private)
    set(DAL_PC_NAME ${name})
    set(DAL_PC_LIBS "-l${library} -lm")
    set(DAL_PC_PRIVATE_LIBS "${private}")
    configure_file(cmake/dalembert.pc.in ${name}.pc @ONLY)
    set(DAL_PC_NAME ${name}-static)
    string(JOIN " " DAL_PC_LIBS -l:lib${library}.a ${private} -lm)
    set(DAL_PC_PRIVATE_LIBS "")
    configure_file(cmake/dalembert.pc.in ${name}-static.pc @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc ${CMAKE_CURRENT_BINARY_DIR}/${name}-static.pc
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endfunction()
if(TARGET dalembert)
    dal_pc(dalembert dalembert "${DAL_PRIVATE_LIBS}")
endif()
if(TARGET dalembert_core)
    dal_pc(dalembert-core dalembert-core "")
endif()
