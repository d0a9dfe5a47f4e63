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

dal_require_header(DAL_HDF5_INCLUDE hdf5.h hdf5/serial libhdf5-dev)
# eigenvalues of dense matrices; any LAPACK and BLAS of the system will do, nothing of them is set
dal_require_library(lapack liblapack-dev)
dal_require_library(blas libblas-dev)
dal_require_library(hdf5_serial libhdf5-dev)
dal_require_header(DAL_EXPAT_INCLUDE expat.h "" libexpat1-dev) # XML: descriptions of robots
dal_require_library(expat libexpat1-dev)
mark_as_advanced(DAL_EXPAT_INCLUDE)
if(DAL_BUILD_TESTS)
    dal_require_library(cmocka libcmocka-dev)
    dal_require_library(jansson libjansson-dev) # a second reader of JSON, to judge what is written
endif()
# optional: optimisation (libnlopt-dev) and sweeps over MPI (libopenmpi-dev, openmpi-bin)
find_path(DAL_NLOPT_INCLUDE nlopt.h)
find_package(MPI QUIET COMPONENTS C)
if(NOT DAL_NLOPT_INCLUDE)
    message(STATUS "NLopt was not found: 'dalembert sweep --optimize' is left out (on Debian: libnlopt-dev)")
endif()
if(NOT MPI_C_FOUND)
    message(STATUS "MPI was not found: 'dalembert-mpi' is left out (on Debian: libopenmpi-dev openmpi-bin)")
endif()
mark_as_advanced(DAL_NLOPT_INCLUDE)
mark_as_advanced(DAL_HDF5_INCLUDE)
