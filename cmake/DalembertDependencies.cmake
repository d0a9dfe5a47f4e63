# What the library needs from the system. A part names the libraries it links in dal_part(... LINK ...); here
# they are looked for, so that a missing one is reported with the package that has it.

function(dal_require_header variable header suffix package)
    find_path(${variable} ${header} PATH_SUFFIXES ${suffix})
    if(NOT ${variable})
        message(FATAL_ERROR "${header} was not found. On Debian: apt-get install ${package} (or: make deps)")
    endif()
endfunction()

function(dal_require_library name package)
    find_library(DAL_LIBRARY_${name} ${name})
    mark_as_advanced(DAL_LIBRARY_${name})
    if(NOT DAL_LIBRARY_${name})
        message(FATAL_ERROR "lib${name} was not found. On Debian: apt-get install ${package} (or: make deps)")
    endif()
endfunction()

dal_require_header(DAL_SUITESPARSE_INCLUDE klu.h suitesparse libsuitesparse-dev)
dal_require_header(DAL_LAPACKE_INCLUDE lapacke.h "" liblapacke-dev)
foreach(name klu amd colamd btf suitesparseconfig spqr cholmod)
    dal_require_library(${name} libsuitesparse-dev)
endforeach()
dal_require_library(openblas libopenblas-dev)
if(DAL_BUILD_TESTS)
    dal_require_library(cmocka libcmocka-dev)
    dal_require_library(jansson libjansson-dev)
endif()
mark_as_advanced(DAL_SUITESPARSE_INCLUDE DAL_LAPACKE_INCLUDE)
