# make package: Debian packages by CPack, in build/package.
#
#   dalembert           the tool, its man page and completion
#   libdalembert0.4     the shared library (the number is that of its soname)
#   libdalembert-core0.4  the parts that need libc and libm only
#   libdalembert-dev    headers, both libraries for linking, CMake package, pkg-config file
#   python3-dalembert   the Python module, if it is built with DAL_PYTHON_SHARED
#
# Dependencies are found by dpkg-shlibdeps; tools/test_packages installs the packages in a fresh system.

set(soname_package libdalembert${DAL_SOVERSION})
set(core_package libdalembert-core${DAL_SOVERSION})
set(CPACK_PACKAGE_NAME dalembert)
set(CPACK_PACKAGE_VENDOR "The dalembert developers")
set(CPACK_PACKAGE_CONTACT "The dalembert developers <developers@dalembert.example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL library core dev tool)
if(TARGET python_core AND DAL_PYTHON_SHARED)
    list(APPEND CPACK_COMPONENTS_ALL python)
endif()

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${CPACK_PACKAGE_CONTACT})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${soname_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_CORE_PACKAGE_NAME ${core_package})
set(CPACK_DEBIAN_CORE_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libdalembert-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
# the libraries that building needs, from the list of packages
file(STRINGS ${PROJECT_SOURCE_DIR}/tools/packages.txt lines)
set(group "")
set(needed "${soname_package} (= ${PROJECT_VERSION}), ${core_package} (= ${PROJECT_VERSION})")
foreach(line IN LISTS lines)
    if(line MATCHES "^\\[(.*)\\]$")
        set(group ${CMAKE_MATCH_1})
    elseif(group STREQUAL "build" AND line MATCHES "^lib.*-dev$" AND NOT line STREQUAL "libc6-dev")
        string(APPEND needed ", ${line}")
    endif()
endforeach()
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ${needed})
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME dalembert)
set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "python3-dalembert")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-dalembert)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
# dpkg-shlibdeps adds what the extension is linked with
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "${soname_package} (= ${PROJECT_VERSION}), python3 (>= 3.11), python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-matplotlib, python3-pandas")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    ${PROJECT_SOURCE_DIR}/cmake/python3-dalembert/postinst ${PROJECT_SOURCE_DIR}/cmake/python3-dalembert/prerm)

# A changelog as Debian wants it; what has changed is told by that of the project.
set(changelog ${PROJECT_BINARY_DIR}/debian_changelog)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${changelog} "dalembert (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * See CHANGELOG.md of the project.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
dal_compressed(dalembert_changelog ${changelog})
# the loader learns of new libraries by a trigger
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/triggers)
set(CPACK_DEBIAN_CORE_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/triggers)

# What each package is, and the licence where Debian looks for it.
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "${PROJECT_DESCRIPTION}: shared library")
set(CPACK_COMPONENT_CORE_DESCRIPTION "${PROJECT_DESCRIPTION}: core library")
set(CPACK_COMPONENT_DEV_DESCRIPTION "${PROJECT_DESCRIPTION}: for development")
set(CPACK_COMPONENT_TOOL_DESCRIPTION "${PROJECT_DESCRIPTION}: the tool dalembert")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "${PROJECT_DESCRIPTION}: Python module")
foreach(pair library:${soname_package} core:${core_package} dev:libdalembert-dev tool:dalembert python:python3-dalembert)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 component)
    list(GET pair 1 package)
    if(component IN_LIST CPACK_COMPONENTS_ALL)
        install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright
                COMPONENT ${component})
        if(TARGET dalembert_changelog)
            install(FILES ${changelog}.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME changelog.gz
                    COMPONENT ${component})
        endif()
    endif()
endforeach()

# the guide and the examples, for readers of the headers
set(dev_docs ${CMAKE_INSTALL_DATADIR}/doc/libdalembert-dev)
install(FILES docs/user/guide.md docs/user/embedding.md docs/api.md DESTINATION ${dev_docs} COMPONENT dev)
install(DIRECTORY examples DESTINATION ${dev_docs} COMPONENT dev PATTERN CMakeLists.txt EXCLUDE)

include(CPack)
